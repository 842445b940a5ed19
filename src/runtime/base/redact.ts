/** `redact`: copies a value for a log, without secrets and with bounded size. */

const secretName =
  /passw|pwd|secret|token|_key|apikey|crypt|salt|otp|cvv|cvc|ssn|authorization|cookie|csrf|credit_?card|session_?id/
const urlCredentials = /:\/\/[^/?#\s]{0,512}@/g
/** The text that replaces a secret value. */
export const redacted = '[redacted]'
const longestText = 2048
const deepest = 8
const widest = 100
const mostValues = 5000

/**
 * True for a name whose values are secrets: passwords, tokens, keys, cookies and others. Spelling does not matter: `apiKey`,
 * `api-key` and `API_KEY` are equal.
 *
 * @spec Diagnostics › warnElapsedTimeWithRequest
 */
export function isSecretName(name: string): boolean {
  const known = knownNames.get(name)
  if (known !== undefined) return known
  const snakeCase = name.slice(0, 256).replace(/[a-z\d](?=[A-Z])/g, '$&_')
  const isSecret = secretName.test(snakeCase.replaceAll('-', '_').toLowerCase())
  if (knownNames.size < maxKnownNames && name.length <= 64) knownNames.set(name, isSecret)
  return isSecret
}

/** A cache of `isSecretName`: the same field names recur in most log lines. */
const knownNames = new Map<string, boolean>()
const maxKnownNames = 1000

function truncate(text: string): string {
  return text.length <= longestText
    ? text
    : `${text.slice(0, longestText)}… (${text.length - longestText} more characters)`
}

/** Redacts the user and password of each URL in a text, and truncates the text at 2048 characters. */
export function redactText(text: string): string {
  return truncate(text.includes('@') ? text.replace(urlCredentials, `://${redacted}@`) : text)
}

/**
 * Copies a value for a log. Values under secret names become `[redacted]`. Texts are truncated at 2048 characters, lists and
 * maps at 100 entries, nesting at 8 levels, and the whole copy at 5,000 values. Errors become their name, code, message, stack
 * and cause. Never throws, not even if a getter of the value throws.
 */
export function redact(value: unknown): unknown {
  return new Copier().copy(value, [])
}

/** Copies one value. `ancestors` are the objects that contain the value: a value that is one of them is a cycle. */
class Copier {
  // Shared references are copied at each use, so the total is capped.
  #left = mostValues

  copy(value: unknown, ancestors: readonly object[]): unknown {
    if (this.#left-- <= 0) return '[too much]'
    if (typeof value === 'string') return redactText(value)
    if (typeof value === 'number' || typeof value === 'boolean' || value == null) return value
    if (typeof value !== 'object') return typeof value === 'function' ? '[function]' : String(value)
    if (ancestors.includes(value)) return '[circular]'
    if (ancestors.length >= deepest) return '[too deep]'
    try {
      return this.#copyObject(value, [...ancestors, value])
    } catch {
      return '[unprintable]'
    }
  }

  #copyObject(value: object, path: readonly object[]): unknown {
    if (value instanceof Error) return this.#copyMembers(errorMembers(value), path)
    if (Array.isArray(value)) return this.#copyItems(value, path)
    if (value instanceof Map) return this.#copyMembers(value, path)
    if (value instanceof Set) return this.#copyItems([...value], path)
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
    const { toJSON } = value as { toJSON?: unknown }
    if (typeof toJSON === 'function') return this.copy(toJSON.call(value), path)
    return this.#copyMembers(readMembers(value), path)
  }

  #copyItems(items: readonly unknown[], path: readonly object[]): unknown[] {
    const copied = items.slice(0, widest).map((item) => this.copy(item, path))
    if (items.length > widest) copied.push(`… (${items.length - widest} more)`)
    return copied
  }

  #copyMembers(members: Iterable<readonly [unknown, unknown]>, path: readonly object[]): object {
    const copied: Record<string, unknown> = Object.create(null)
    let count = 0
    for (const [key, value] of members) {
      if (count++ === widest) {
        copied['…'] = 'more'
        break
      }
      const name = truncate(String(key))
      copied[name] = isSecretName(name) && value !== undefined ? redacted : this.copy(value, path)
    }
    return copied
  }
}

/** Yields the members of an object. If a getter throws, only that member is replaced by a mark. */
function* readMembers(value: object): Generator<readonly [string, unknown]> {
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
