/** Describes one route as an OpenAPI operation, from its code and from its `describe` options. */
import type { MountedRoute } from '../../runtime/app.ts'
import type { ResponseDescription, RouteDescription } from '../../runtime/controller.ts'
import { describeBearer } from '../../runtime/feature.ts'
import { toSnakeCase } from '../../runtime/params.ts'
import { describeResource } from './describe-resource.ts'
import {
  createController,
  describeBody,
  describeParameters,
  type ControllerContext,
} from './describe-request.ts'
import { describeResponses, isSuccess, type Responses } from './describe-responses.ts'
import type { Operation } from './document.ts'
import { operationId } from './named-routes.ts'
import type { RouteContext } from './route-context.ts'
import { takeName } from './schema-set.ts'

/** The names of the three security schemes: the session cookie, the session's CSRF token, and bearer tokens. */
export const sessionScheme = 'session'
export const tokenScheme = 'csrfToken'
export const bearerScheme = 'bearerAuth'

/** The route's `describe` options; `undefined` for a hidden route. */
export function readDescription({ mounted, name }: MountedRoute): RouteDescription | undefined {
  const { routes, hidden } = mounted.description
  const own = name === undefined ? undefined : routes?.[name]
  return (own?.hidden ?? hidden) === true ? undefined : (own ?? {})
}

/** Creates the controller, so that the settings of its instance can be read; `undefined` if its constructor throws. */
function tryCreateController(context: ControllerContext): object | undefined {
  try {
    return createController(context)
  } catch {
    return undefined
  }
}

const words = (name: string): string => toSnakeCase(name).replaceAll('_', ' ')

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const invalidResponse: ResponseDescription = {
  description: 'The values are invalid.',
  content: { 'application/json': {} },
}

/** Returns the security requirements of a route, and the responses to requests without a valid token. */
function describeAuthentication({ route, isUnsafe }: RouteContext) {
  const bearer = describeBearer(route.settings(), route.method)
  if (bearer === undefined) {
    const hasTokenFilter = route.filters().some(({ stage }) => stage === 'token')
    const cookies = { [sessionScheme]: [], [tokenScheme]: [] }
    // An empty list says that no known scheme protects the route.
    return { security: hasTokenFilter && isUnsafe ? [cookies] : [], responses: {} }
  }
  const headers = { 'WWW-Authenticate': { type: 'string' as const } }
  const refusals = [
    ...(bearer.scopes.length > 0 ? [`the token lacks a scope of ${bearer.scopes.join(', ')}`] : []),
    ...(isUnsafe ? ['a page of an origin that is not allowed sent the request'] : []),
  ]
  const forbidden = `Forbidden: ${refusals.join(', or ')}.`
  return {
    // `{}` means: also without a token.
    security: [...(bearer.isOptional ? [{}] : []), { [bearerScheme]: bearer.scopes }],
    responses: {
      401: {
        description: `The token is ${bearer.isOptional ? '' : 'missing or '}not valid.`,
        headers,
      },
      ...(refusals.length > 0 ? { 403: { description: forbidden, headers } } : {}),
    },
  }
}

/**
 * Returns the responses of a resource's action, and those inferred from the source code. A description of a
 * success replaces the responses that were inferred from the source code.
 */
function inferResponses(
  { application, resource }: RouteContext,
  description: RouteDescription,
  hasBody: boolean,
  source: Responses | undefined,
): Responses {
  const { status } = application.settings.validation
  // The status 400 also means a malformed request, so it has its own description.
  const invalid =
    hasBody && status !== 400 ? { [status]: resource?.responses?.[400] ?? invalidResponse } : {}
  const specifiesSuccess = Object.keys(description.responses ?? {}).some(isSuccess)
  const inferred = Object.entries({ ...invalid, ...source }).filter(
    ([one]) => !specifiesSuccess || !isSuccess(one),
  )
  return { ...resource?.responses, ...Object.fromEntries(inferred) }
}

export async function describeRoute(
  base: Omit<RouteContext, 'resource'>,
  description: RouteDescription,
): Promise<Operation> {
  const { route, group } = base
  const { action = '', method, mounted } = route
  const query = { action, method, format: base.template.format }
  const resource = describeResource(mounted.controllerClass, query, tryCreateController(base))
  const context: RouteContext = { ...base, resource }
  const merged: { -readonly [K in keyof RouteDescription]: RouteDescription[K] } = {
    ...resource,
    ...description,
    path: { ...resource?.path, ...description.path },
    query: { ...resource?.query, ...description.query },
    headers: { ...resource?.headers, ...description.headers },
  }
  // Do not read the source code for an action that the resource trait provides: `resource` describes it.
  const isOwn = Object.keys(resource?.responses ?? {}).length > 0
  const source = isOwn ? undefined : context.sources?.describe(route)
  merged.query = { ...source?.query, ...merged.query }
  const parameters = describeParameters(context, merged)
  const requestBody = await describeBody(context, description, source?.body)
  const hasBody = requestBody !== undefined
  const authentication = describeAuthentication(context)
  const responses = {
    ...inferResponses(context, description, hasBody, source?.responses),
    ...authentication.responses,
    ...description.responses,
  }
  // A name repeats if a route has several paths; `/a-b` and `/a/b` also yield the same name.
  const id = takeName(operationId(group, context.name), context.operationIds)
  const name = context.name + id.slice(operationId(group, context.name).length)
  const operation: { [K in keyof Operation]: Operation[K] | undefined } = {
    operationId: id,
    summary: merged.summary ?? `${capitalize(words(group))} ${words(name)}`,
    description: merged.description,
    tags: (merged.tags ?? [mounted.description.tag ?? group]).map(context.tagOf),
    deprecated: merged.deprecated === true ? true : undefined,
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody,
    responses: describeResponses(context, responses, hasBody),
    security: authentication.security,
  }
  return Object.fromEntries(
    Object.entries(operation).filter(([, value]) => value !== undefined),
  ) as unknown as Operation
}
