/** The names of controllers and routes in documents and clients. */
import type { MountedRoute } from '../app.ts'
import { toCamelCase } from '../params.ts'

const words = (text: string): string[] => text.match(/[A-Za-z0-9]+/g) ?? []
const camel = (parts: readonly string[]): string => toCamelCase(parts.join('_'))
const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `/admin/:companyId` is `admin`: the plain parts. */
const plainParts = (path: string): string[] =>
  path.split('/').filter((part) => part !== '' && !/[:*(]/.test(part))

/** `members` of a resource or of `MembersController`, what it is mounted below before it. */
function groupName({ mounted, prefix, declared }: MountedRoute): string {
  const { prototype, name } = mounted.controllerClass
  const { resourcesName, resourcesBasePathPrefix = '' } = prototype as {
    resourcesName?: unknown
    resourcesBasePathPrefix?: string
  }
  const own =
    typeof resourcesName === 'string'
      ? [...plainParts(resourcesBasePathPrefix), resourcesName]
      : // Controllers of the micro layer share the name of their class.
        /^Micro(Filter|Servlet)$/.test(name)
        ? plainParts(declared.pattern).slice(0, 1)
        : [name.replace(/(Controller|Servlet)$/, '')]
  const found = camel([...plainParts(prefix), ...own].flatMap(words))
  return found === '' || /^\d/.test(found) ? `root${found}` : found
}

/** A name for each controller where it is mounted: one that is taken gets a number. */
export function groupNames(routes: readonly MountedRoute[]): (route: MountedRoute) => string {
  const names = new Map<unknown, Map<string, string>>()
  const taken = new Set<string>()
  for (const route of routes) {
    const known = names.get(route.mounted) ?? new Map<string, string>()
    names.set(route.mounted, known)
    if (known.has(route.prefix)) continue
    const wanted = groupName(route)
    let name = wanted
    for (let count = 2; taken.has(name); count++) name = `${wanted}${count}`
    taken.add(name)
    known.set(route.prefix, name)
  }
  return ({ mounted, prefix }) => names.get(mounted)!.get(prefix)!
}

/** The member of the routes object without its `Url`, else the route's name, else method and path. */
export function routeName({ mounted, declared, name, method }: MountedRoute): string {
  const key = mounted.keyOf(declared)?.replace(/(?<=.)Url$/, '')
  const found = key ?? name ?? camel([method.toLowerCase(), ...words(declared.pattern)])
  return camel(words(found))
}

/** `members` and `show` are `membersShow`. */
export const operationId = (group: string, name: string): string => group + upper(name)
