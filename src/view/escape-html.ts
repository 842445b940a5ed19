/** Escapers for HTML text, attributes and comments. */
import { plain, type Printable } from './printable.ts'
import { SafeHtml } from './safe-html.ts'

const special = /["&'<>]/
const specialButAmpersand = /["'<>]/g
const unquotedSpecial = /[\u0000-\u0020"&'<>`=\u00a0]/g
const attributeNameShape = /^[a-zA-Z][\w-]*$/
const attributeNamePartShape = /^[\w-]*$/

/** Replaces the five characters that mean something in HTML. */
export function escapeHtml(text: string): string {
  const match = special.exec(text)
  if (match === null) return text
  let out = ''
  let last = 0
  let entity: string
  for (let at = match.index; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 34:
        entity = '&#34;'
        break
      case 38:
        entity = '&amp;'
        break
      case 39:
        entity = '&#39;'
        break
      case 60:
        entity = '&lt;'
        break
      case 62:
        entity = '&gt;'
        break
      default:
        continue
    }
    if (last !== at) out += text.substring(last, at)
    out += entity
    last = at + 1
  }
  return last !== text.length ? out + text.substring(last) : out
}

/** For HTML text. */
export function escapeText(value: Printable): string {
  if (typeof value === 'string') return escapeHtml(value)
  if (typeof value === 'number') return '' + value
  if (value instanceof SafeHtml) return value.toString()
  return value === null || value === undefined ? '' : escapeHtml(plain(value))
}

const entity = (char: string): string => `&#${char.charCodeAt(0)};`

/** For quoted attributes and for `<title>` and `<textarea>`: tags in safe HTML show as text there. */
export function escapeAttribute(value: Printable): string {
  if (typeof value === 'string') return escapeHtml(value)
  if (typeof value === 'number') return '' + value
  if (value instanceof SafeHtml) return value.toString().replace(specialButAmpersand, entity)
  return value === null || value === undefined ? '' : escapeHtml(plain(value))
}

/** For a URL in a quoted attribute: its escaper has left no other character that means something there. */
export function escapeAmpersand(url: string): string {
  return url.includes('&') ? url.replaceAll('&', '&amp;') : url
}

/** For the middle of an unquoted attribute value. */
export function escapeUnquoted(value: Printable): string {
  return plain(value).replace(unquotedSpecial, entity)
}

/** For comments, where nothing is decoded: what could close the comment is replaced. */
export function escapeComment(value: Printable): string {
  return ` ${plain(value).replace(/[-<>!]/g, ' ')} `
}

/** For the name of an attribute without a value, such as `checked`; an impossible name becomes `data-unsafe`. */
export function attributeName(value: Printable): string {
  const name = plain(value)
  return name === '' || attributeNameShape.test(name) ? name : 'data-unsafe'
}

/** For the rest of a `data-…` or `aria-…` attribute name. */
export function attributeNamePart(value: Printable): string {
  const part = plain(value)
  return attributeNamePartShape.test(part) ? part : 'unsafe'
}

/** For `srcdoc`, a document within an attribute: text in it is escaped, safe HTML is its markup. */
export function documentText(value: Printable): string {
  return escapeText(value)
}

/** ` nonce="…"` for an inline script or style of this response, or nothing when there is no nonce. */
export function nonceAttribute(helper: { readonly cspNonce: string }): string {
  const nonce = helper.cspNonce
  return nonce === '' ? '' : ` nonce="${escapeHtml(nonce)}"`
}

const illegalInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** For XML text and attributes; characters that XML 1.0 cannot hold are dropped. */
export function escapeXml(value: Printable): string {
  return escapeText(value).replace(illegalInXml, '').toWellFormed()
}
