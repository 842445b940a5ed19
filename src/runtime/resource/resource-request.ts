/** Reads the format, body and page of a resource's request, and sets the headers of its response. */
import { contentTypeOf } from '../action.ts'
import { HttpError } from '../base.ts'
import { addVary, isXmlType, JsonNumber } from '../http.ts'
import {
  type Params,
  ParamType,
  type ParamTypes,
  isListType,
  programType,
  toSnakeCase,
  withJsonTexts,
} from '../params.ts'
import type { Validation } from '../validation.ts'
import { objectXml, type EntityFormat } from './entity-body.ts'
import type { ResourceController } from './resource-controller.ts'
import { traitOptions } from './resource-options.ts'

/**
 * Returns the response format by the path's suffix, or else by `Accept`; `undefined` is HTML. Halts with 404 for another
 * suffix, and with 406 for a format that no resource supports.
 */
export function entityFormat(c: ResourceController): EntityFormat | undefined {
  const { ctx } = c
  const { hasPages } = c[traitOptions]
  const suffix = ctx.pathParam('format')
  if (suffix === 'json' || suffix === 'xml') return suffix
  if (suffix !== undefined) refuseSuffix(c, suffix)
  if (ctx.requestedFormat === undefined) addVary(c.response.headers, 'Accept')
  const format = hasPages ? ctx.format : ctx.errorFormat
  if (hasPages && format === 'html') return undefined
  return format === 'json' || format === 'xml' ? format : c.haltWithBody(406)
}

/**
 * Handles an unknown suffix. A text id may contain a dot: the request then passes to the route without a suffix, which matches
 * the whole id. Otherwise, halts with 404.
 */
function refuseSuffix(c: ResourceController, suffix: string): never {
  const id = c.ctx.pathParam('id')
  const isId = id !== undefined && c.model.idType.parse(`${id}.${suffix}`) !== undefined
  return isId ? c.pass() : c.haltWithBody(404)
}

/** Sets `Content-Type` to the type of the format, and returns the body. */
export function respondTyped(c: ResourceController, format: EntityFormat, body: string): string {
  c.response.headers.set('Content-Type', contentTypeOf(format))
  return body
}

/**
 * Returns the errors of a form as the response's body. JSON contains every validated key with its messages, XML only the keys
 * that failed.
 */
export function respondWithErrors(
  c: ResourceController,
  format: EntityFormat,
  form: Validation<string>,
): string {
  const errors = form.keyAndErrorMessages.toJSON()
  const body = format === 'json' ? JSON.stringify(errors) : objectXml(c.resourcesName, errors)
  return respondTyped(c, format, body)
}

/** Returns the path of the list. The parameters of its prefix have their values from this request. */
export function resourcePath(c: ResourceController): string {
  const { resourcesBasePathPrefix, resourcesName } = c
  const prefix = resourcesBasePathPrefix.replace(/:(\w+)/g, (_match, name: string) =>
    encodeURIComponent(c.ctx.pathParam(name) ?? ''),
  )
  return `${prefix}/${resourcesName}`
}

/** Returns the path of one record. */
export const recordPath = (c: ResourceController, id: unknown): string =>
  `${resourcePath(c)}/${encodeURIComponent(String(id))}`

/** Returns the request's parameters as fields of a record. The path's suffix does not become the field `format`. */
export function recordParams(c: ResourceController): Params {
  const { createFormStrongParameters, updateFormStrongParameters } = c
  const types = { ...createFormStrongParameters, ...updateFormStrongParameters }
  const params = withJsonTexts(c.params, types)
  return Object.hasOwn(types, 'format') && c.ctx.pathParam('format') !== undefined
    ? params.with('format', c.request.form.get('format'))
    : params
}

const maxPageSize = 200

function readPositive(c: ResourceController, name: string, fallback: number): number {
  const value = c.params.getAs(name, ParamType.Int)
  return value === undefined || value < 1 ? fallback : value
}

/** Reads the page size from `?size=`, from 1 to 200. An invalid value counts as absent. */
export const readSize = (c: ResourceController): number =>
  Math.min(readPositive(c, 'size', c.pageSize), maxPageSize)

/** Reads the page number from `?page=`, from 1, and the page size. */
export const readPage = (c: ResourceController) => ({
  page: readPositive(c, 'page', 1),
  size: readSize(c),
})

const maxQueryLength = 1024

/**
 * Sets `Link` (RFC 8288) to other pages of the list, whose query is that of this page with other values. A long query gets no
 * links.
 */
