/** `FwResponse`: the response of an action, with methods for representations, files, streams and preconditions. */
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
import type { TakeOver } from '../server.ts'
import { addCharset, addDefaultType, contentTypeOf, formats } from './format.ts'
import type { RequestParams } from './request-params.ts'
import { Halt } from './halt.ts'

/**
 * The functions that create the result, by format: `{ html: () => …, json: () => … }`. If the
 * client accepts several equally, the first wins.
 */
export type Representations = Readonly<Record<string, () => unknown>>

interface KeyOptions {
  /** True (the default) writes the key `userName` as `user_name`. Keys that begin with `_` do not change. */
  readonly underscoreKeys?: boolean
}

export interface JsonOptions extends KeyOptions {
  /** True indents each level by two spaces. */
  readonly prettify?: boolean
}

/** The version of a response, by which conditional requests get 304 or 412. */
export interface Freshness {
  /** A text that changes with the content. It is hashed if it contains characters that an entity tag cannot have. */
  readonly etag?: string
  /** True for a weak entity tag: an equal tag means equivalent content, but perhaps different bytes. */
  readonly weak?: boolean
  readonly lastModified?: Date | { readonly epochMilliseconds: number }
}

/** A source of server-sent events; a text becomes the `data` of an event. */
export type ServerSentEvents = AsyncIterable<ServerSentEvent | string>

const underscoreKey = (key: string): string =>
  key.startsWith('_') ? key : toSnakeCase(key.replace(/[- ]/g, '_'))

/** The response of an action. @spec Response helpers */
export class FwResponse extends HttpResponse {
  /** The layout of the page: undefined for the default layout, false for none. */
  layout: string | false | undefined
  readonly #params: RequestParams

  constructor(params: RequestParams) {
    super()
    this.#params = params
  }

  /** Sets `Content-Type` unless the response has one. @throws FwError `http.header-invalid` */
  defaultType(type: string): void {
    if (!this.headers.has('content-type')) this.headers.append('Content-Type', type)
  }

  /**
   * Calls the function of the format that the client requests by the path's suffix, the parameter `format`, or `Accept`.
   * @throws HttpError 406 `feature.not-acceptable` if the client accepts none of the formats
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

  /** Converts the value to JSON, and sets the type `application/json` unless the response has a type. */
  json(value: unknown, options: JsonOptions = {}): string {
    const { underscoreKeys = true, prettify = false } = options
    addDefaultType(this, contentTypeOf('json'))
    return stringifyJson(value, { prettify, ...(underscoreKeys ? { key: underscoreKey } : {}) })
  }

  /** Converts the value to XML with the keys of `json`, and sets the type `application/xml` if there is none. */
  xml(value: unknown, options: XmlNames & KeyOptions = {}): string {
    const { underscoreKeys = true, ...names } = options
    addDefaultType(this, contentTypeOf('xml'))
    return toXml(value, underscoreKeys ? { ...names, key: underscoreKey } : names)
  }

  /**
   * Sets the version of the response, and evaluates the conditional headers of the request. Ends the action with 304 if the
   * client already has this version, and with 412 if the client tries to change another version.
   */
  freshWhen({ etag: version, weak = false, lastModified: moment }: Freshness): void {
    const etag = version === undefined ? undefined : entityTag(version, weak)
    const lastModified =
      moment === undefined || moment instanceof Date ? moment : new Date(moment.epochMilliseconds)
    const headers = {
      ...(etag === undefined ? {} : { ETag: etag }),
      ...(lastModified === undefined ? {} : { 'Last-Modified': httpDate(lastModified) }),
    }
    for (const [name, value] of Object.entries(headers)) this.headers.set(name, value)
    const result = evaluatePreconditions(this.#params.request.http, { etag, lastModified })
    if (result !== 'proceed') throw new Halt({ status: result, headers })
  }

  /**
   * Returns the response for a file, with its media type, its version and support for ranges. Pass `root` if the name comes
   * from a client.
   * @throws HttpError 404 `feature.file-not-found`
   */
  async sendFile(path: string, options?: FileOptions): Promise<HttpResponse> {
    const response = await fileResponse(this.#params.request.http, path, options)
    if (response !== undefined) return response
    throw new HttpError(404, 'feature.file-not-found', 'The file does not exist.')
  }

  /**
   * Returns a streamed body: each chunk is sent when it is available, with back-pressure, after the filters and the commit.
   * `signal` is aborted when the client disconnects. The default type is that of a text; set another one for bytes. The header
   * `X-Accel-Buffering: no` prevents nginx from collecting the chunks.
   */
  stream(source: StreamedBody | ((signal: AbortSignal) => StreamedBody)): StreamedBody {
    if (this.headers.has('content-type')) addCharset(this)
    else addDefaultType(this, contentTypeOf(this.#params.textFormat))
    if (!this.headers.has('x-accel-buffering')) this.headers.append('X-Accel-Buffering', 'no')
    return typeof source === 'function' ? source(this.#params.request.http.signal) : source
  }

  /** Returns a streamed body that `work` writes: `await out.writeChunk(bytes)` waits until the client can receive more. */
  withOutputStream(work: (out: ChunkWriter, signal: AbortSignal) => Promise<void>): StreamedBody {
    return this.stream((signal) => writerBody((out) => work(out, signal)))
  }

  /**
   * Accepts a WebSocket: after the filters and the commit, `takeOver` gets the connection and passes it to a library such as ws,
   * which responds to the handshake. Headers and cookies of this response are not sent. Fw responds 426 to a request without a
   * handshake, 501 if the server supports no WebSockets, and 503 if the server is stopping. Like an unsafe request, a handshake
   * from another origin is refused before the first filter.
   */
  upgrade(takeOver: TakeOver): void {
    this.status = 101
    this.switchTo = takeOver
  }

  /** Returns a body of server-sent events. `lastEventId` is the id of the last event that a reconnecting browser received. */
  sse(
    events:
      | ServerSentEvents
      | ((signal: AbortSignal, lastEventId: string | undefined) => ServerSentEvents),
    options?: EventStreamOptions,
  ): StreamedBody {
    const { http } = this.#params.request
    this.headers.set('Content-Type', 'text/event-stream; charset=utf-8')
    this.headers.set('Cache-Control', 'private, no-cache, no-transform')
    // Prevents buffering proxies, such as nginx, from delaying events.
    this.headers.set('X-Accel-Buffering', 'no')
    const source =
      typeof events === 'function' ? events(http.signal, http.header('last-event-id')) : events
    return eventStream(source, options)
  }
}
