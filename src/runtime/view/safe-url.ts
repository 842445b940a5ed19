/** Creates URLs with other schemes than http, https, mailto and tel. */
import { FwError } from '../base.ts'
import { urlComponent, urlPart } from './escape-url.ts'
import { plainText, type Printable, SafeUrl } from './printable.ts'

/**
 * Marks a URL whose scheme the application vouches for, such as an image in a `data:` URL. As a tag, encodes the values
 * of a text that begins with the scheme: safeUrl`sms:${phone}?body=${text}`. Templates replace `javascript:`,
 * `vbscript:`, `blob:`, `filesystem:` and `view-source:` URLs in spite of it, and `data:` URLs of pages, which include SVG.
 *
 * @throws FwError `view.url-without-scheme` for a tagged text that does not begin with a scheme
 */
export function safeUrl(url: string | TemplateStringsArray, ...values: Printable[]): SafeUrl {
  if (typeof url === 'string') return new SafeUrl(url)
  const [first = ''] = url
  if (!/^[a-z][a-z\d+.-]*:/i.test(first))
    throw new FwError(
      'view.url-without-scheme',
      `The text of safeUrl begins with the scheme, such as sms:, but here it begins with ${JSON.stringify(first)}. Write the scheme, or call safeUrl(url).`,
    )
  let text = first
  values.forEach((value, at) => {
    text +=
      (/[?#]/.test(url.slice(0, at + 1).join('')) ? urlComponent : pathPart)(value) + url[at + 1]!
  })
  return new SafeUrl(text)
}

/** Encodes a value before the query, which it must not begin. */
const pathPart = (value: Printable): string =>
  urlPart(plainText(value)).replaceAll('?', '%3F').replaceAll('#', '%23')
