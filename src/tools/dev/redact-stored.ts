/** Redacts secrets in stored values: in texts, JSON and arrays. */
import { isSecretName, redacted, redactText } from '../../runtime/base.ts'
import { encodeText, parseTextArray } from '../../runtime/db.ts'
import { mentionsSecret } from './redact-request.ts'

/** Lists and objects below this depth are redacted. */
const deepest = 40

/** True for the name of a secret or of a hash. Logs show hashes, such as those of contents; generated tests do not. */
export const hidesValue = (name: string): boolean =>
  isSecretName(name) || /(?:hash|digest)$/i.test(name)

/**
 * Returns a text without secrets. In JSON, redacts the values of secret names; the result is JSON too. In another text, redacts
 * the credentials in URLs. Redacts the whole text if it contains a secret name and `:` or `=`, such as `password=…`.
 */
export function redactStoredText(text: string, depth = 0): string {
  if (/^\s*[[{"]/.test(text))
    try {
      return redactJson(text, depth)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
    }
  return /[:=]/.test(text) && mentionsSecret(text) ? redacted : redactText(text)
}

/** Redacts the texts and JSON in an array, which has the text form of PostgreSQL. */
export function redactArray(text: string): string {
  const value = parseTextArray(text)
  const shown = redactValue(value, 0)
  return shown === value ? text : text.slice(0, text.indexOf('{')) + encodeText(shown)
}

/** Returns the same text if the JSON contains no secret. */
function redactJson(text: string, depth: number): string {
  const value: unknown = JSON.parse(text)
  const shown = redactValue(value, depth)
  // Of members with the same name, JSON.parse returns only the last: the others may contain secrets.
  const isComplete = shown === value && countMembers(text) === countMembers(JSON.stringify(value))
  return isComplete ? text : JSON.stringify(shown)
}

/** Counts the members of all objects in JSON: each has one colon outside of texts. */
const countMembers = (json: string): number =>
  json.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '').split(':').length

/** Returns the same value if it contains no secret. */
function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactStoredText(value, depth + 1)
  if (typeof value !== 'object' || value === null) return value
  if (depth > deepest) return redacted
  const members: [string, unknown][] = Object.entries(value)
  // A secret name as a value, such as in `{ name: 'password', value: … }`, marks the values beside it as secrets.
  const isNamed = members.some(
    ([, member]) => typeof member === 'string' && /^[\w-]+$/.test(member) && hidesValue(member),
  )
  const shown = members.map(([name, member]): [string, unknown] => {
    const isSecret = isNamed || (!Array.isArray(value) && hidesValue(name))
    const isHarmless = member === null || typeof member === 'boolean'
    return [name, isSecret && !isHarmless ? redacted : redactValue(member, depth + 1)]
  })
  if (shown.every(([, member], at) => member === members[at]![1])) return value
  return Array.isArray(value) ? shown.map(([, member]) => member) : Object.fromEntries(shown)
}
