/** Turns whatever is to be logged into plain values without secrets. */
import { cutText } from './log-text.ts'

const secret =
  /passw|pwd|secret|token|_key|apikey|crypt|salt|otp|cvv|cvc|ssn|authorization|cookie|csrf|credit_?card|session_?id/
const credentials = /:\/\/[^/?#\s]{0,512}@/g
/** What stands for a value that is not to be shown. */
export const redacted = '[redacted]'
const deepest = 8
const widest = 100
const mostValues = 5000

/**
 * True for names whose values are never printed: passwords, tokens, keys, cookies and their like.
 * `apiKey`, `api-key` and `API_KEY` count alike.
 *
 * @spec Diagnostics › warnElapsedTimeWithRequest
 */
export function isSecretName(name: string): boolean {
  return secret.test(
    name
      .slice(0, 256)
      .replace(/[a-z\d](?=[A-Z])/g, '$&_')
      .replaceAll('-', '_')
      .toLowerCase(),
  )
}

/** The text without the user and password of any URL inside it, cut to 2048 characters. */
export function redactText(text: string): string {
  return cutText(text.includes('@') ? text.replace(credentials, `://${redacted}@`) : text)
}

/**
 * A copy to print: values under secret names become `[redacted]`, texts are cut at 2048 characters, lists and
 * maps at 100 entries, nesting at 8 levels, the whole at 5,000 values. Errors become their name, code, message, stack
 * and cause. Never throws, whatever the getters inside do.
 */
export function redact(value: unknown): unknown {
  return new Copier().copy(value, [])
}

/** Copies one value; `outer` and `path` hold the objects around it, so that a loop is seen. */
class Copier {
  // What is shared is copied at each place: without an end, a web of objects would fill the memory.
  #left = mostValues

  copy(value: unknown, outer: readonly object[]): unknown {
    if (this.#left-- <= 0) return '[too much]'
    if (typeof value === 'string') return redactText(value)
    if (typeof value === 'number' || typeof value === 'boolean' || value == null) return value
    if (typeof value !== 'object') return typeof value === 'function' ? '[function]' : String(value)
    if (outer.includes(value)) return '[circular]'
    if (outer.length >= deepest) return '[too deep]'
    try {
      return this.#object(value, [...outer, value])
    } catch {
      return '[unprintable]'
    }
  }

  #object(value: object, path: readonly object[]): unknown {
    if (value instanceof Error) return this.#members(errorMembers(value), path)
    if (Array.isArray(value)) return this.#items(value, path)
    if (value instanceof Map) return this.#members(value, path)
    if (value instanceof Set) return this.#items([...value], path)
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
    const { toJSON } = value as { toJSON?: unknown }
    if (typeof toJSON === 'function') return this.copy(toJSON.call(value), path)
    return this.#members(entriesOf(value), path)
  }

  #items(items: readonly unknown[], path: readonly object[]): unknown[] {
    const copied = items.slice(0, widest).map((item) => this.copy(item, path))
    if (items.length > widest) copied.push(`… (${items.length - widest} more)`)
    return copied
  }

  #members(members: Iterable<readonly [unknown, unknown]>, path: readonly object[]): object {
    const copied: Record<string, unknown> = Object.create(null)
    let count = 0
    for (const [key, value] of members) {
      if (count++ === widest) {
        copied['…'] = 'more'
        break
      }
      const name = cutText(String(key))
      copied[name] = isSecretName(name) && value !== undefined ? redacted : this.copy(value, path)
    }
    return copied
  }
}

/** One bad getter hides its own value only. */
function* entriesOf(value: object): Generator<readonly [string, unknown]> {
  for (const key of Object.keys(value)) {
    let member: unknown
    try {
      member = (value as Record<string, unknown>)[key]
    } catch {
      member = '[unprintable]'
    }
    yield [key, member]
  }
}

function errorMembers(error: Error): readonly (readonly [string, unknown])[] {
  const { name, message, stack, cause } = error
  const { code, errors } = error as { code?: unknown; errors?: unknown }
  const members = { name, code, message, stack, cause, errors }
  return Object.entries(members).filter(([, member]) => member !== undefined)
}
