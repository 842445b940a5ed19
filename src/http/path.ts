/** The path of a request, decoded once into one immutable value that everything after reads. */
import { HttpError } from '../base.ts'

/**
 * What asks for a closer look: anything but ASCII that stands for itself, and a dot that begins a
 * segment.
 */
const notable = /[^!"$&->@-[\]-~]|\/\./
const encodedSlash = /%2f/gi
const control = /[\u0001-\u001f\u007f-\u009f]/
const dotSegment = /(?:^|[/\0])\.\.?(?:[/\0]|$)/

/**
 * A decoded path, made by `parsePath`.
 *
 * `raw` is the text as it came, `key` the text that routes are matched against: decoded, but with
 * U+0000 in the place of each encoded slash, so that `%2F` separates nothing. No path holds a NUL
 * of its own.
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

  /** The decoded text, for people: an encoded slash looks like any other. */
  get text(): string {
    return this.textOf(this.key)
  }

  /**
   * The decoded segments after the first slash; `/` has one, the empty one, and a trailing slash
   * ends with one.
   */
  get segments(): readonly string[] {
    this.#segments ??= Object.freeze(
      this.key
        .slice(1)
        .split('/')
        .map((part) => this.textOf(part)),
    )
    return this.#segments
  }

  /** The text that a part of the key stands for: encoded slashes are slashes again. */
  textOf(part: string): string {
    return this.#hasEncodedSlash ? part.replaceAll('\0', '/') : part
  }
}

/**
 * Decodes the path of a request target: without the query, characters beyond ASCII as themselves or
 * percent-encoded. Nothing is normalised: `;` and repeated slashes are ordinary text.
 *
 * @throws HttpError 400 `http.path-invalid` for a path that does not begin with `/`, a raw `?` or
 * `#`, NUL, a control character, a backslash, a `.` or `..` segment (each raw or encoded) and
 * percent-encoding that is not UTF-8.
 * @spec Endpoints, filters › Route declaration
 */
export function parsePath(raw: string): RequestPath {
  if (raw.startsWith('/') && !notable.test(raw)) return new RequestPath(raw, raw)
  if (!raw.startsWith('/')) throw refused('does not begin with "/"')
  if (raw.includes('?') || raw.includes('#'))
    throw refused('holds a "?" or "#" that is not percent-encoded')
  if (raw.includes('\0') || raw.includes('%00')) throw refused('holds a NUL character')
  const key = decode(raw)
  if (control.test(key)) throw refused('holds a control character')
  if (key.includes('\\')) throw refused('holds a backslash')
  if (dotSegment.test(key)) throw refused('holds a "." or ".." segment')
  return new RequestPath(raw, key)
}

function decode(raw: string): string {
  if (!raw.isWellFormed()) throw refused('holds half a character')
  try {
    return decodeURIComponent(raw.replace(encodedSlash, '%00'))
  } catch {
    throw refused('is not percent-encoded UTF-8')
  }
}

function refused(what: string): HttpError {
  return new HttpError(400, 'http.path-invalid', `The path of the URL ${what}.`)
}
