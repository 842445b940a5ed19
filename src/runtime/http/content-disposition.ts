/** Builds Content-Disposition values that are safe for any file name (RFC 6266, RFC 8187). */

/**
 * Returns an `attachment` value with the last path segment of `fileName`, without control characters. A name with
 * characters outside ASCII is included twice: once in ASCII with `_` for other characters, and once exactly.
 * @spec Endpoints › File download endpoint
 */
export function attachment(fileName?: string): string {
  return formatDisposition('attachment', fileName)
}

/** Returns a value like that of `attachment`, with the type `inline`. */
export function inline(fileName?: string): string {
  return formatDisposition('inline', fileName)
}

function formatDisposition(type: string, fileName: string | undefined): string {
  const name = fileName === undefined ? '' : sanitizeName(fileName)
  if (name === '') return type
  const ascii = name.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\%]/g, '_')
  const quoted = `${type}; filename="${ascii}"`
  return ascii === name ? quoted : `${quoted}; filename*=UTF-8''${encodeExtended(name)}`
}

function sanitizeName(fileName: string): string {
  const last = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1)
  return last
    .toWellFormed()
    .replace(/[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '')
}

// RFC 8187 does not allow the characters ' ( ) *, which encodeURIComponent does not encode.
function encodeExtended(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => '%' + character.charCodeAt(0).toString(16).toUpperCase(),
  )
}
