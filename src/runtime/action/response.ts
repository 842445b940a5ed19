/** The response of an action: `this.response`, with representations, files, streams and conditions. */
import { HttpError } from '../base.ts'
import {
  addVary,
  entityTag,
  evaluatePreconditions,
  eventStream,
  fileResponse,
  httpDate,
  HttpResponse,
  stringifyJson,
  toXml,
  writerBody,
  type ChunkWriter,
  type EventStreamOptions,
  type FileOptions,
  type ServerSentEvent,
  type StreamedBody,
  type XmlNames,
} from '../http.ts'
import { toSnakeCase } from '../params.ts'
import { addCharset, contentTypeOf, formats } from './format.ts'
import type { RequestParams } from './request-params.ts'
import { createHalt } from './signals.ts'

/** A function for each format: `{ html: () => …, json: () => … }`. The first wins among equal choices. */
export type Representations = Readonly<Record<string, () => unknown>>

interface KeyOptions {
  /** `userName` is written `user_name`; default true. Keys that begin with `_` do not change. */
  readonly underscoreKeys?: boolean
}

/** How `response.json` writes. */
export interface JsonOptions extends KeyOptions {
  /** Two spaces for each level. */
  readonly prettify?: boolean
}

/** The version of a response. */
export interface Freshness {
  /** Any text that changes with the content. It is sent unchanged, or hashed when no tag can contain it. */
  readonly etag?: string
  /** The same version means the same content, not the same bytes. */
  readonly weak?: boolean
  readonly lastModified?: Date | { readonly epochMilliseconds: number }
}

/** A source of server-sent events; a text is the `data` of its event. */
export type ServerSentEvents = AsyncIterable<ServerSentEvent | string>

const underscoreKey = (key: string): string =>
  key.startsWith('_') ? key : toSnakeCase(key.replace(/[- ]/g, '_'))

/** The response of an action. @spec Response helpers */
export class FwResponse extends HttpResponse {
  /** The layout of the page: absent for the default, false for none. */
  layout: string | false | undefined
  readonly #params: RequestParams

  constructor(params: RequestParams) {
    super()
    this.#params = params
  }

  /** Sets `Content-Type` unless the response has one. */
  defaultType(type: string): void {
    if (!this.headers.has('content-type')) this.headers.append('Content-Type', type)
  }

  /**
   * Calls the function of the format that the client wants: by the path's suffix or `format`, else by `Accept`.
   * @throws HttpError 406 `feature.not-acceptable` when it accepts none of them
   */
  respondTo<R extends Representations>(representations: R): ReturnType<R[keyof R]> {
    const offered = Object.keys(representations)
    const format = this.#chooseFormat(offered)
    if (format === undefined)
      throw new HttpError(
        406,
        'feature.not-acceptable',
        `The resource is only available as ${offered.join(', ')}.`,
      )
    this.#params.format = format
    return representations[format]!() as ReturnType<R[keyof R]>
  }

  #chooseFormat(offered: readonly string[]): string | undefined {
    const { requestedFormat, request } = this.#params
    if (requestedFormat !== undefined) {
      if (offered.includes(requestedFormat)) return requestedFormat
      if (formats.typeOf(requestedFormat) !== undefined) return undefined
    }
    addVary(this.headers, 'Accept')
    return formats.best(request.http.header('accept'), offered)
  }

  /** The value as JSON, typed `application/json` unless the response has a type. */
  json(value: unknown, options: JsonOptions = {}): string {
    const { underscoreKeys = true, prettify = false } = options
    this.defaultType(contentTypeOf('json'))
    return stringifyJson(value, { prettify, ...(underscoreKeys ? { key: underscoreKey } : {}) })
  }

  /** The value as XML with the keys of `json`, typed `application/xml` unless the response has a type. */
  xml(value: unknown, options: XmlNames & KeyOptions = {}): string {
    const { underscoreKeys = true, ...names } = options
    this.defaultType(contentTypeOf('xml'))
    return toXml(value, underscoreKeys ? { ...names, key: underscoreKey } : names)
  }

  /**
   * Sets the version of the response. When the request's conditions decide, the action stops here: with 304 for a client
   * that has this version, with 412 for a change of another version.
   */
  freshWhen({ etag: version, weak = false, lastModified: moment }: Freshness): void {
    const etag = version === undefined ? undefined : entityTag(version, weak)
    const lastModified =
      moment === undefined || moment instanceof Date ? moment : new Date(moment.epochMilliseconds)
    if (etag !== undefined) this.headers.set('ETag', etag)
    if (lastModified !== undefined) this.headers.set('Last-Modified', httpDate(lastModified))
    const result = evaluatePreconditions(this.#params.request.http, { etag, lastModified })
    if (result !== 'proceed') throw createHalt({ status: result })
  }

  /**
   * A file with its type, version and ranges. Pass `root` for a name that comes from a client.
   * @throws HttpError 404 `feature.file-not-found`
   */
  async sendFile(path: string, options?: FileOptions): Promise<HttpResponse> {
    const response = await fileResponse(this.#params.request.http, path, options)
    if (response !== undefined) return response
    throw new HttpError(404, 'feature.file-not-found', 'The file does not exist.')
  }

  /**
   * Sends each chunk as it comes, with back-pressure, after the filters and the commit. `signal` is aborted when the
   * client goes away. The type is that of a text; set another one for bytes.
   */
  stream(source: StreamedBody | ((signal: AbortSignal) => StreamedBody)): StreamedBody {
    if (this.headers.has('content-type')) addCharset(this)
    else this.defaultType(contentTypeOf(this.#params.textFormat))
    return typeof source === 'function' ? source(this.#params.request.http.signal) : source
  }

  /** As `stream`, for code that writes: `await out.writeChunk(bytes)` waits until there is room. */
  withOutputStream(work: (out: ChunkWriter, signal: AbortSignal) => Promise<void>): StreamedBody {
    return this.stream((signal) => writerBody((out) => work(out, signal)))
  }

  /** Server-sent events; `lastEventId` is the last event that a reconnecting browser has received. */
  sse(
    events:
      | ServerSentEvents
      | ((signal: AbortSignal, lastEventId: string | undefined) => ServerSentEvents),
    options?: EventStreamOptions,
  ): StreamedBody {
    const { http } = this.#params.request
    this.headers.set('Content-Type', 'text/event-stream; charset=utf-8')
    this.headers.set('Cache-Control', 'no-cache, no-transform')
    // Stops buffering proxies, such as nginx, from delaying events.
    this.headers.set('X-Accel-Buffering', 'no')
    const source =
      typeof events === 'function' ? events(http.signal, http.header('last-event-id')) : events
    return eventStream(source, options)
  }
}
