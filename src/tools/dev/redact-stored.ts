/** Redacts secrets in stored values: in JSON, also inside texts, in lists, and in URLs. */
import { isSecretName, redacted, redactText } from '../../runtime/base.ts'
import { encodeText, parseTextArray } from '../../runtime/db.ts'
import { mentionsSecret } from './redact-request.ts'

/** Deeper values are redacted. */
const deepest = 40

/** True for the name of a secret, or of its hash. A log shows other hashes, such as those of contents; a test needs none. */
export const hidesValue = (name: string): boolean =>
  isSecretName(name) || /(?:hash|digest)$/i.test(name)

/**
 * Returns a text without secrets: JSON without the members that have secret names, another text without passwords of URLs, and
 * `[redacted]` for a text that contains a secret name and a colon or equals sign, because the secret may stand behind it.
 */
export function redactStoredText(text: string, depth = 0): string {
  if (/^\s*[[{]/.test(text))
    try {
      return redactJson(text, depth)
    } catch (error) {
      // Very deep JSON has no copy.
      if (!(error instanceof SyntaxError)) return redacted
    }
  return /[:=]/.test(text) && mentionsSecret(text) ? redacted : redactText(text)
}

/** Returns JSON without secrets; the same text if it contains none. @throws SyntaxError if it is no JSON */
export function redactJson(text: string, depth = 0): string {
  const value: unknown = JSON.parse(text)
  const shown = redactMember(value, depth)
  return isSame(value, shown) ? text : JSON.stringify(shown)
}

/** Returns an array in the text form of PostgreSQL without secrets. Its elements are JSON or other texts. */
export function redactArray(text: string, isJson: boolean): string {
  const value = parseTextArray(text)
  const shown = isJson ? redactElements(value) : redactMember(value, 0)
  return isSame(value, shown) ? text : text.slice(0, text.indexOf('{')) + encodeText(shown)
}

function redactElements(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactElements)
  return typeof value === 'string' ? redactJson(value) : value
}

function redactMember(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactStoredText(value, depth + 1)
  if (typeof value !== 'object' || value === null) return value
  if (depth > deepest) return redacted
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
    const isHidden = member !== null && !Array.isArray(value) && hidesValue(name)
    return [name, member, isHidden ? redacted : redactMember(member, depth + 1)] as const
  })
  // A text that is a secret name, such as in `{ name: 'password', value: … }`, makes the values beside it secrets.
  const isNamed = members.some(
    ([, member]) => typeof member === 'string' && /^[\w-]+$/.test(member) && hidesValue(member),
  )
  const copied = members.map(([name, member, shown]) => {
    const isScalar = typeof member === 'string' || typeof member === 'number'
    return [name, isNamed && isScalar ? redacted : shown] as const
  })
  return Array.isArray(value) ? copied.map(([, shown]) => shown) : Object.fromEntries(copied)
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)
