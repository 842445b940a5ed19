/** Redacts the secrets in a request target before it is logged. */
import { isSecretName, redacted, redactText } from '../base.ts'
import type { PathParams } from '../routing.ts'
import type { FwContext } from './context.ts'

/** The routes that match a path: those from `firstMatch` to `match`, or all if `match` is undefined. */
type Matches = Pick<FwContext, 'firstMatch' | 'match'>

/** Yields the path parameters of each route that was tried, including routes that called `pass()`. */
function* triedParams({ firstMatch, match }: Matches): Iterable<PathParams> {
  for (let at = firstMatch; at !== undefined && at.target !== match?.target; at = at.next())
    yield at.params
  if (match !== undefined) yield match.params
}

/** Redacts segments that match path parameters with secret names; adds `path <name>` of each to `redactedNames`. */
export function redactPath(path: string, ctx: Matches, redactedNames: string[] = []): string {
  const tried = [...triedParams(ctx)]
  const names = new Set(tried.flatMap((params) => [...params.keys()]).filter(isSecretName))
  const secrets = [...names]
    .flatMap((name) => tried.flatMap((params) => params.get(name) ?? []))
    .flatMap((value) => value.split('/'))
    .filter((part) => part !== '')
  if (secrets.length === 0) return path
  redactedNames.push(...[...names].map((name) => `path ${name}`))
  const containsSecret = (segment: string): boolean =>
    secrets.some((secret) => segment.includes(secret) || decoded(segment).includes(secret))
  return path
    .split('/')
    .map((segment) => (containsSecret(segment) ? redacted : segment))
    .join('/')
}

/** Redacts secrets in the path and query of a request target. */
export function redactTarget(target: string, ctx: FwContext): string {
  const [path, ...queries] = target.split('?')
  const query = queries.map((text) => `?${redactQuery(text)}`).join('')
  return redactText(redactPath(path!, ctx) + query)
}

const redactQuery = (text: string): string =>
  text
    .split('&')
    .map((pair) => {
      const [name] = pair.split('=', 1) as [string]
      const isSecret = name !== pair && isSecretName(decoded(name.replaceAll('+', ' ')))
      return isSecret ? `${name}=${redacted}` : pair
    })
    .join('&')

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
