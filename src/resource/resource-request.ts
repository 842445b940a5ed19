/** What the actions of a resource ask of their request and say in their response. */
import { contentTypeOf } from '../action.ts'
import { addVary } from '../http.ts'
import { type Params, ParamType, toSnakeCase } from '../params.ts'
import type { Validation } from '../validation.ts'
import { objectXml, type EntityFormat } from './entity-body.ts'
import type { ResourceHost } from './resource-actions.ts'
import type { ResolvedOptions } from './resource-options.ts'

/**
 * JSON or XML by the path's suffix, else by `Accept`; `undefined` for HTML.
 * Halts with 404 for another suffix and with 406 for a format that no resource has.
 */
export function entityFormat(c: ResourceHost, options: ResolvedOptions): EntityFormat | undefined {
  const { ctx } = c
  const { hasPages } = options
  const suffix = ctx.pathParam('format')
  if (suffix === 'json' || suffix === 'xml') return suffix
  if (suffix !== undefined) refuseSuffix(c, options, suffix)
  if (ctx.givenFormat === undefined) addVary(c.response.headers, 'Accept')
  const format = hasPages ? ctx.format : ctx.errorFormat
  if (hasPages && format === 'html') return undefined
  return format === 'json' || format === 'xml' ? format : c.haltWithBody(406)
}

/** An id that is a text may hold a dot: then the route without a suffix has the whole of it. */
function refuseSuffix(
  c: ResourceHost,
  { model, hasPages }: ResolvedOptions,
  suffix: string,
): never {
  const id = c.ctx.pathParam('id')
  if (hasPages && id !== undefined && model.idType.parse(`${id}.${suffix}`) !== undefined) c.pass()
  return c.haltWithBody(404)
}

/** An answer that has the type of its format even when it is empty. */
export function answer(c: ResourceHost, format: EntityFormat, body: string): string {
  c.response.headers.set('Content-Type', contentTypeOf(format))
  return body
}

/** Status 400 is set already; every validated key with its messages in JSON, those that failed in XML. */
export function answerErrors(
  c: ResourceHost,
  format: EntityFormat,
  root: string,
  failed: Validation<string>,
): string {
  const errors = failed.keyAndErrorMessages.toJSON()
  return answer(c, format, format === 'json' ? JSON.stringify(errors) : objectXml(root, errors))
}

/** The path of the resource, the parameters of its prefix filled in from this request's own. */
export function basePath(c: ResourceHost, options: ResolvedOptions): string {
  const { resourcesBasePathPrefix, resourcesName } = options
  const prefix = resourcesBasePathPrefix.replace(/:(\w+)/g, (_found, name: string) =>
    encodeURIComponent(c.ctx.pathParam(name) ?? ''),
  )
  return `${prefix}/${resourcesName}`
}

/** The path of one record. */
export const pathOf = (c: ResourceHost, options: ResolvedOptions, id: unknown): string =>
  `${basePath(c, options)}/${encodeURIComponent(String(id))}`

/**
 * What the body says of a record: fields that were sent in snake case, as bodies are answered, count under their own
 * names too, and the suffix of the path is no field `format`.
 */
export function recordParams(c: ResourceHost, options: ResolvedOptions): Params {
  const { params } = c
  let read = params
  const { createFormStrongParameters, updateFormStrongParameters } = options
  const types = { ...createFormStrongParameters, ...updateFormStrongParameters }
  if (Object.hasOwn(types, 'format') && c.ctx.pathParam('format') !== undefined)
    read = read.with('format', c.request.form.get('format'))
  for (const key of Object.keys(types)) {
    const snake = toSnakeCase(key)
    if (snake !== key && !params.has(key)) {
      const texts = params.source.get(snake)
      if (texts !== undefined) read = read.with(key, texts)
    }
  }
  return read
}

/** A page of a list, both from 1. */
export interface PageOfList {
  readonly page: number
  readonly size: number
}

const largestPage = 200

/** `?page=` and `?size=`; what is no number of 1 or more counts as absent, and no page has more than 200 rows. */
export function pageOf(c: ResourceHost, defaultSize: number): PageOfList {
  const positive = (name: string, otherwise: number): number => {
    const value = c.params.getAs(name, ParamType.Int)
    return value === undefined || value < 1 ? otherwise : value
  }
  return { page: positive('page', 1), size: Math.min(positive('size', defaultSize), largestPage) }
}

const longestQuery = 1024

/**
 * How many records there are, in `X-Total-Count`, and where the other pages are, in `Link` (RFC 8288): `first`, `prev`,
 * `next` and `last`, the rest of the query kept.
 */
export function tellPages(
  c: ResourceHost,
  options: ResolvedOptions,
  { page }: PageOfList,
  { total, pages }: { readonly total: number; readonly pages: number },
): void {
  const { headers } = c.response
  headers.set('X-Total-Count', total)
  const { queryString } = c.request
  if (pages < 1 || queryString.length > longestQuery) return
  const format = c.ctx.pathParam('format')
  const path = c.url(basePath(c, options) + (format === undefined ? '' : `.${format}`))
  const link = (rel: string, number: number): string => {
    const query = new URLSearchParams(queryString)
    query.set('page', String(number))
    return `<${path}?${query}>; rel="${rel}"`
  }
  const links = [link('first', 1), link('last', pages)]
  if (page > 1) links.push(link('prev', Math.min(page - 1, pages)))
  if (page < pages) links.push(link('next', page + 1))
  headers.set('Link', links.join(', '))
}
