/** Gives a controller its ways to answer beyond pages: representations, files, streams and conditions. */
import {
  contentTypeOf,
  formats,
  type ControllerClass,
  type Ctor,
  type FwContext,
} from '../action.ts'
import { HttpError } from '../base.ts'
import {
  addVary,
  entityTag,
  eventStream,
  fileResponse,
  httpDate,
  jsonText,
  judge,
  toXml,
  writtenBody,
  type ChunkWriter,
  type EventStreamOptions,
  type FileOptions,
  type HttpResponse,
  type ServerSentEvent,
  type StreamedBody,
  type XmlNames,
} from '../http.ts'
import { toSnakeCase } from '../params.ts'

/** Makes the answer in one format each: `{ html: () => …, json: () => … }`; the first is the server's favourite. */
export type Representations = Readonly<Record<string, () => unknown>>

/** How `responseAsJSON` writes. */
export interface JsonOptions {
  /** `userName` is written `user_name`; true unless given. Keys that begin with `_` stay. */
  readonly underscoreKeys?: boolean
  /** Two blanks for each level. */
  readonly prettify?: boolean
}

/** What names the version of an answer. */
export interface Freshness {
  /** Any text that changes with the content; sent as it is, or hashed when no tag can hold it. */
  readonly etag?: string
  /** The version means the same, not the same bytes. */
  readonly weak?: boolean
  readonly lastModified?: Date | { readonly epochMilliseconds: number }
}

/** What `Responding` adds. */
export interface HasResponding {
  /**
   * Calls the one that the client wants: by the path's suffix or `format`, else by `Accept`.
   * @throws HttpError 406 `feature.not-acceptable` when it wants none of them
   */
  respondTo<R extends Representations>(representations: R): ReturnType<R[keyof R]>
  /** The value as JSON, typed `application/json` unless the response has a type. */
  responseAsJSON(value: unknown, options?: JsonOptions): string
  /** The value as XML, typed `application/xml` unless the response has a type. */
  responseAsXML(value: unknown, names?: XmlNames): string
  /** Names the answer's version; a client that has it is answered at once: 304, or 412 where it wanted to change another. */
  freshWhen(version: Freshness): void
  /**
   * A file with its type, version and ranges. Give `root` for a name that comes from a client.
   * @throws HttpError 404 `feature.file-not-found`
   */
  sendFile(path: string, options?: FileOptions): Promise<HttpResponse>
  /**
   * Sends what comes, as it comes and as the client takes it: after the filters and the commit. `signal` is aborted
   * when the client goes away. Typed as a text would be; set the type for bytes.
   */
  stream(source: StreamedBody | ((signal: AbortSignal) => StreamedBody)): StreamedBody
  /** As `stream`, for code that writes: `await out.writeChunk(bytes)` waits until there is room. */
  withOutputStream(work: (out: ChunkWriter, signal: AbortSignal) => Promise<void>): StreamedBody
  /** Server-sent events; `lastEventId` is what a browser that connects again has seen last. */
  sse(
    events:
      | ServerSentEvents
      | ((signal: AbortSignal, lastEventId: string | undefined) => ServerSentEvents),
    options?: EventStreamOptions,
  ): StreamedBody
}

/** Where server-sent events come from; a text is the `data` of its event. */
export type ServerSentEvents = AsyncIterable<ServerSentEvent | string>

function typed({ response }: FwContext, type: string): void {
  if (!response.headers.has('content-type')) response.headers.append('Content-Type', type)
}

function chosenFormat(ctx: FwContext, offered: readonly string[]): string | undefined {
  const given = ctx.givenFormat
  if (given !== undefined && (offered.includes(given) || formats.typeOf(given) !== undefined))
    return offered.includes(given) ? given : undefined
  addVary(ctx.response.headers, 'Accept')
  return formats.best(ctx.request.http.header('accept'), offered)
}

const underscored = (key: string): string =>
  key.startsWith('_') ? key : toSnakeCase(key.replace(/[- ]/g, '_'))

const dateOf = (moment: NonNullable<Freshness['lastModified']>): Date =>
  moment instanceof Date ? moment : new Date(moment.epochMilliseconds)

/** @spec Response helpers */
export const Responding = <B extends ControllerClass>(Base: B): B & Ctor<HasResponding> => {
  abstract class Responding extends Base implements HasResponding {
    respondTo<R extends Representations>(representations: R): ReturnType<R[keyof R]> {
      const offered = Object.keys(representations)
      const format = chosenFormat(this.ctx, offered)
      if (format === undefined)
        throw new HttpError(
          406,
          'feature.not-acceptable',
          `There is no such representation: ask for ${offered.join(', ')}.`,
        )
      this.ctx.format = format
      return representations[format]!() as ReturnType<R[keyof R]>
    }

    responseAsJSON(value: unknown, options: JsonOptions = {}): string {
      const { underscoreKeys = true, prettify = false } = options
      typed(this.ctx, contentTypeOf('json'))
      return jsonText(value, { prettify, ...(underscoreKeys ? { key: underscored } : {}) })
    }

    responseAsXML(value: unknown, names?: XmlNames): string {
      typed(this.ctx, contentTypeOf('xml'))
      return toXml(value, names)
    }

    freshWhen({ etag: version, weak = false, lastModified: moment }: Freshness): void {
      const { headers } = this.response
      const etag = version === undefined ? undefined : entityTag(version, weak)
      const lastModified = moment === undefined ? undefined : dateOf(moment)
      if (etag !== undefined) headers.set('ETag', etag)
      if (lastModified !== undefined) headers.set('Last-Modified', httpDate(lastModified))
      const verdict = judge(this.request.http, { etag, lastModified })
      if (verdict !== 'proceed') this.halt(verdict)
    }

    async sendFile(path: string, options?: FileOptions): Promise<HttpResponse> {
      const response = await fileResponse(this.request.http, path, options)
      if (response !== undefined) return response
      throw new HttpError(404, 'feature.file-not-found', 'There is no such file.')
    }

    stream(source: StreamedBody | ((signal: AbortSignal) => StreamedBody)): StreamedBody {
      typed(this.ctx, contentTypeOf(this.ctx.format))
      return typeof source === 'function' ? source(this.ctx.signal) : source
    }

    withOutputStream(work: (out: ChunkWriter, signal: AbortSignal) => Promise<void>): StreamedBody {
      return this.stream((signal) => writtenBody((out) => work(out, signal)))
    }

    sse(
      events:
        | ServerSentEvents
        | ((signal: AbortSignal, lastEventId: string | undefined) => ServerSentEvents),
      options?: EventStreamOptions,
    ): StreamedBody {
      const { headers } = this.response
      headers.set('Content-Type', 'text/event-stream; charset=utf-8')
      headers.set('Cache-Control', 'no-cache, no-transform')
      // Proxies that gather what they pass on would hold events back.
      headers.set('X-Accel-Buffering', 'no')
      const source =
        typeof events === 'function'
          ? events(this.ctx.signal, this.request.header('last-event-id'))
          : events
      return eventStream(source, options)
    }
  }
  return Responding
}
