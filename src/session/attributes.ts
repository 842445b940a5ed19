/** The named values of one session: what has them, what names them, and how one is read as another type. */
import { FwError } from '../base.ts'

/** The attributes of a session, as flash and forgery token need them. */
export interface SessionAttributes {
  get(name: string): unknown
  set(name: string, value: unknown): void
  delete(name: string): void
  keys(): string[]
}

/** Converts text, as `ParamType` does; `undefined` when it does not fit. */
export interface TextType<T> {
  parse(text: string): T | undefined
}

const maxNameLength = 128

/** @throws FwError `session.name-too-long` past 128 characters, `session.name-invalid` for an empty name or one with NUL */
export function checkAttributeName(name: string): void {
  if (name.length > maxNameLength) {
    throw new FwError(
      'session.name-too-long',
      `Session attribute ${JSON.stringify(name.slice(0, 32))}… has a name of ${name.length} characters; the most is ${maxNameLength}.`,
    )
  }
  if (name.length === 0 || name.includes('\0') || !name.isWellFormed()) {
    throw new FwError(
      'session.name-invalid',
      `Session attribute ${JSON.stringify(name)}: a name is text, not empty and without NUL.`,
    )
  }
}

/** A value read by way of its text; objects and lists have none. */
export function convertValue<T>(value: unknown, type: TextType<T>): T | undefined {
  const text = textOf(value)
  return text === undefined ? undefined : type.parse(text)
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (value instanceof Date) return value.toISOString()
  if (typeof value !== 'object') return String(value)
  return value.toString === Object.prototype.toString || Array.isArray(value)
    ? undefined
    : String(value)
}
