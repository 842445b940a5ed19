/** Describes the responses of a route by status. */
import type { BodyShape, DescribedModel, ResponseDescription } from '../../runtime/controller.ts'
import { reasonPhrase } from '../../runtime/http.ts'
import { toUpperCamelCase } from '../../runtime/params.ts'
import { fieldErrors } from './describe-resource.ts'
import type { JsonSchema } from '../../runtime/validation.ts'
import type { RouteContext } from './route-context.ts'
import type { Content, Response } from './document.ts'
import { isParamType, responseSchema, responseShapeSchema, viewSchema } from './json-schema.ts'
import { schemaName } from './schema-set.ts'

/** Responses by status; `2XX` is every success status that is not listed. */
export type Responses = Readonly<Record<string, string | ResponseDescription>>

export const isSuccess = (status: string): boolean => status < '400'

/** The schema of problem details (RFC 9457), in the form that `action/error-response` writes. */
const problem: JsonSchema = {
  type: 'object',
  properties: {
    type: { type: 'string' },
    title: { type: 'string', description: 'The reason phrase of the status.' },
    status: { type: 'integer' },
    message: { type: 'string' },
    code: { type: 'string', description: 'The code of the error, such as params.invalid.' },
    errors: {
      type: 'object',
      description: 'The messages of each invalid parameter.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    requestId: { type: 'string', description: 'The id of the request in the log.' },
  },
  required: ['type', 'title', 'status', 'message'],
}

function describeResponse(
  context: RouteContext,
  status: string,
  described: string | ResponseDescription,
): Response {
  const options = typeof described === 'string' ? { description: described } : described
  const phrase = status === '2XX' ? 'Success' : reasonPhrase(Number(status))
  const { description = phrase, headers = {} } = options
  // The described content comes first: some generators read only the first JSON type.
  const own = describeContent(context, options)
  const content = { ...own, ...(status >= '400' ? errorContent(context) : {}), ...own }
  const headerSchemas = Object.entries(headers).map(([name, field]) => [
    name,
    { schema: isParamType(field) ? responseSchema(field) : field },
  ])
  return {
    description,
    ...(headerSchemas.length > 0 ? { headers: Object.fromEntries(headerSchemas) } : {}),
    ...(Object.keys(content).length > 0 ? { content } : {}),
  }
}

/** Returns the content of error responses. It has only one media type if the path has a format suffix. */
function errorContent({ schemas, template }: RouteContext): Content {
  const json = { 'application/problem+json': { schema: schemas.add('Problem', problem) } }
  const xml = { 'application/xml': {} }
  if (template.format === 'json') return json
  const text = { schema: { type: 'string' as const } }
  return { 'text/html': text, ...json, ...xml, 'text/plain': text }
}

function describeContent(
  context: RouteContext,
  { body, type = 'application/json', content }: ResponseDescription,
): Content {
  const shapes = content ?? (body === undefined ? {} : { [type]: body })
  return Object.fromEntries(
    Object.entries(shapes).map(([mediaType, shape]) => {
      const schema = shapeSchema(context, shape)
      return [mediaType, Object.keys(schema).length === 0 ? {} : { schema }]
    }),
  )
}

function shapeSchema(context: RouteContext, shape: BodyShape): JsonSchema {
  const { schemas, rowName, group, name, resource } = context
  if (Array.isArray(shape))
    return { type: 'array', items: shapeSchema(context, shape[0] as BodyShape) }
  if (resource !== undefined && shape === resource.entity)
    return schemas.add(schemaName(resource.resourceName), viewSchema(resource.entity))
  if (shape === fieldErrors) return schemas.add('FieldErrors', fieldErrors)
  const addRow = (model: DescribedModel, schema: JsonSchema): JsonSchema =>
    schemas.add(rowName(model) ?? '', schema)
  const prefix = toUpperCamelCase(group) + toUpperCamelCase(name)
  return schemas.addTitled(schemas.embed(prefix, responseShapeSchema(shape, addRow)))
}

const anyJson = { 'application/json': {} }

/** The refusal of a malformed path, query or header, for a route whose other refusals are unknown. */
const malformed: Responses = { 400: 'The request is malformed.' }

const hasRefusal = (described: Responses): boolean =>
  Object.keys(described).some((status) => status.startsWith('4'))

/** Returns the responses that Fw itself may send in place of the action's response. */
function frameworkResponses(isUnsafe: boolean, described: Responses, hasBody: boolean): Responses {
  return {
    ...(!isUnsafe && described[200] !== undefined ? { 304: 'The cached copy is current.' } : {}),
    ...(hasBody
      ? {
          400: { description: 'The request is malformed or invalid.', content: anyJson },
          413: 'The body is too large.',
          415: 'The type of the body is not supported.',
        }
      : {}),
    ...(isUnsafe ? { 403: 'The request is cross-site, or its CSRF token is missing.' } : {}),
  }
}

/** Describes the responses. `default` describes other errors, or any response if no success is specified. */
export function describeResponses(
  context: RouteContext,
  described: Responses,
  hasBody: boolean,
): Readonly<Record<string, Response>> {
  const isSpecified = Object.keys(described).some(isSuccess)
  const known = isSpecified
    ? { ...frameworkResponses(context.isUnsafe, described, hasBody), ...described }
    : described
  const all = hasRefusal(known) ? known : { ...malformed, ...known }
  const byStatus = Object.fromEntries(
    Object.entries(all).map(([status, one]) => [status, describeResponse(context, status, one)]),
  )
  if (!isSpecified) return { ...byStatus, default: { description: 'Any response of the action.' } }
  // A hand-written action may send errors as any JSON.
  const content = { ...errorContent(context), ...(context.resource === undefined ? anyJson : {}) }
  return { ...byStatus, default: { description: 'An error.', content } }
}
