/** JSON from a client: strict, shallow, and without keys that reach for a prototype. */
import { HttpError } from '../base.ts'

const maxDepth = 64
// Escapes may spell any key, so they are looked at too.
const suspicious = /__proto__|constructor|\\u/

/**
 * @throws HttpError 400 `http.json-invalid`: no JSON, nested deeper than 64, a key `__proto__` or `constructor.prototype`
 */
export function parseJson(text: string): unknown {
  refuseDepth(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    refuse('The body is not valid JSON.')
  }
  if (suspicious.test(text)) refusePrototypeKeys(value)
  return value
}

function refuse(message: string): never {
  throw new HttpError(400, 'http.json-invalid', message)
}

// Before parsing: whatever walks the value later may recurse.
function refuseDepth(text: string): void {
  if (text.length < maxDepth * 2) return
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x22) i = endOfString(text, i + 1)
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > maxDepth) refuse(`The JSON is nested deeper than ${maxDepth} levels.`)
    } else if (code === 0x5d || code === 0x7d) depth--
  }
}

function endOfString(text: string, start: number): number {
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x5c) i++
    else if (code === 0x22) return i
  }
  return text.length
}

// Recursion is safe here: the depth has been checked.
function refusePrototypeKeys(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    if (key === '__proto__' || (key === 'constructor' && hasPrototypeKey(member))) {
      refuse(`The JSON holds the key ${key}, which is refused.`)
    }
    refusePrototypeKeys(member)
  }
}

function hasPrototypeKey(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
}
