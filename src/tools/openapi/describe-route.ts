/** Describes one route as an OpenAPI operation, from its code and from its `describe` options. */
import type { MountedRoute } from '../../runtime/app.ts'
import type { ResponseDescription, RouteDescription } from '../../runtime/controller.ts'
import { describeResource } from './describe-resource.ts'
import { createController, describeBody, describeParameters } from './describe-request.ts'
import { describeResponses } from './describe-responses.ts'
import type { Operation } from './document.ts'
import { operationId } from './named-routes.ts'
import type { RouteContext } from './route-context.ts'

/** The names of the security schemes: the session cookie and the session's CSRF token. */
export const sessionScheme = 'session'
export const tokenScheme = 'csrfToken'

/** The route's `describe` options; `undefined` for a hidden route. */
export function readDescription({ mounted, name }: MountedRoute): RouteDescription | undefined {
  const { routes, hidden } = mounted.description
  const own = name === undefined ? undefined : routes?.[name]
  return (own?.hidden ?? hidden) === true ? undefined : (own ?? {})
}

/** The route's name; paths with the suffix `.xml` add `Xml`. */
function operationName({ name, template: { format } }: RouteContext): string {
  return format === undefined || format === 'json'
    ? name
    : `${name}${format.charAt(0).toUpperCase()}${format.slice(1)}`
}

/** An instance has the resource hooks that a subclass overrides; `undefined` if its constructor throws. */
function tryCreateController(context: RouteContext): object | undefined {
  try {
    return createController(context)
  } catch {
    return undefined
  }
}

/** A failed validation, where its status is another than that of a malformed request. */
function describeInvalid(
  { application }: RouteContext,
  described: string | ResponseDescription = {
    description: 'The values are invalid.',
    content: { 'application/json': {} },
  },
): Readonly<Record<number, string | ResponseDescription>> {
  const { status } = application.settings.validation
  return status === 400 ? {} : { [status]: described }
}

export async function describeRoute(
  context: RouteContext,
  description: RouteDescription,
): Promise<Operation> {
  const { route, isUnsafe, template, group } = context
  const { action = '', method, mounted } = route
  const query = { action, method, format: template.format }
  const resource = describeResource(mounted.controllerClass, query, tryCreateController(context))
  const merged: RouteDescription = {
    ...resource,
    ...description,
    path: { ...resource?.path, ...description.path },
    query: { ...resource?.query, ...description.query },
    headers: { ...resource?.headers, ...description.headers },
  }
  const parameters = describeParameters(context, merged)
  const requestBody = await describeBody(context, description, resource)
  const invalid =
    requestBody === undefined ? {} : describeInvalid(context, resource?.responses?.[400])
  const responses = { ...resource?.responses, ...invalid, ...description.responses }
  const hasTokenFilter = route.filters().some(({ stage }) => stage === 'token')
  const name = context.uniqueName(operationName(context))
  const operation: { [K in keyof Operation]: Operation[K] | undefined } = {
    operationId: operationId(group, name),
    summary: merged.summary,
    description: merged.description,
    tags: merged.tags ?? [mounted.description.tag ?? group],
    deprecated: merged.deprecated === true ? true : undefined,
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody,
    responses: describeResponses(context, responses, resource, requestBody !== undefined),
    security: hasTokenFilter && isUnsafe ? [{ [sessionScheme]: [], [tokenScheme]: [] }] : undefined,
    'x-fw-route': `${group}.${name}`,
  }
  return Object.fromEntries(
    Object.entries(operation).filter(([, value]) => value !== undefined),
  ) as unknown as Operation
}
