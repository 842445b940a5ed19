/** Describes the request of a route: path parameters, query parameters, headers and body. */
import type { FwContext } from '../../runtime/action.ts'
import type { MountedRoute } from '../../runtime/app.ts'
import type { DescribedFields, RouteDescription } from '../../runtime/controller.ts'
import type { HttpRequest } from '../../runtime/http.ts'
import { toUpperCamelCase, type ParamType, type ParamTypes } from '../../runtime/params.ts'
import { normalizePrefix } from '../../runtime/routing.ts'
import {
  toJsonSchema,
  Validation,
  type JsonSchema,
  type KeyRules,
} from '../../runtime/validation.ts'
import type { RouteContext } from './route-context.ts'
import type { Parameter, RequestBody } from './document.ts'
import {
  areParamTypes,
  isOptional,
  isParamType,
  requestFieldsSchema,
  requestSchema,
  requestShapeSchema,
} from './json-schema.ts'
import { schemaName } from './schema-set.ts'

const fieldSchema = (field: ParamType<unknown> | JsonSchema): JsonSchema =>
  isParamType(field) ? requestSchema(field) : field

function describeFields(fields: DescribedFields, location: 'query' | 'header'): Parameter[] {
  return Object.entries(fields).map(([name, field]) => {
    const isRequired = isParamType(field) && !isOptional(field) && field.name !== 'Boolean'
    const schema = fieldSchema(field)
    return { name, in: location, ...(isRequired ? { required: true } : {}), schema }
  })
}

/** Returns the path parameters in the order of the path, then the query parameters, then the headers. */
export function describeParameters(
  { template }: RouteContext,
  { path = {}, query = {}, headers = {} }: RouteDescription,
): readonly Parameter[] {
  const inPath = template.names.map((name): Parameter => {
    const field = Object.hasOwn(path, name) ? path[name] : undefined
    const schema: JsonSchema = field === undefined ? { type: 'string' } : fieldSchema(field)
    return { name, in: 'path', required: true, schema }
  })
  return [...inPath, ...describeFields(query, 'query'), ...describeFields(headers, 'header')]
}

/** Returns the media types of the bodies that the route's controller can parse. */
function bodyTypes({ route }: RouteContext): readonly string[] {
  const parsers = new Set(
    route.filters().flatMap(({ stage, owner }) => (stage === 'body' ? [owner] : [])),
  )
  return [
    ...(parsers.has('JsonParamsFeature') ? ['application/json'] : []),
    'application/x-www-form-urlencoded',
    ...(parsers.has('FileUploadFeature') ? ['multipart/form-data'] : []),
    ...(parsers.has('XmlParamsFeature') ? ['application/xml'] : []),
  ]
}

type Controller = Readonly<Record<string, ((ctx: FwContext) => unknown) | undefined>>

const findMethod = ({ mounted }: MountedRoute, name: string): unknown =>
  (mounted.controllerClass.prototype as Controller)[name]

const emptyRequest = (method: string, target: string): HttpRequest => ({
  method,
  target,
  mountPath: '',
  httpVersion: '1.1',
  scheme: 'http',
  host: 'localhost',
  remoteAddress: '127.0.0.1',
  body: {
    declaredLength: undefined,
    isEmpty: true,
    bytes: async () => new Uint8Array(),
    stream: () => new ReadableStream<Uint8Array>({ start: (controller) => controller.close() }),
    consume: async () => {},
  },
  signal: new AbortController().signal,
  aborted: false,
  header: () => undefined,
  headers: () => [],
})

export type ControllerContext = Pick<RouteContext, 'application' | 'route' | 'template'>

/** Creates an instance of the route's controller with an empty request. */
export function createController({ application, route, template }: ControllerContext): Controller {
  const prefix = normalizePrefix(application.settings.contextPath)
  const target = prefix + template.path.replace(/\{\w+\}/g, '1')
  const Controller = route.mounted.controllerClass as unknown as new (ctx: FwContext) => Controller
  return new Controller(application.createContext(emptyRequest(route.method, target)))
}

