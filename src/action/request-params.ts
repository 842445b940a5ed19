/** What a request asks for: its parameters, and the format of the answer; computed when first asked for. */
import type { FieldMap } from '../http.ts'
import { combineSources, MultiParams, Params, type ParamSource } from '../params.ts'
import type { Match, PathParams } from '../routing.ts'
import { chooseFormat, type Format } from './format.ts'
import { overlaid, PathSource } from './path-source.ts'
import type { FwRequest } from './request.ts'

const nothing: ParamSource = new Map<string, readonly string[]>()

/** The formats of a route when the client does not decide. */
export interface FormatDefaults {
  /** Of a text that an action returns. */
  readonly textFormat: Format
  /** Of an error's body. */
  readonly errorFormat: Format
}

/** The half of a context that reads. */
export abstract class RequestParams {
  readonly request: FwRequest
  /** The candidate route under way; absent before one matched and when none did. */
  match: Match<FormatDefaults> | undefined
  /** The candidate that was tried first: `next()` leads on to the others. */
  firstMatch: Match<FormatDefaults> | undefined
  /** What further matchers of the route captured. */
  #captured: ParamSource[] | undefined
  #params: Params | undefined
  #multiParams: MultiParams | undefined
  #format: Format | undefined
  #assigned: Format | undefined

  constructor(request: FwRequest) {
    this.request = request
  }

  /** Takes up the next candidate: its path parameters replace those of the one before. */
  begin(match: Match<FormatDefaults>): void {
    this.match = match
    this.firstMatch ??= match
    this.#captured = undefined
    this.#params = undefined
    this.#multiParams = undefined
    this.#format = undefined
  }

  /** Takes up what a further matcher of the route captured. */
  takeCaptured(captured: PathParams): void {
    this.#captured = [...(this.#captured ?? []), new PathSource(captured)]
    this.#params = undefined
    this.#multiParams = undefined
    this.#format = undefined
  }

  /** Takes up the fields of the body; parameters that a condition asked for before it was read are made anew. */
  takeForm(fields: FieldMap): void {
    this.request.form = fields
    this.#params = undefined
    this.#multiParams = undefined
  }

  /** Path, then query, then form parameters. @spec Parameter access */
  get params(): Params {
    return (this.#params ??= new Params(this.#source()))
  }

  /** All values of each key, `splat` and `captures` among them. @spec Parameter access */
  get multiParams(): MultiParams {
    return (this.#multiParams ??= new MultiParams(this.#source()))
  }

  get queryParams(): Params {
    return new Params(this.request.query)
  }

  get formParams(): Params {
    return new Params(this.request.form)
  }

  get queryMultiParams(): MultiParams {
    return new MultiParams(this.request.query)
  }

  get formMultiParams(): MultiParams {
    return new MultiParams(this.request.form)
  }

  #source(): ParamSource {
    let path: ParamSource = this.match === undefined ? nothing : new PathSource(this.match.params)
    for (const captured of this.#captured ?? []) path = overlaid(captured, path)
    return combineSources(path, this.request.query, this.request.form)
  }

  /** A path parameter alone; `undefined` when the route has none of that name. */
  pathParam(name: string): string | undefined {
    const found = this.#captured?.findLast((one) => one.get(name) !== undefined)
    return found === undefined ? this.match?.params.first(name) : found.get(name)?.[0]
  }

  /** What the client wants to read: by the path's suffix, `format`, `Accept`, else the route's default. */
  get format(): Format {
    return (this.#format ??= this.#chooseFormat(this.match?.target.textFormat ?? 'html'))
  }

  #chooseFormat(fallback: Format): Format {
    const named = this.pathParam('format') ?? this.#formatParameter()
    return chooseFormat(named, this.request.http.header('accept'), fallback)
  }

  #formatParameter(): string | undefined {
    if (this.request.queryString === '') return undefined
    try {
      return this.request.query.get('format')?.[0]
    } catch {
      // A malformed query is told of when it is read; its error needs a format to be told in.
      return undefined
    }
  }

  set format(format: Format) {
    this.#format = format
    this.#assigned = format
  }

  /** The format that was assigned or named by the path's suffix or `format`; absent when `Accept` is to decide. */
  get givenFormat(): Format | undefined {
    return this.#assigned ?? this.pathParam('format') ?? this.#formatParameter()
  }

  /** The format of an error: as `format`, but with the route's default for errors. */
  get errorFormat(): Format {
    const { textFormat = 'html', errorFormat = 'html' } = this.match?.target ?? {}
    // A format that is the route's default for texts may have been nobody's choice.
    return this.format === textFormat ? this.#chooseFormat(errorFormat) : this.format
  }

  /** The format is chosen anew. */
  protected forgetFormat(): void {
    this.#format = this.#assigned = undefined
  }
}