export function setLinks(
  c: ResourceController,
  query: URLSearchParams,
  links: readonly (readonly [rel: string, values: Readonly<Record<string, string | number>>])[],
): void {
  if (query.toString().length > maxQueryLength) return
  const format = c.ctx.pathParam('format')
  const path = c.url(resourcePath(c) + (format === undefined ? '' : `.${format}`))
  const texts = links.map(([rel, values]) => {
    const changed = new URLSearchParams(query)
    for (const [name, value] of Object.entries(values)) changed.set(name, String(value))
    return `<${path}${changed.size === 0 ? '' : `?${changed}`}>; rel="${rel}"`
  })
  c.response.headers.set('Link', texts.join(', '))
}

/** Sets `Link` to other numbered pages. */
export function setPageLinks(c: ResourceController, page: number, pages: number): void {
  setLinks(c, new URLSearchParams(c.request.queryString), [
    ['first', { page: 1 }],
    ['last', { page: pages }],
    ...(page > 1 ? [['prev', { page: Math.min(page - 1, pages) }] as const] : []),
    ...(page < pages ? [['next', { page: page + 1 }] as const] : []),
  ])
}

const readable = 'application/json, application/xml, application/x-www-form-urlencoded'
const patches = `application/merge-patch+json, ${readable}`

/**
 * Rejects a body that does not describe a record.
 * @throws HttpError 415 `resource.media-type` for a media type that is not supported
 * @throws HttpError 400 `http.json-invalid`, `http.xml-invalid` for a body that is not an object
 */
export function checkBody(c: ResourceController): void {
  const { request } = c
  if (request.http.body.isEmpty) return
  if (!request.isFormRead) refuseType(c)
  const body = request.parsedBody
  if (body === undefined) return
  if (isPlain(body) || Array.isArray(body))
    throw isXmlType(request.mediaType ?? '')
      ? new HttpError(400, 'http.xml-invalid', 'The XML has no elements below its root.')
      : new HttpError(400, 'http.json-invalid', 'The JSON is not an object.')
}

/** Returns the types of fields in JSON and XML, which differ from those of form fields for bytes. */
export function programTypes(types: ParamTypes): ParamTypes {
  const entries = Object.entries(types).map(([key, type]) => [key, programType(type)] as const)
  return entries.every(([key, type]) => type === types[key]) ? types : Object.fromEntries(entries)
}

/** Returns the types of the fields in this request's body. */
export const sentTypes = (c: ResourceController, types: ParamTypes): ParamTypes =>
  c.request.parsedBody === undefined ? types : programTypes(types)

function refuseType({ request, response: { headers } }: ResourceController): never {
  headers.set('Accept', readable)
  if (request.method === 'POST') headers.set('Accept-Post', readable)
  if (request.method === 'PATCH') headers.set('Accept-Patch', patches)
  throw new HttpError(
    415,
    'resource.media-type',
    request.mediaType === undefined
      ? `Set Content-Type to the type of the body: ${readable}.`
      : `The body is of a type that cannot be read here. Send ${readable}.`,
  )
}

/**
 * Rejects objects and lists as values of permitted fields. Other members are not read, so they may have any value.
 * @throws HttpError 400 `params.invalid`
 */
export function checkShapes({ request }: ResourceController, types: ParamTypes): void {
  if (request.parsedBody === undefined) return
  const body = request.parsedBody as Readonly<Record<string, unknown>>
  const isXml = isXmlType(request.mediaType ?? '')
  const errors: Record<string, readonly string[]> = Object.create(null)
  for (const [key, type] of Object.entries(types)) {
    if (!isXml && type.definition?.isJson === true) continue
    for (const name of new Set([key, toSnakeCase(key)])) {
      if (!Object.hasOwn(body, name) || fits(body[name], type)) continue
      const found = Array.isArray(body[name]) ? 'a list' : 'an object'
      errors[key] = [`${key} must be ${type.expected}, not ${found}`]
    }
  }
  const keys = Object.keys(errors)
  if (keys.length === 0) return
  const message = `Parameters missing or of the wrong type: ${keys.join(', ')}.`
  throw new HttpError(400, 'params.invalid', message, { details: { errors } })
}

const isPlain = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || value instanceof JsonNumber

const fits = (value: unknown, type: ParamType<unknown>): boolean => {
  if (isPlain(value)) return true
  const isJson = type.element?.definition?.isJson === true
  return isListType(type) && Array.isArray(value) && (isJson || value.every(isPlain))
}