/**
 * Calls the controller method `name` with an empty request, and returns its form without validating it. Returns `undefined`
 * if there is no such form. If the method throws, also adds a note.
 */
async function createForm(context: RouteContext, name: string): Promise<Validation | undefined> {
  const { application, route, notes } = context
  const method = findMethod(route, name)
  // An action is not called, because that would have side effects.
  const isAction = application.routes.some(
    (each) => each.action === name && findMethod(each, name) === method,
  )
  if (typeof method !== 'function' || isAction) return undefined
  try {
    const controller = createController(context)
    const form = await controller[name]?.(controller['ctx'] as unknown as FwContext)
    return form instanceof Validation ? form : undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    notes.push(
      `${route.controller}.${name} failed for an empty request, so the document lacks the limits of its fields: ${reason}`,
    )
    return undefined
  }
}

/** Merges the fields and rules of a form with those of the route; the route's field types take precedence. */
function mergeFields(form: Validation | undefined, types: ParamTypes, rules: readonly KeyRules[]) {
  const formTypes = (form as { readonly types?: ParamTypes } | undefined)?.types
  return { types: { ...formTypes, ...types }, rules: [...(form?.rules ?? []), ...rules] }
}

/**
 * Returns the schema of the body that the action's form reads; by convention, the action `create` uses the form of
 * `createForm()`. Without such a form, returns the schema of the fields that the source code permits.
 */
async function formSchema(
  context: RouteContext,
  rules: readonly KeyRules[],
  permitted: ParamTypes | undefined,
): Promise<JsonSchema | undefined> {
  const { action } = context.route
  const form = action === undefined ? undefined : await createForm(context, `${action}Form`)
  if (form === undefined) return permitted && requestFieldsSchema({ types: permitted, rules })
  const { schema } = form as { readonly schema?: Parameters<typeof toJsonSchema>[0] }
  return schema === undefined
    ? requestFieldsSchema(mergeFields(form, {}, rules))
    : (toJsonSchema(schema) ?? {})
}

/** Returns the schema name of a body. `PATCH` of a resource has a separate schema, because it requires no fields. */
function bodyName({ group, name, resource }: RouteContext): string {
  if (resource === undefined) return `${toUpperCamelCase(group)}${toUpperCamelCase(name)}Form`
  return schemaName(resource.resourceName) + (resource.sends?.partial === true ? 'Patch' : 'Form')
}

const bodyMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Describes the body of a route. Returns `undefined` if it reads none, or if neither code nor description has its type.
 * @param permitted the fields that the source code permits
 */
export async function describeBody(
  context: RouteContext,
  { body, rules = [], bodyTypes: describedTypes }: RouteDescription,
  permitted: ParamTypes | undefined,
): Promise<RequestBody | undefined> {
  const { resource } = context
  if (body === undefined && !bodyMethods.has(context.route.method)) return undefined
  const isFields = body === undefined || areParamTypes(body)
  let read: JsonSchema | undefined
  if (body !== undefined)
    read = isFields ? requestFieldsSchema({ types: body, rules }) : requestShapeSchema(body)
  else if (resource === undefined) read = await formSchema(context, rules, permitted)
  else if (resource.sends !== undefined) {
    const { form, types, partial } = resource.sends
    const fields = mergeFields(await createForm(context, form), types, rules)
    read = requestFieldsSchema({ ...fields, partial })
  }
  if (read === undefined) return undefined
  const name = bodyName(context)
  const embedded = context.schemas.embed(name, read)
  const schema = embedded.$ref === undefined ? context.schemas.add(name, embedded) : embedded
  const parsed = bodyTypes(context)
  const types =
    describedTypes ??
    (isFields || parsed.includes('application/json') ? parsed : ['application/json'])
  const content = Object.fromEntries(types.map((type) => [type, { schema }]))
  return { ...((read.required ?? []).length > 0 ? { required: true } : {}), content }
}
