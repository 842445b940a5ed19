/** What is shown, or kept, of values that may be secret. */
import type { FwContext } from '../action.ts'
import { isSecretName, redact, redacted, redactText } from '../base.ts'
import type { PathParams } from '../routing.ts'

/** A value's text for a page, redacted as in the log. */
export function shownValue(name: string, value: unknown): string {
  if (isSecretName(name)) return redacted
  const safe = redact(value)
  return typeof safe === 'string' ? safe : (JSON.stringify(safe) ?? 'undefined')
}

/** Parameters have no names: where the statement speaks of anything secret, all of them are hidden. */
export function shownParameters(sql: string, parameters: readonly unknown[]): readonly string[] {
  const secret = namesSecret(sql)
  return parameters.map((parameter) => (secret ? redacted : shownValue('', parameter)))
}

/** What the database answered to a statement, which may repeat its parameters: hidden where they are. */
export const shownFailure = (sql: string, failure: string): string =>
  namesSecret(sql) ? redacted : failure

/** Whether any word of a text is a secret name. */
export const namesSecret = (text: string): boolean =>
  (text.match(/[\w-]+/g) ?? []).some(isSecretName)

/** The path's parameters in each route that was tried: one that passes, or refuses, knows what is secret as well. */
function* triedParams({ firstMatch, match }: FwContext): Iterable<PathParams> {
  for (let at = firstMatch; at !== undefined && at.target !== match?.target; at = at.next())
    yield at.params
  if (match !== undefined) yield match.params
}

/** A path, raw or decoded, without what parameters of secret names matched; `told` gets the name of each. */
export function pathWithoutSecrets(path: string, ctx: FwContext, told: string[] = []): string {
  const tried = [...triedParams(ctx)]
  const names = new Set(tried.flatMap((params) => [...params.keys()]).filter(isSecretName))
  const secrets = [...names]
    .flatMap((name) => tried.flatMap((params) => params.get(name) ?? []))
    .flatMap((value) => value.split('/'))
    .filter((part) => part !== '')
  if (secrets.length === 0) return path
  told.push(...[...names].map((name) => `path ${name}`))
  const tells = (segment: string): boolean =>
    secrets.some((secret) => segment.includes(secret) || decoded(segment).includes(secret))
  return path
    .split('/')
    .map((segment) => (tells(segment) ? redacted : segment))
    .join('/')
}

/** A request's target as it was sent, without the values of secret names in path and query. */
export function targetWithoutSecrets(target: string, ctx: FwContext): string {
  const [path, ...queries] = target.split('?')
  const query = queries.map((text) => `?${queryWithoutSecrets(text)}`).join('')
  return redactText(pathWithoutSecrets(path!, ctx) + query)
}

const queryWithoutSecrets = (text: string): string =>
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

/** A copy of plain values in which what bears a secret name is hidden; `told` gets the path of each. */
export function withoutSecrets(value: unknown, path: string, told: string[]): unknown {
  if (Array.isArray(value))
    return value.map((item, at) => withoutSecrets(item, `${path}[${at}]`, told))
  if (value instanceof Set)
    return new Set([...value].map((item, at) => withoutSecrets(item, `${path}[${at}]`, told)))
  if (value instanceof Map) {
    const copied = [...value].map(([key, member]: [unknown, unknown]) => [
      key,
      memberWithoutSecrets(String(key), member, path, told),
    ])
    return new Map(copied as [unknown, unknown][])
  }
  if (!isPlain(value)) return value
  const copied: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value))
    copied[name] = memberWithoutSecrets(name, member, path, told)
  return copied
}

function memberWithoutSecrets(name: string, member: unknown, path: string, told: string[]) {
  const inside = `${path}.${name}`
  if (!isSecretName(name) || member === null || member === undefined)
    return withoutSecrets(member, inside, told)
  told.push(inside)
  return redacted
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
