/** The parameters of a request, and the format that its client wants. */
import { HttpError } from '../base.ts'
import type { FieldMap } from '../http.ts'
import { combineSources, MultiParams, Params, type ParamSource } from '../params.ts'
import type { Match, PathParams } from '../routing.ts'
import { chooseFormat, formats, type Format } from './format.ts'
import type { FwRequest } from './request.ts'

const emptySource: ParamSource = new Map<string, readonly string[]>()

/** The captures of a matched route as a source of parameters. @spec Parameter access */
class PathSource implements ParamSource {
  readonly #params: PathParams

  constructor(params: PathParams) {
    this.#params = params
  }

  get(key: string): readonly string[] | undefined {
    if (key === 'splat') return this.#params.splat
    // A group that did not take part is an empty string, so that the others keep their index.
    if (key === 'captures') return this.#params.captures.map((text) => text ?? '')
    return this.#params.get(key)
  }

  *keys(): Iterable<string> {
    yield* this.#params.keys()
    if (this.#params.splat.length > 0) yield 'splat'
    if (this.#params.captures.length > 0) yield 'captures'
  }
}

/**
 * The parameters of a body that nothing has read: none. Where `permit` or a validation would report them as absent, the
 * response is 415.
 */
class UnreadBody implements ParamSource {
  readonly #request: FwRequest

  constructor(request: FwRequest) {
    this.#request = request
  }

  get(): undefined {
    return undefined
  }

  keys(): Iterable<string> {
    return []
  }

  rejectUnread(): void {
    const { mediaType, cachedBytes } = this.#request
    if (mediaType === undefined || cachedBytes !== undefined) return
    throw new HttpError(
      415,
      'http.content-type-invalid',
      'The body is of a type that cannot be read here. Send application/x-www-form-urlencoded.',
    )
  }
}

/** The values of `above` win over those of `below`; an empty `splat` or `captures` counts as absent. */
function overlay(above: ParamSource, below: ParamSource): ParamSource {
  return {
    get(key) {
      const found = above.get(key)
      return found === undefined || found.length === 0 ? below.get(key) : found
    },
    keys: () => new Set([...below.keys(), ...above.keys()]),
  }
}

/** Formats that browsers and plugins execute; HTML is the default of pages, whose texts are HTML. */
const executableFormats: ReadonlySet<Format> = new Set(['js', 'pdf', 'svg', 'swf', 'xhtml', 'xslt'])

/** Whether a request target is below one of the paths, which follow `prefix`. */
export const isBelow = (target: string, prefix: string, paths: readonly string[]): boolean =>
  paths.some((path) => {
    if (!target.startsWith(prefix + path)) return false
    const next = target[prefix.length + path.length]
    return next === undefined || next === '/' || next === '?'
  })

/** The formats of a route when the client does not decide. */
export interface FormatDefaults {
  /** The format of a text that an action returns. */
  readonly textFormat: Format
  /** The format of an error's body. */
  readonly errorFormat: Format
}

/** The reading half of a context. */
export abstract class RequestParams {
  readonly request: FwRequest
  /** The candidate route; absent before one matched and when none did. */
  match: Match<FormatDefaults> | undefined
  #firstMatch: Match<FormatDefaults> | undefined
  #captures: ParamSource[] | undefined
  #params: Params | undefined
  #multiParams: MultiParams | undefined
  #format: Format | undefined
  #assignedFormat: Format | undefined
  /** Whether `Accept` may have decided the format of the response. */
  protected isNegotiated = false
  /** Of a request without a route: the controller whose errors it gets. */
  errorRoute: FormatDefaults | undefined

  constructor(request: FwRequest) {
    this.request = request
  }

  /** The first candidate; its `next()` returns the others. */
  get firstMatch(): Match<FormatDefaults> | undefined {
    return this.#firstMatch
  }

  /** Makes `match` the candidate route: its path parameters replace those of the previous one. */
  beginRoute(match: Match<FormatDefaults>): void {
    this.match = match
    this.#firstMatch ??= match
    this.#captures = undefined
    this.#params = undefined
    this.#multiParams = undefined
    this.#format = undefined
  }

  /** Adds the captures of a further matcher of the route. */
  addCaptures(captured: PathParams): void {
    this.#captures = [...(this.#captures ?? []), new PathSource(captured)]
    this.#params = undefined
    this.#multiParams = undefined
    this.#format = undefined
  }

  /** Sets the fields of the body. A route's condition may have read `params` before: they are made again. */
  setForm(fields: FieldMap): void {
    this.request.form = fields
    this.#params = undefined
    this.#multiParams = undefined
  }

  /** Path, then query, then form parameters. @spec Parameter access */
  get params(): Params {
    return (this.#params ??= new Params(this.#combinedSource()))
  }

  /** All values of each key, `splat` and `captures` among them. @spec Parameter access */
  get multiParams(): MultiParams {
    return (this.#multiParams ??= new MultiParams(this.#combinedSource()))
  }

  get queryParams(): Params {
    return new Params(this.request.query)
  }

  get formParams(): Params {
    return new Params(this.#formSource())
  }

  get queryMultiParams(): MultiParams {
    return new MultiParams(this.request.query)
  }

  get formMultiParams(): MultiParams {
    return new MultiParams(this.#formSource())
  }

  #formSource(): ParamSource {
    const { request } = this
    return request.isFormRead || request.http.body.isEmpty ? request.form : new UnreadBody(request)
  }

  #combinedSource(): ParamSource {
    let path = this.match === undefined ? emptySource : new PathSource(this.match.params)
    for (const captured of this.#captures ?? []) path = overlay(captured, path)
    return combineSources(path, this.request.query, this.#formSource())
  }

  /** A path parameter; `undefined` when the route has none of that name. */
  pathParam(name: string): string | undefined {
    const source = this.#captures?.findLast((one) => one.get(name) !== undefined)
    return source === undefined ? this.match?.params.first(name) : source.get(name)?.[0]
  }

  /** The client's format: by the path's suffix, `format`, `Accept`, else the route's default. */
  get format(): Format {
    return (this.#format ??= this.#chooseFormat(this.match?.target.textFormat ?? 'html'))
  }

  set format(format: Format) {
    this.#format = format
    this.#assignedFormat = format
  }

  #chooseFormat(fallback: Format): Format {
    const named = this.pathParam('format') ?? this.#formatParameter()
    if (named === undefined || formats.typeOf(named) === undefined) this.isNegotiated = true
    return chooseFormat(named, this.request.http.header('accept'), fallback)
  }

  #formatParameter(): string | undefined {
    if (this.request.queryString === '') return undefined
    try {
      return this.request.query.get('format')?.[0]
    } catch {
      // The error response for a malformed query needs a format too.
      return undefined
    }
  }

  /**
   * The format of a text that an action returns. The client chooses none that a browser may execute, and none where the
   * route's default is plain text: the text may contain what the client sent.
   */
  get textFormat(): Format {
    if (this.#assignedFormat !== undefined) return this.#assignedFormat
    const fallback = this.match?.target.textFormat ?? 'html'
    return fallback === 'txt' || executableFormats.has(this.format) ? fallback : this.format
  }

  /** The format that was assigned, or named by the path's suffix or `format`; absent when `Accept` decides. */
  get requestedFormat(): Format | undefined {
    return this.#assignedFormat ?? this.pathParam('format') ?? this.#formatParameter()
  }

  /** The format of an error: as `format`, but with the route's default for errors. */
  get errorFormat(): Format {
    const textFormat = this.match?.target.textFormat ?? 'html'
    // The default for texts may be the fallback, so choose again with the default for errors.
    return this.format === textFormat ? this.#chooseFormat(this.defaultErrorFormat) : this.format
  }

  /** The format of an error if the client wants none. */
  protected abstract get defaultErrorFormat(): Format

  /** The next read of `format` chooses again. */
  protected resetFormat(): void {
    this.isNegotiated = false
    this.#format = this.#assignedFormat = undefined
  }
}
