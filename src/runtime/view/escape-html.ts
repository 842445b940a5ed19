/** Escapes values in HTML text, attributes and comments. */
import { plainText, type Printable } from './printable.ts'
import { replaceValue } from './replaced-values.ts'
import { SafeHtml } from './safe-html.ts'

const special = /["&'<>]/
const specialButAmpersand = /["'<>]/g
const unquotedSpecial = /[\u0000-\u0020"&'<>`=\u00a0]/g
const attributeNameShape = /^[a-zA-Z][\w-]*$/
/**
 * Names that are unsafe without a value. Browsers act on some of these attributes. Others would replace a later
 * attribute of the same name, because the first one applies.
 */
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

/** Escapes a value in HTML text. */
export function escapeText(value: Printable): string {
  if (typeof value === 'string') return escapeHtml(value)
  if (typeof value === 'number') return '' + value
  if (value instanceof SafeHtml) return value.toString()
  return value === null || value === undefined ? '' : escapeHtml(plainText(value))
}

const entity = (char: string): string => `&#${char.charCodeAt(0)};`

/** Escapes a value in a quoted attribute, in `<title>` or in `<textarea>`. There, tags of safe HTML are shown as text. */
export function escapeAttribute(value: Printable): string {
  if (typeof value === 'string') return escapeHtml(value)
  if (typeof value === 'number') return '' + value
  if (value instanceof SafeHtml) return value.toString().replace(specialButAmpersand, entity)
  return value === null || value === undefined ? '' : escapeHtml(plainText(value))
}

/**
 * Returns an attribute that counts with any value, such as `checked`. Returns '' if the value is `false` or prints
 * nothing: the attribute is left out. Numbers are type errors, because 0 would set the attribute.
 */
export function booleanAttribute(name: string, value: boolean | string | null | undefined): string {
  return optionalAttribute(name, value)
}

/** Returns an attribute that has an effect without a value, too, such as `download`; '' if the value is `false` or empty. */
export function optionalAttribute(name: string, value: Printable): string {
  if (value === true) return `${name}=""`
  const text = value === false ? '' : escapeAttribute(value)
  return text === '' ? '' : `${name}="${text}"`
}

/** Escapes a URL in a quoted attribute. The URL's own escaper has already encoded all special characters except `&`. */
export function escapeAmpersand(url: string): string {
  return url.includes('&') ? url.replaceAll('&', '&amp;') : url
}

/** Escapes a value in the middle of an unquoted attribute value. */
export function escapeUnquoted(value: Printable): string {
  return plainText(value).replace(unquotedSpecial, entity)
}

/** Replaces the characters that could end a comment, because browsers decode no entities in comments. */
export function escapeComment(value: Printable): string {
  return ` ${plainText(value).replace(/[-<>!]/g, ' ')} `
}

/** Escapes the name of an attribute without a value, such as `checked`. Any unsafe name becomes `data-unsafe`. */
export function attributeName(value: Printable): string {
  const name = value === false ? '' : plainText(value)
  const isPlain = attributeNameShape.test(name) && !attributeWithValue.test(name)
  return name === '' || isPlain ? name : replaceValue('attribute', value, 'data-unsafe')
}

/** Escapes the part of an attribute name after `data-` or `aria-`. */
export function attributeNamePart(value: Printable): string {
  const part = plainText(value)
  return attributeNamePartShape.test(part) ? part : replaceValue('attribute', value, 'unsafe-part')
}

/** Escapes a value in `srcdoc`, an attribute that contains a document. Escapes text, and keeps safe HTML as markup. */
export const documentText: (value: Printable) => string = escapeText

/** Returns the attribute ` nonce="…"` for an inline script or style; an empty text if the response has no nonce. */
export function nonceAttribute(helper: { readonly cspNonce: string }): string {
  const nonce = helper.cspNonce
  return nonce === '' ? '' : ` nonce="${escapeHtml(nonce)}"`
}

const illegalInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** Escapes a value in XML text or an XML attribute. Removes characters that XML 1.0 does not allow. */
export function escapeXml(value: Printable): string {
  return escapeText(value).replace(illegalInXml, '').toWellFormed()
}
