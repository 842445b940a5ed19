/** Redacts secrets in a request before it is printed, logged or recorded. */
import { isSecretName, redacted } from '../../runtime/base.ts'

/** True when a word of the text is a secret name. */
export const mentionsSecret = (text: string): boolean =>
  (text.match(/[\w-]+/g) ?? []).some(isSecretName)

/** Copies plain values and redacts members with secret names. Appends the path of each redacted member to the array `omitted`. */
export function redactMembers(value: unknown, path: string, omitted: string[]): unknown {
  if (Array.isArray(value))
    return value.map((item, at) => redactMembers(item, `${path}[${at}]`, omitted))
  if (value instanceof Set)
    return new Set([...value].map((item, at) => redactMembers(item, `${path}[${at}]`, omitted)))
  if (value instanceof Map) {
    const copied = [...value].map(([key, member]: [unknown, unknown]) => [
      key,
      redactMember(String(key), member, path, omitted),
    ])
    return new Map(copied as [unknown, unknown][])
  }
  if (!isPlain(value)) return value
  const copied: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value))
    copied[name] = redactMember(name, member, path, omitted)
  return copied
}

function redactMember(name: string, member: unknown, path: string, omitted: string[]) {
  const inside = `${path}.${name}`
  if (!isSecretName(name) || member === null || member === undefined)
    return redactMembers(member, inside, omitted)
  omitted.push(inside)
  return redacted
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
