/** Escapers for HTML text, attributes and comments. */
import { plainText, type Printable } from './printable.ts'
import { SafeHtml } from './safe-html.ts'

const special = /["&'<>]/
const specialButAmpersand = /["'<>]/g
const unquotedSpecial = /[\u0000-\u0020"&'<>`=\u00a0]/g
const attributeNameShape = /^[a-zA-Z][\w-]*$/
/** A browser acts on them, or a second one of the name; the first one counts. */
const attributeWithValue =
  /^(?:on|src|href|style|action|formaction|type|sandbox|integrity|rel|http-equiv|content|nonce|method|target|name|value)/i
const attributeNamePartShape = /^[\w-]*$/

/** Replaces the five characters that are special in HTML. */
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
  return value === null || value === undefined ? '' : escapeHtml(plainText(value))
}

const entity = (char: string): string => `&#${char.charCodeAt(0)};`

/** For quoted attributes and for `<title>` and `<textarea>`: tags in safe HTML show as text there. */
export function escapeAttribute(value: Printable): string {
  if (typeof value === 'string') return escapeHtml(value)
  if (typeof value === 'number') return '' + value
  if (value instanceof SafeHtml) return value.toString().replace(specialButAmpersand, entity)
  return value === null || value === undefined ? '' : escapeHtml(plainText(value))
}

/** For a URL in a quoted attribute. Its URL escaper has already encoded all other special characters. */
export function escapeAmpersand(url: string): string {
  return url.includes('&') ? url.replaceAll('&', '&amp;') : url
}

/** For the middle of an unquoted attribute value. */
export function escapeUnquoted(value: Printable): string {
  return plainText(value).replace(unquotedSpecial, entity)
}

/** For comments, in which browsers decode no entities: replaces characters that could end the comment. */
export function escapeComment(value: Printable): string {
  return ` ${plainText(value).replace(/[-<>!]/g, ' ')} `
}

/** For the name of an attribute without a value, such as `checked`; any other name becomes `data-unsafe`. */
export function attributeName(value: Printable): string {
  const name = plainText(value)
  const isPlain = attributeNameShape.test(name) && !attributeWithValue.test(name)
  return name === '' || isPlain ? name : 'data-unsafe'
}

/** For the rest of a `data-…` or `aria-…` attribute name. */
export function attributeNamePart(value: Printable): string {
  const part = plainText(value)
  return attributeNamePartShape.test(part) ? part : 'unsafe-part'
}

/** For `srcdoc`, a document in an attribute: escapes text, and keeps safe HTML as markup. */
export function documentText(value: Printable): string {
  return escapeText(value)
}

/** ` nonce="…"` for an inline script or style of this response, or nothing when there is no nonce. */
export function nonceAttribute(helper: { readonly cspNonce: string }): string {
  const nonce = helper.cspNonce
  return nonce === '' ? '' : ` nonce="${escapeHtml(nonce)}"`
}

const illegalInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** For XML text and attributes. Removes characters that XML 1.0 does not allow. */
export function escapeXml(value: Printable): string {
  return escapeText(value).replace(illegalInXml, '').toWellFormed()
}
