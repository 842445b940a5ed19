/** What a request may send to a resource: JSON, XML or a form, each permitted field of one value. */
import { HttpError } from '../base.ts'
import { ParamType, type ParamTypes, readPermitted, takesList, toSnakeCase } from '../params.ts'
import type { ResourceHost } from './resource-actions.ts'

const readable = 'application/json, application/xml, application/x-www-form-urlencoded'
const patches = `application/merge-patch+json, ${readable}`

/**
 * Refuses a body that says nothing of a record.
 * @throws HttpError 415 `resource.media-type`: a type that was not read; 400 `http.json-invalid`, `http.xml-invalid`: no
 * object; 400 `params.invalid`: an object, or a list, in place of a permitted field's value
 */
export function checkBody(c: ResourceHost, types: ParamTypes): void {
  const { request } = c
  if (request.http.body.isEmpty) return
  if (!request.isFormRead) refuseType(c)
  const { jsonBody, xmlBody } = c
  const body = jsonBody === undefined ? xmlBody : jsonBody
  if (body === undefined) return
  if (typeof body !== 'object' || body === null || Array.isArray(body)) refuseValue(jsonBody)
  refuseShapes(body as Readonly<Record<string, unknown>>, types)
}

/** JSON and XML have no bytes: these are the texts that stand for them (RFC 4648, section 4). */
const base64 = ParamType.of(
  'Base64',
  (text) => {
    const joined = text.replace(/\s+/g, '')
    const bytes = Buffer.from(joined, 'base64')
    // Node reads whatever it is given; what it would not write itself is none.
    return joined !== '' && bytes.toString('base64') === joined ? new Uint8Array(bytes) : undefined
  },
  'bytes in base64',
)

const isBytes = (type: ParamType<unknown>): boolean =>
  type.name === 'ByteArray' || (type.name === 'ByteArray[]' && takesList(type))

/** The types of what a program sends: as those of a form, but for bytes. */
export function programTypes(types: ParamTypes): ParamTypes {
  if (!Object.values(types).some(isBytes)) return types
  const entries = Object.entries(types)
  return Object.fromEntries(
    entries.map(([key, type]) => [key, isBytes(type) ? likewise(type) : type]),
  )
}

function likewise(type: ParamType<unknown>): ParamType<unknown> {
  const one: ParamType<unknown> = takesList(type) ? ParamType.array(base64) : base64
  const absent = readPermitted(new Map(), { key: type })
  const isOptional = !Array.isArray(absent) && !Object.hasOwn(absent, 'key')
  return isOptional ? ParamType.optional(one) : one
}

/** The types of what this request has sent. */
export const sentTypes = (c: ResourceHost, types: ParamTypes): ParamTypes =>
  c.jsonBody === undefined && c.xmlBody === undefined ? types : programTypes(types)

function refuseType({ request, response: { headers } }: ResourceHost): never {
  headers.set('Accept', readable)
  if (request.method === 'POST') headers.set('Accept-Post', readable)
  if (request.method === 'PATCH') headers.set('Accept-Patch', patches)
  const given = request.mediaType
  throw new HttpError(
    415,
    'resource.media-type',
    given === undefined
      ? `Say in Content-Type what the body is: ${readable}.`
      : `The body is of a type that cannot be read here. Send ${readable}.`,
  )
}

function refuseValue(jsonBody: unknown): never {
  throw jsonBody === undefined
    ? new HttpError(400, 'http.xml-invalid', 'The XML has no elements below its root.')
    : new HttpError(400, 'http.json-invalid', 'The JSON is not an object.')
}

/** Names that are not permitted may hold anything: they are not read. */
function refuseShapes(body: Readonly<Record<string, unknown>>, types: ParamTypes): void {
  const errors: Record<string, readonly string[]> = Object.create(null)
  for (const [key, type] of Object.entries(types)) {
    for (const name of new Set([key, toSnakeCase(key)])) {
      if (!Object.hasOwn(body, name) || fits(body[name], takesList(type))) continue
      const found = Array.isArray(body[name]) ? 'a list' : 'an object'
      errors[key] = [`${key} must be ${type.expected}, not ${found}`]
    }
  }
  const keys = Object.keys(errors)
  if (keys.length === 0) return
  const message = `Parameters missing or of the wrong type: ${keys.join(', ')}.`
  throw new HttpError(400, 'params.invalid', message, { details: { errors } })
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null

const fits = (value: unknown, isList: boolean): boolean =>
  isPlain(value) || (isList && Array.isArray(value) && value.every(isPlain))
