/** The id a client carries: 192 random bits, known to the store only by its hash. */
import { createHash, randomBytes } from 'node:crypto'

const shape = /^[A-Za-z0-9_-]{32}$/

/** 32 base64url characters. */
export function newSessionId(): string {
  return randomBytes(24).toString('base64url')
}

/** True when a text can be an id at all; anything else never reaches a store. */
export function isSessionId(text: string): boolean {
  return text.length === 32 && shape.test(text)
}

/** What a store keeps in place of the id: 32 characters that do not lead back to it. */
export function hashSessionId(id: string): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, 32)
}
