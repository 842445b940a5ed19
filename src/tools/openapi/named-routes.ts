/** Names of controllers and routes in documents and generated clients. */
import type { MountedRoute } from '../../runtime/app.ts'
import { toCamelCase } from '../../runtime/params.ts'
import { takeName } from './schema-set.ts'

const splitWords = (text: string): string[] => text.match(/[A-Za-z0-9]+/g) ?? []
const joinWords = (words: readonly string[]): string => toCamelCase(words.join('_'))

/** The segments of a path that have neither parameters nor patterns: `/admin/:companyId` → `admin`. */
const plainSegments = (path: string): string[] =>
  path.split('/').filter((segment) => segment !== '' && !/[:*(]/.test(segment))

/** Mount prefix and resource or class: `/admin` and `MembersController` → `adminMembers`. */
function groupName({ mounted, prefix, declared }: MountedRoute): string {
  const { prototype, name } = mounted.controllerClass
  const { resourcesName, resourcesBasePathPrefix = '' } = prototype as {
    resourcesName?: unknown
    resourcesBasePathPrefix?: string
  }
  const segments =
    typeof resourcesName === 'string'
      ? [...plainSegments(resourcesBasePathPrefix), resourcesName]
      : // All micro controllers share a class name, so their first path segment names them.
        /^Micro(Filter|Servlet)$/.test(name)
        ? plainSegments(declared.pattern).slice(0, 1)
        : [name.replace(/(Controller|Servlet)$/, '')]
  const group = joinWords([...plainSegments(prefix), ...segments].flatMap(splitWords))
  return group === '' || /^\d/.test(group) ? `root${group}` : group
}

/** Returns the lookup of a unique name for each controller at each mount prefix. */
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

/** The route's key without `Url`, else its name, else its method and pattern. */
export function routeName({ mounted, declared, name, method }: MountedRoute): string {
  const key = mounted.keyOf(declared)?.replace(/(?<=.)Url$/, '')
  return joinWords(splitWords(key ?? name ?? `${method.toLowerCase()} ${declared.pattern}`))
}

/** `members` and `show` → `membersShow`. */
export const operationId = (group: string, name: string): string =>
  group + name.charAt(0).toUpperCase() + name.slice(1)
