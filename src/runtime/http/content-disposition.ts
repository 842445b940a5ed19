/** Content-Disposition values, safe for any file name (RFC 6266, RFC 8187). */

/**
 * `attachment`, with the last segment of `fileName`, without control characters. A name outside ASCII is sent twice:
 * in a readable ASCII form and exactly.
 * @spec Endpoints › File download endpoint
 */
export function attachment(fileName?: string): string {
  return formatDisposition('attachment', fileName)
}

/** As `attachment`, with `inline`. */
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
