/** What a route reads: parameters of path and query, headers, and the body. */
import type { BodyShape, DescribedFields, RouteDescription } from '../controller.ts'
import { toUpperCamelCase, type ParamType, type ParamTypes } from '../params.ts'
import type { DescribedResourceRoute } from '../resource.ts'
import { normalPrefix } from '../routing.ts'
import { jsonSchemaOf, type JsonSchema, type KeyRules, type Validation } from '../validation.ts'
import { adoptedSchema } from './adopted-schema.ts'
import { askForm, hasForm } from './asked-form.ts'
import type { Parameter, RequestBody } from './document.ts'
import { isOptional, sentSchema, withoutNull } from './param-schema.ts'
import type { RouteUnderWay } from './route-under-way.ts'
import { schemaName } from './schema-set.ts'
import { areParamTypes, isParamType, sentFieldsSchema, sentShapeSchema } from './shape-schema.ts'

const anyText: JsonSchema = { type: 'string' }
const schemaOf = (field: ParamType<unknown> | JsonSchema): JsonSchema =>
  isParamType(field) ? withoutNull(sentSchema(field)) : field

function parameters(fields: DescribedFields, where: 'query' | 'header'): Parameter[] {
  return Object.entries(fields).map(([name, field]) => {
    const must = isParamType(field) && !isOptional(field) && field.name !== 'Boolean'
    return { name, in: where, ...(must ? { required: true } : {}), schema: schemaOf(field) }
  })
}

/** Those of the path as it is written, then of the query, then headers. */
export function describeParameters(
  { template }: RouteUnderWay,
  { path = {}, query = {}, headers = {} }: RouteDescription,
): readonly Parameter[] {
  const named = template.names.map((name): Parameter => {
    const field = Object.hasOwn(path, name) ? path[name] : undefined
    const schema = field === undefined ? anyText : schemaOf(field)
    return { name, in: 'path', required: true, schema }
  })
  return [...named, ...parameters(query, 'query'), ...parameters(headers, 'header')]
}

/** Media types that the controller's features read. */
function readTypes({ route }: RouteUnderWay): readonly string[] {
  const members = route.mounted.controllerClass.prototype as object
  return [
    ...('jsonBody' in members ? ['application/json'] : []),
    'application/x-www-form-urlencoded',
    ...('fileParams' in members ? ['multipart/form-data'] : []),
    ...('xmlBody' in members ? ['application/xml'] : []),
  ]
}

interface Sent {
  readonly schema: JsonSchema
  readonly types: readonly string[]
}

/** A form's own fields, over those that its action permits. */
function fieldsOf(form: Validation | undefined, types: ParamTypes, more: readonly KeyRules[]) {
  const own = (form as { readonly types?: ParamTypes } | undefined)?.types
  return { types: { ...own, ...types }, rules: [...(form?.rules ?? []), ...more] }
}

/** Asks the form, if there is one, and tells when it cannot be asked. */
async function asked(at: RouteUnderWay, name: string): Promise<Validation | undefined> {
  const { application, route, template, notes } = at
  if (!hasForm(application, route, name)) return undefined
  const path = template.path.replace(/\{\w+\}/g, '1')
  const context = normalPrefix(application.settings.contextPath)
  try {
    return await askForm({ application, route, path: context + path, name })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    notes.push(
      `${route.controller}.${name} could not be asked what it judges by, so the limits of its fields are not told: ${why}`,
    )
    return undefined
  }
}

async function sentToResource(
  at: RouteUnderWay,
  { sends }: DescribedResourceRoute,
  more: readonly KeyRules[],
): Promise<Sent | undefined> {
  if (sends === undefined) return undefined
  const fields = fieldsOf(await asked(at, sends.form), sends.types, more)
  return { schema: sentFieldsSchema({ ...fields, partial: sends.partial }), types: readTypes(at) }
}

/** `create` is judged by `createForm`, if the controller has one. */
async function sentByConvention(
  at: RouteUnderWay,
  more: readonly KeyRules[],
): Promise<Sent | undefined> {
  const { action } = at.route
  const form = action === undefined ? undefined : await asked(at, `${action}Form`)
  if (form === undefined) return undefined
  const { schema } = form as { readonly schema?: Parameters<typeof jsonSchemaOf>[0] }
  const types = readTypes(at)
  if (schema !== undefined) return { schema: jsonSchemaOf(schema) ?? {}, types }
  return { schema: sentFieldsSchema(fieldsOf(form, {}, more)), types }
}

function sentAsDescribed(at: RouteUnderWay, body: BodyShape, rules: readonly KeyRules[]): Sent {
  if (areParamTypes(body))
    return { schema: sentFieldsSchema({ types: body, rules }), types: readTypes(at) }
  const types = readTypes(at)
  const json = types.includes('application/json') ? types : ['application/json']
  return { schema: sentShapeSchema(body), types: json }
}

/** `PATCH` of a resource sends other fields than `PUT`. */
function bodyName(at: RouteUnderWay, resource: DescribedResourceRoute | undefined): string {
  const { group, name } = at
  if (resource === undefined) return `${toUpperCamelCase(group)}${toUpperCamelCase(name)}Form`
  const ending = resource.sends?.partial === true ? 'Patch' : 'Form'
  return schemaName(resource.resourceName) + ending
}

const bodyMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/** `undefined` where nothing is known to be read. */
export async function describeBody(
  at: RouteUnderWay,
  said: RouteDescription,
  resource: DescribedResourceRoute | undefined,
): Promise<RequestBody | undefined> {
  const { body, rules = [], bodyTypes } = said
  if (body === undefined && !bodyMethods.has(at.route.method)) return undefined
  const sent =
    body === undefined
      ? resource === undefined
        ? await sentByConvention(at, rules)
        : await sentToResource(at, resource, rules)
      : sentAsDescribed(at, body, rules)
  if (sent === undefined) return undefined
  const name = bodyName(at, resource)
  const adopted = adoptedSchema(at.schemas, name, sent.schema)
  const schema = adopted.$ref === undefined ? at.schemas.named(name, adopted) : adopted
  const must = (sent.schema.required ?? []).length > 0
  const types = bodyTypes ?? sent.types
  const content = Object.fromEntries(types.map((type) => [type, { schema }]))
  return { ...(must ? { required: true } : {}), content }
}
