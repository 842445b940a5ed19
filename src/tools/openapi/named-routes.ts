/** Names controllers and routes in OpenAPI documents and generated clients. */
import type { MountedRoute } from '../../runtime/app.ts'
import { toCamelCase, toUpperCamelCase } from '../../runtime/params.ts'
import { takeName } from './schema-set.ts'

const splitWords = (text: string): string[] => text.match(/[A-Za-z0-9]+/g) ?? []
const joinWords = (words: readonly string[]): string => toCamelCase(words.join('_'))

/** Returns the segments of a path that have neither parameters nor patterns: `/admin/:companyId` → `admin`. */
const plainSegments = (path: string): string[] =>
  path.split('/').filter((segment) => segment !== '' && !/[:*(]/.test(segment))

/** Joins the mount prefix and the name of the resource or class: `/admin`, `MembersController` → `adminMembers`. */
function groupName({ mounted, prefix, declared }: MountedRoute): string {
  const { prototype, name } = mounted.controllerClass
  const { resourcesName, resourcesBasePathPrefix = '' } = prototype as {
    resourcesName?: unknown
    resourcesBasePathPrefix?: string
  }
  const segments =
    typeof resourcesName === 'string'
      ? [...plainSegments(resourcesBasePathPrefix), resourcesName]
      : // All micro controllers have the same class name, so use the first segment of their path.
        /^Micro(Filter|Servlet)$/.test(name)
        ? plainSegments(declared.pattern).slice(0, 1)
        : [name.replace(/(Controller|Servlet)$/, '')]
  const group = joinWords([...plainSegments(prefix), ...segments].flatMap(splitWords))
  return group === '' || /^\d/.test(group) ? `root${group}` : group
}

/** Returns a function that returns the unique name of a route's controller at its mount prefix. */
export function groupNames(routes: readonly MountedRoute[]): (route: MountedRoute) => string {
  const names = new Map<unknown, Map<string, string>>()
  const taken = new Set<string>()
  for (const route of routes) {
    const byPrefix = names.get(route.mounted) ?? new Map<string, string>()
    names.set(route.mounted, byPrefix)
    if (!byPrefix.has(route.prefix)) byPrefix.set(route.prefix, takeName(groupName(route), taken))
  }
  return ({ mounted, prefix }) => names.get(mounted)!.get(prefix)!
}

/** Returns the route's key in its routes object without `Url`, else the route's name, else its method and pattern. */
export function routeName({ mounted, declared, name, method }: MountedRoute): string {
  const key = mounted.keyOf(declared)?.replace(/(?<=.)Url$/, '')
  return joinWords(splitWords(key ?? name ?? `${method.toLowerCase()} ${declared.pattern}`))
}

/** Returns the operation's id: `members` and `show` → `membersShow`. */
export const operationId = (group: string, name: string): string => group + toUpperCamelCase(name)
