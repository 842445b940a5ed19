/** The body of one request. It is read once, and available as bytes, text, JSON, XML or form fields. */
import { HttpError, isPromise, type MaybePromise } from '../base.ts'
import { charsetOf, parseContentType, type ContentType } from './content-type.ts'
import type { HttpRequest } from './http-request.ts'
import { parseJson } from './json.ts'
import { parseQuery, type FieldMap } from './query.ts'
import { parseXml } from './xml.ts'

const defaultLimit = 1024 * 1024

/**
 * The body of a request. Its methods may be called repeatedly and in any order. They return a promise unless the body is
 * empty, or has arrived in a container with `arrivedBytes`. A body with a `Content-Encoding` is rejected.
 * @spec Response helpers › Other request facilities
 */
export class RequestBody {
  readonly #request: HttpRequest
  readonly #limit: number
  #bytes: MaybePromise<Uint8Array> | undefined
  #form: MaybePromise<FieldMap> | undefined

  /** `limit` is the maximum number of bytes; default 1 MiB. */
  constructor(request: HttpRequest, limit: number = defaultLimit) {
    this.#request = request
    this.#limit = limit
  }

  /** The parsed `Content-Type`; undefined when the header is missing or malformed. */
  get contentType(): ContentType | undefined {
    return parseContentType(this.#request.header('content-type') ?? '')
  }

  /** The result of `bytes`; undefined before the first call of a reading method. */
  get startedRead(): MaybePromise<Uint8Array> | undefined {
    return this.#bytes
  }

  /**
   * Reads the body as bytes.
   * @throws HttpError 413 `http.body-too-large`, 415 `http.content-encoding`, 499 `http.body-aborted`
   */
  bytes(): MaybePromise<Uint8Array> {
    return (this.#bytes ??= this.#begin())
  }

  /**
   * Reads the body as text in the declared charset, UTF-8 by default, without a byte order mark. The text of an empty
   * body is ''.
   * @throws as `bytes`; HttpError 415 `http.charset-unsupported`; 400 `http.body-invalid` for bytes invalid in the
   * charset
   */
  text(): MaybePromise<string> {
    return convert(this.bytes(), (bytes) => decodeText(bytes, this.#charset() ?? 'utf-8'))
  }

  /**
   * Reads the body as JSON, with the limits of `parseJson`.
   * @throws as `bytes`; HttpError 415 `http.content-type-invalid` unless the type is `application/json` or ends in
   * `+json`, in UTF-8; 400 `http.json-invalid`
   */
  json(): MaybePromise<unknown> {
    this.#requireUtf8Type(isJsonType, 'application/json')
    return convert(this.bytes(), (bytes) => parseJson(decodeText(bytes, 'utf-8')))
  }

  /**
   * Reads the body as XML, and returns the content of its root element as a plain value: see `parseXml`.
   * @throws as `bytes`; HttpError 415 `http.content-type-invalid` unless the type is `application/xml`, `text/xml` or
   * `application/…+xml`, in UTF-8; 400 `http.xml-invalid`
   */
  xml(): MaybePromise<unknown> {
    this.#requireUtf8Type(isXmlType, 'application/xml')
    return convert(this.bytes(), (bytes) => parseXml(decodeText(bytes, 'utf-8')))
  }

  #requireUtf8Type(isType: (type: string) => boolean, name: string): void {
    const { contentType } = this
    if (contentType === undefined || !isType(contentType.essence))
      throw new HttpError(415, 'http.content-type-invalid', `The body must be ${name}.`)
    requireUtf8(contentType)
  }

  /**
   * Reads the fields of an `application/x-www-form-urlencoded` body; no fields for any other type.
   * @throws as `bytes`; HttpError 400 `http.query-invalid`; 415 for a malformed Content-Type or a charset other than
   * UTF-8
   */
  form(): MaybePromise<FieldMap> {
    return (this.#form ??= this.#readForm())
  }

  #readForm(): MaybePromise<FieldMap> {
    if (this.#request.body.isEmpty) return new Map()
    const { contentType } = this
    if (contentType === undefined && this.#request.header('content-type') !== undefined) {
      throw new HttpError(415, 'http.content-type-invalid', 'The Content-Type header is malformed.')
    }
    if (contentType?.essence !== 'application/x-www-form-urlencoded') return new Map()
    requireUtf8(contentType)
    return convert(this.bytes(), parseForm)
  }

  /** Begins to read. A later call rejects with the error of a read that has failed at once. */
  #begin(): MaybePromise<Uint8Array> {
    try {
      return this.#read()
    } catch (error) {
      const problem = error as Error
      const failed = Promise.reject(problem)
      failed.catch(() => {})
      this.#bytes = failed
      throw problem
    }
  }

  #read(): MaybePromise<Uint8Array> {
    const { body } = this.#request
    if (body.isEmpty) return new Uint8Array(0)
    const problem = encodingProblem(this.#request)
    if (problem !== undefined) throw problem
    return body.arrivedBytes?.(this.#limit) ?? body.bytes(this.#limit)
  }

  #charset(): string | undefined {
    const charset = this.contentType && charsetOf(this.contentType)
    if (charset === undefined) return undefined
    try {
      return new TextDecoder(charset).encoding
    } catch {
      throw unsupported(charset)
    }
  }
}

function convert<R>(
  bytes: MaybePromise<Uint8Array>,
  work: (bytes: Uint8Array) => R,
): MaybePromise<R> {
  return isPromise(bytes) ? bytes.then(work) : work(bytes)
}

function parseForm(bytes: Uint8Array): FieldMap {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const fields = parseQuery(text)
  return /%0d|\r/i.test(text) ? unifyLineBreaks(fields) : fields
}

/** Replaces CR LF, which browsers send for each line break of a form's text, by LF. */
function unifyLineBreaks(fields: FieldMap): FieldMap {
  for (const values of fields.values())
    for (const [at, value] of values.entries()) values[at] = value.replaceAll('\r\n', '\n')
  return fields
}

/** Returns the error for a compressed body, 415 `http.content-encoding`; undefined for any other body. */
export function encodingProblem(request: HttpRequest): HttpError | undefined {
  const encoding = request.header('content-encoding')
  if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return undefined
  return new HttpError(415, 'http.content-encoding', 'Send the body without a Content-Encoding.')
}

const xmlType = /^(?:application|text)\/xml$|^application\/.*\+xml$/

/** Returns true for a media type (lower case, without parameters) that `RequestBody.json` reads. */
export const isJsonType = (type: string): boolean =>
  type === 'application/json' || type.endsWith('+json')

/** Returns true for a media type (lower case, without parameters) that `RequestBody.xml` reads. */
export const isXmlType = (type: string): boolean => xmlType.test(type)

// The standards of JSON, XML and forms prescribe UTF-8. Decoding with another charset would change the values.
function requireUtf8(contentType: ContentType): void {
  const charset = charsetOf(contentType)
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') throw unsupported(charset)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decodeText(bytes: Uint8Array, charset: string): string {
  try {
    const decoder = charset === 'utf-8' ? utf8 : new TextDecoder(charset, { fatal: true })
    return decoder.decode(bytes)
  } catch {
    throw new HttpError(400, 'http.body-invalid', `The body is not ${charset} text.`)
  }
}

function unsupported(charset: string): HttpError {
  return new HttpError(
    415,
    'http.charset-unsupported',
    `The charset ${JSON.stringify(charset.slice(0, 40))} is not supported: send UTF-8.`,
  )
}
