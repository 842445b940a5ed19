/** One route as an operation: what its code says, and what is said of it. */
import type { RouteDescription } from '../controller.ts'
import { describeResource } from '../resource.ts'
import { describeBody, describeParameters } from './describe-request.ts'
import { describeResponses } from './describe-responses.ts'
import type { Operation } from './document.ts'
import { operationId } from './named-routes.ts'
import type { RouteUnderWay } from './route-under-way.ts'

/** The names of the security schemes: the session's cookie, and the token that belongs to it. */
export const sessionScheme = 'session'
export const tokenScheme = 'csrfToken'

/** What `describe` says of a route; `undefined` when it is to be left out. */
export function saidOf({ route }: Pick<RouteUnderWay, 'route'>): RouteDescription | undefined {
  const { description } = route.mounted
  const own = route.name === undefined ? undefined : description.routes?.[route.name]
  return (own?.hidden ?? description.hidden) === true ? undefined : (own ?? {})
}

/** The routes of a suffix have names of their own: the first format has that of the route. */
function ownName({ name, template: { format } }: RouteUnderWay): string {
  return format === undefined || format === 'json'
    ? name
    : `${name}${format.charAt(0).toUpperCase()}${format.slice(1)}`
}

const given = <T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never

/** The operation of a path. */
export async function describeRoute(at: RouteUnderWay, said: RouteDescription): Promise<Operation> {
  const { route, isUnsafe, template, group } = at
  const { action = '', method, mounted } = route
  const asked = { action, method, format: template.format }
  const resource = describeResource(mounted.controllerClass, asked)
  const all: RouteDescription = {
    ...resource,
    ...said,
    path: { ...resource?.path, ...said.path },
    query: { ...resource?.query, ...said.query },
    headers: { ...resource?.headers, ...said.headers },
  }
  const parameters = describeParameters(at, all)
  const requestBody = await describeBody(at, said, resource)
  const responses = { ...resource?.responses, ...said.responses }
  const hasToken = route.filters().some(({ stage }) => stage === 'token')
  const name = at.uniqueName(ownName(at))
  return given({
    operationId: operationId(group, name),
    summary: all.summary,
    description: all.description,
    tags: all.tags ?? [mounted.description.tag ?? group],
    deprecated: all.deprecated === true ? true : undefined,
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody,
    responses: describeResponses(at, responses, resource, requestBody !== undefined),
    security: hasToken && isUnsafe ? [{ [sessionScheme]: [], [tokenScheme]: [] }] : undefined,
    'x-fw-route': `${group}.${name}`,
  }) as Operation
}
