/** The body of one request, read once and kept: as bytes, text, JSON or form fields. */
import { HttpError } from '../base.ts'
import type { ContentType } from './content-type.ts'
import { charsetOf, parseContentType } from './content-type.ts'
import type { HttpRequest } from './http-request.ts'
import { parseJson } from './json.ts'
import { parseXml } from './parse-xml.ts'
import type { FieldMap } from './query.ts'
import { parseQuery } from './query.ts'

const defaultLimit = 1024 * 1024

/**
 * Each accessor may be called in any order and any number of times. A body with a `Content-Encoding` is refused.
 * @spec Response helpers › Other request facilities
 */
export class RequestBody {
  readonly #request: HttpRequest
  readonly #limit: number
  #bytes: Promise<Uint8Array> | undefined
  #form: Promise<FieldMap> | undefined
  #contentType: ContentType | undefined | false = false

  /** `limit` in bytes, 1 MiB by default. */
  constructor(request: HttpRequest, limit: number = defaultLimit) {
    this.#request = request
    this.#limit = limit
  }

  /** Undefined when the header is absent or malformed. */
  get contentType(): ContentType | undefined {
    if (this.#contentType === false) {
      const header = this.#request.header('content-type')
      this.#contentType = header === undefined ? undefined : parseContentType(header)
    }
    return this.#contentType
  }

  /** What `bytes` gave, if it or another accessor was called. */
  get begun(): Promise<Uint8Array> | undefined {
    return this.#bytes
  }

  /**
   * @throws HttpError 413 `http.body-too-large`, 415 `http.content-encoding`, 400 `http.body-aborted`
   */
  bytes(): Promise<Uint8Array> {
    return (this.#bytes ??= this.#read())
  }

  /**
   * Decoded by the declared charset, UTF-8 without one; '' for an empty body. A byte order mark is dropped.
   * @throws as `bytes`; HttpError 415 `http.charset-unsupported`; 400 `http.body-invalid` for bytes that are no text of it
   */
  async text(): Promise<string> {
    return decodeText(await this.bytes(), this.#charset() ?? 'utf-8')
  }

  /**
   * The parsed value. Nested deeper than 64, a key `__proto__`, or `constructor.prototype` is refused.
   * @throws as `bytes`; HttpError 415 `http.content-type-invalid` unless the type is `application/json` or ends in `+json`,
   * in UTF-8; 400 `http.json-invalid`
   */
  async json(): Promise<unknown> {
    return parseJson(await this.#utf8(isJsonType, 'application/json'))
  }

  /**
   * What the document's root holds, as JSON would have it: see `parseXml`.
   * @throws as `bytes`; HttpError 415 `http.content-type-invalid` unless the type is `application/xml`, `text/xml` or
   * `application/…+xml`, in UTF-8; 400 `http.xml-invalid`
   */
  async xml(): Promise<unknown> {
    return parseXml(await this.#utf8(isXmlType, 'application/xml'))
  }

  async #utf8(isType: (type: string) => boolean, name: string): Promise<string> {
    const { contentType } = this
    if (contentType === undefined || !isType(contentType.essence))
      throw new HttpError(415, 'http.content-type-invalid', `The body must be ${name}.`)
    requireUtf8(contentType)
    return decodeText(await this.bytes(), 'utf-8')
  }

  /**
   * The fields of an `application/x-www-form-urlencoded` body; empty for any other type.
   * @throws as `bytes`; HttpError 400 `http.query-invalid`; 415 for a malformed Content-Type or a charset other than UTF-8
   */
  form(): Promise<FieldMap> {
    return (this.#form ??= this.#readForm())
  }

  async #readForm(): Promise<FieldMap> {
    if (this.#request.body.isEmpty) return new Map()
    const { contentType } = this
    if (contentType === undefined && this.#request.header('content-type') !== undefined) {
      throw new HttpError(415, 'http.content-type-invalid', 'The Content-Type header is malformed.')
    }
    if (contentType?.essence !== 'application/x-www-form-urlencoded') return new Map()
    requireUtf8(contentType)
    const bytes = await this.bytes()
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
    return parseQuery(text)
  }

  // No asynchronous function: the promise is handed on as it is.
  #read(): Promise<Uint8Array> {
    const { body } = this.#request
    if (body.isEmpty) return Promise.resolve(new Uint8Array(0))
    const problem = encodingProblem(this.#request)
    return problem === undefined ? body.bytes(this.#limit) : Promise.reject(problem)
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

/** @throws HttpError 415 `http.content-encoding` when the body is compressed */
export function refuseEncoding(request: HttpRequest): void {
  const problem = encodingProblem(request)
  if (problem !== undefined) throw problem
}

function encodingProblem(request: HttpRequest): HttpError | undefined {
  const encoding = request.header('content-encoding')
  if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return undefined
  return new HttpError(415, 'http.content-encoding', 'Send the body without a Content-Encoding.')
}

const jsonType = /^application\/json$|\+json$/
const xmlType = /^(?:application|text)\/xml$|^application\/.*\+xml$/

/** Whether a media type, in lower case and without parameters, is one that `json` reads. */
export const isJsonType = (type: string): boolean => jsonType.test(type)

/** As `isJsonType`, for `xml`. */
export const isXmlType = (type: string): boolean => xmlType.test(type)

// JSON, XML and forms have one charset each by their standards: in another the same bytes would be other values.
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
