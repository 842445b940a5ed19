/** The path of a request, decoded once into an immutable value. */
import { HttpError } from '../base.ts'

/** Matches characters that need decoding or validation, and a dot at the start of a segment. */
const needsCare = /[^!"$&->@-[\]-~]|\/\./
const encodedSlash = /%2f/gi
const control = /[\u0001-\u001f\u007f-\u009f]/
const dotSegment = /(?:^|[/\0])\.\.?(?:[/\0]|$)/

/**
 * A decoded path; `parsePath` creates it. `raw` is the text as received, `key` the decoded text that routes match.
 * `key` contains U+0000 for each encoded slash, so that `%2F` does not separate segments. `parsePath` rejects a path
 * with a real NUL.
 */
export class RequestPath {
  readonly raw: string
  readonly key: string
  readonly #hasEncodedSlash: boolean
  #segments: readonly string[] | undefined

  constructor(raw: string, key: string) {
    this.raw = raw
    this.key = key
    this.#hasEncodedSlash = raw !== key && key.includes('\0')
    this.#segments = undefined
  }

  /** The decoded path for display, with a slash for each encoded slash. */
  get text(): string {
    return this.restoreSlashes(this.key)
  }

  /** The decoded segments after the first slash. For `/`, and after a trailing slash, the last segment is empty. */
  get segments(): readonly string[] {
    this.#segments ??= Object.freeze(
      this.key
        .slice(1)
        .split('/')
        .map((part) => this.restoreSlashes(part)),
    )
    return this.#segments
  }

  /** Replaces each U+0000, which marks an encoded slash in `key`, with a slash. */
  restoreSlashes(part: string): string {
    return this.#hasEncodedSlash ? part.replaceAll('\0', '/') : part
  }
}

/**
 * Decodes the path of a request target, without its query. Does not normalise the path: `;` and repeated slashes are
 * text.
 * @throws HttpError 400 `http.path-invalid` for a path that does not begin with `/`, a raw `?` or `#`, NUL, a control
 * character, a backslash, a `.` or `..` segment (each raw or encoded), and percent-encoding that is not UTF-8
 * @spec Endpoints, filters › Route declaration
 */
export function parsePath(raw: string): RequestPath {
  if (raw.startsWith('/') && !needsCare.test(raw)) return new RequestPath(raw, raw)
  if (!raw.startsWith('/')) throw invalidPath('does not begin with "/"')
  if (raw.includes('?') || raw.includes('#'))
    throw invalidPath('contains a "?" or "#" that is not percent-encoded')
  if (raw.includes('\0') || raw.includes('%00')) throw invalidPath('contains a NUL character')
  const key = decode(raw)
  if (control.test(key)) throw invalidPath('contains a control character')
  if (key.includes('\\')) throw invalidPath('contains a backslash')
  if (dotSegment.test(key)) throw invalidPath('contains a "." or ".." segment')
  return new RequestPath(raw, key)
}

function decode(raw: string): string {
  if (!raw.isWellFormed()) throw invalidPath('contains half a surrogate pair')
  try {
    return decodeURIComponent(raw.replace(encodedSlash, '%00'))
  } catch {
    throw invalidPath('is not percent-encoded UTF-8')
  }
}

function invalidPath(what: string): HttpError {
  return new HttpError(400, 'http.path-invalid', `The path of the URL ${what}.`)
}
