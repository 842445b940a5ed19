/** Content-Disposition values that carry any file name safely (RFC 6266, RFC 8187). */

/**
 * `attachment`, with the file name when one is given. Only the last path segment is kept, control characters are dropped;
 * a name outside ASCII is sent twice: a readable ASCII form and the exact one.
 * @spec Endpoints › File download endpoint
 */
export function attachment(fileName?: string): string {
  return disposition('attachment', fileName)
}

/** `inline`, else as `attachment`. */
export function inline(fileName?: string): string {
  return disposition('inline', fileName)
}

function disposition(type: string, fileName: string | undefined): string {
  const name = fileName === undefined ? '' : safeName(fileName)
  if (name === '') return type
  const ascii = name.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\%]/g, '_')
  const quoted = `${type}; filename="${ascii}"`
  return ascii === name ? quoted : `${quoted}; filename*=UTF-8''${encodeExtended(name)}`
}

function safeName(fileName: string): string {
  const last = fileName.slice(Math.max(fileName.lastIndexOf('/'), fileName.lastIndexOf('\\')) + 1)
  return last
    .toWellFormed()
    .replace(/[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '')
}

// encodeURIComponent leaves ' ( ) * as they are; RFC 8187 does not allow them.
function encodeExtended(name: string): string {
  return encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => '%' + character.charCodeAt(0).toString(16).toUpperCase(),
  )
}
