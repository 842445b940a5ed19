/** `RequestParams`: the parameters of a request, and the format of its response. */
import { HttpError } from '../base.ts'
import { isJsonType, isXmlType, type FieldMap } from '../http.ts'
import { isTimeZone, type I18n } from '../i18n.ts'
import { combineSources, MultiParams, Params, type ParamSource } from '../params.ts'
import type { Match, PathParams } from '../routing.ts'
import { chooseFormat, formats, type Format } from './format.ts'
import type { FwRequest } from './request.ts'

/** The hidden input of a form, of either method, that contains the time zone in which the form shows times. */
const timeZoneField = '_timeZone'

/** The methods that a form can name by `_method` in its query. */
export const overridingMethods: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE'])

const emptySource: ParamSource = new Map<string, readonly string[]>()

/** The parameters that a matched route has captured from the path. @spec Parameter access */
class PathSource implements ParamSource {
  readonly #params: PathParams

  constructor(params: PathParams) {
    this.#params = params
  }

  get(key: string): readonly string[] | undefined {
    if (key === 'splat') return this.#params.splat
    // An unmatched group of the regular expression is an empty string, so that the other groups keep their index.
    if (key === 'captures') return this.#params.captures.map((text) => text ?? '')
    return this.#params.get(key)
  }

  *keys(): Iterable<string> {
    yield* this.#params.keys()
    if (this.#params.splat.length > 0) yield 'splat'
    if (this.#params.captures.length > 0) yield 'captures'
  }
}

/** The parameters of a body of an unsupported type: there are none, and if one is required, the response is 415. */
const unreadBody = (request: FwRequest): ParamSource => ({
  get: () => undefined,
  keys: () => [],
  rejectUnread() {
    const { mediaType, cachedBytes } = request
    if (mediaType === undefined || cachedBytes !== undefined) return
    throw new HttpError(
      415,
      'http.content-type-invalid',
      'The body is of a type that cannot be read here. Send application/x-www-form-urlencoded.',
    )
  },
})

/** Combines two sources; values of `above` override those of `below`. An empty `splat` or `captures` counts as absent. */
function overlay(above: ParamSource, below: ParamSource): ParamSource {
  return {
    get(key) {
      const found = above.get(key)
      return found === undefined || found.length === 0 ? below.get(key) : found
    },
    keys: () => new Set([...below.keys(), ...above.keys()]),
  }
}

/** Formats that browsers and plugins execute. HTML is the default format of texts, so it is not listed. */
const executableFormats: ReadonlySet<Format> = new Set(['js', 'pdf', 'svg', 'swf', 'xhtml', 'xslt'])

/** Returns the format of errors for a program that accepts every type: that of its request's body. */
function bodyFormat(mediaType: string): Format {
  if (isJsonType(mediaType)) return 'json'
  return isXmlType(mediaType) ? 'xml' : 'html'
}

/** Returns true if a request target is below `prefix` followed by one of the paths. */
export const isBelow = (target: string, prefix: string, paths: readonly string[]): boolean =>
  paths.some((path) => {
    if (!target.startsWith(prefix + path)) return false
    const next = target[prefix.length + path.length]
    return next === undefined || next === '/' || next === '?'
  })

const readTimeZone = (text: string | undefined): string | undefined =>
  text !== undefined && isTimeZone(text) ? text : undefined

/** The formats of a route's responses if the client requests none. */
export interface FormatDefaults {
  /** The format of a text that an action returns. */
  readonly textFormat: Format
  readonly errorFormat: Format
}

export abstract class RequestParams {
  readonly request: FwRequest
  /** The candidate route; undefined before the first route matches, and if none matches. */
  match: Match<FormatDefaults> | undefined
  #firstMatch: Match<FormatDefaults> | undefined
  #captures: ParamSource[] | undefined
  #params: Params | undefined
  #multiParams: MultiParams | undefined
  #formTimeZone: string | undefined
  #format: Format | undefined
  #assignedFormat: Format | undefined
  /** True if the header `Accept` may have determined the format of the response. */
  protected isNegotiated = false
  /** The formats of the controller that renders the error, for a request that no route matches. */
  errorRoute: FormatDefaults | undefined

  constructor(request: FwRequest) {
    this.request = request
  }

  /** The first candidate route; its method `next()` returns the following ones. */
  get firstMatch(): Match<FormatDefaults> | undefined {
    return this.#firstMatch
  }

  /** Makes `match` the candidate route: its path parameters replace those of the previous candidate. */
  beginRoute(match: Match<FormatDefaults>): void {
    this.match = match
    this.#firstMatch ??= match
    this.#captures = this.#params = this.#multiParams = this.#format = undefined
  }

  /** Adds the parameters that a further matcher of the route has captured. */
  addCaptures(captured: PathParams): void {
    this.#captures = [...(this.#captures ?? []), new PathSource(captured)]
    this.#params = this.#multiParams = this.#format = undefined
  }

  /** Sets the fields of the body. Discards cached parameters, which a route's condition may have read before. */
  setForm(fields: FieldMap): void {
    for (const method of fields.get('_method') ?? []) this.#refuseMethodInBody(method)
    this.request.form = fields
    this.#formTimeZone = readTimeZone(fields.get(timeZoneField)?.[0])
    this.#params = this.#multiParams = undefined
  }

  /**
   * Refuses the field `_method` in a form: a form that means DELETE must not run the route of POST, which may be an update.
   * @throws HttpError 400 `action.method-in-body`
   */
  #refuseMethodInBody(text: string): void {
    const { http, method, path } = this.request
    const meant = text.trim().toUpperCase()
    if (method !== 'POST' || !overridingMethods.has(meant)) return
    throw new HttpError(
      400,
      'action.method-in-body',
      `_method has no effect in the body of a form. Write it into the address: action="${http.mountPath}${path.raw}?_method=${meant}".`,
    )
  }

  /**
   * The parameters of the request. A path parameter overrides a query parameter, which overrides a form parameter.
   * @spec Parameter access
   */
  get params(): Params {
    return (this.#params ??= new Params(this.#combinedSource()))
  }

  /** The parameters with all values of each name, including `splat` and `captures`. @spec Parameter access */
  get multiParams(): MultiParams {
    return (this.#multiParams ??= new MultiParams(this.#combinedSource()))
  }

  get queryParams(): Params {
    return new Params(combineSources(emptySource, this.request.query, undefined, this))
  }

  get formParams(): Params {
    return new Params(combineSources(emptySource, emptySource, this.#formSource(), this))
  }

  get queryMultiParams(): MultiParams {
    return new MultiParams(combineSources(emptySource, this.request.query, undefined, this))
  }

  get formMultiParams(): MultiParams {
    return new MultiParams(combineSources(emptySource, emptySource, this.#formSource(), this))
  }

  #formSource(): ParamSource {
    const { request } = this
    return request.isFormRead || request.http.body.isEmpty ? request.form : unreadBody(request)
  }

  #combinedSource(): ParamSource {
    let path = this.match === undefined ? emptySource : new PathSource(this.match.params)
    for (const captured of this.#captures ?? []) path = overlay(captured, path)
    return combineSources(path, this.request.query, this.#formSource(), this)
  }

  /** Returns a path parameter; `undefined` if the route has no parameter of that name. */
  pathParam(name: string): string | undefined {
    const source = this.#captures?.findLast((one) => one.get(name) !== undefined)
    return source === undefined ? this.match?.params.first(name) : source.get(name)?.[0]
  }

  /** The format of the response: the path's suffix, else the parameter `format`, else `Accept`, else the route's default. */
  get format(): Format {
    return (this.#format ??= this.#chooseFormat(this.match?.target.textFormat ?? 'html'))
  }

  set format(format: Format) {
    this.#format = format
    this.#assignedFormat = format
  }

  #chooseFormat(fallback: Format): Format {
    const named = this.pathParam('format') ?? this.#queryParameter('format')
    if (named === undefined || formats.typeOf(named) === undefined) this.isNegotiated = true
    return chooseFormat(named, this.request.http.header('accept'), fallback)
  }

  #queryParameter(name: string): string | undefined {
    if (this.request.queryString === '') return undefined
    try {
      return this.request.query.get(name)?.[0]
    } catch {
      // The error response to a malformed query needs a format and a time zone too.
      return undefined
    }
  }

  /**
   * The format of a text that an action returns. Because the text may contain input of the client, the client cannot select a
   * format that browsers execute. If the route's default is plain text, the client cannot select another format at all.
   */
  get textFormat(): Format {
    if (this.#assignedFormat !== undefined) return this.#assignedFormat
    const fallback = this.match?.target.textFormat ?? 'html'
    return fallback === 'txt' || executableFormats.has(this.format) ? fallback : this.format
  }

  /** The format that code, the path's suffix or `format` names; undefined if only `Accept` or the default determines it. */
  get requestedFormat(): Format | undefined {
    return this.#assignedFormat ?? this.pathParam('format') ?? this.#queryParameter('format')
  }

  /** The format of an error response, chosen like `format`, but with the default for errors. */
  get errorFormat(): Format {
    const textFormat = this.match?.target.textFormat ?? 'html'
    // `format` may be the default for texts; if so, choose again with the default for errors.
    if (this.format !== textFormat) return this.format
    const fallback = this.defaultErrorFormat
    return this.#chooseFormat(
      fallback === 'html' ? bodyFormat(this.request.mediaType ?? '') : fallback,
    )
  }

  protected abstract get defaultErrorFormat(): Format

  /** The time zone in which the sent form showed times; `undefined` if its inputs name none. */
  protected get formTimeZone(): string | undefined {
    return this.#formTimeZone ?? readTimeZone(this.#queryParameter(timeZoneField))
  }

  /** The language of the page on which a person writes numbers; `undefined` if a program sends the request. */
  get pageLocale(): string | undefined {
    return this.format === 'html' ? this.i18n.formatLocale : undefined
  }

  /** The time zone of the page on which a person writes times; `undefined` if a program sends the request. */
  get pageTimeZone(): string | undefined {
    return this.format === 'html' ? this.i18n.timeZone : undefined
  }

  abstract get i18n(): I18n

  protected resetFormat(): void {
    this.isNegotiated = false
    this.#format = this.#assignedFormat = undefined
  }
}
