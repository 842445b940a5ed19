import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csrfKey, ForgeryToken } from './forgery-token.ts'
import { MemoryStore } from './memory-store.ts'
import { Session } from './request-session.ts'

function token(): { readonly session: Session; readonly token: ForgeryToken } {
  const session = new Session(new MemoryStore())
  return { session, token: new ForgeryToken(session) }
}

describe('forgery token', () => {
  test('each masked form is different and valid', () => {
    const { token: own } = token()
    const forms = Array.from({ length: 50 }, () => own.mask())
    expect(new Set(forms).size).toBe(50)
    for (const form of forms) {
      expect(form).toMatch(/^[\w-]{86}$/)
      expect(own.verify(form)).toBe(true)
    }
  })

  test('the unmasked token is refused, and is not contained in a masked form', () => {
    const { session, token: own } = token()
    const form = own.mask()
    const raw = session.get(csrfKey) as string
    expect(Buffer.from(raw, 'base64url')).toHaveLength(32)
    expect(own.verify(raw)).toBe(false)
    expect(form).not.toContain(raw)
  })

  test('without a token in the session every candidate is refused, and verifying creates none', () => {
    const { session, token: own } = token()
    for (const form of [undefined, '', token().token.mask()]) expect(own.verify(form)).toBe(false)
    expect(session.commit()).toBeUndefined()
  })

  test('the token of another session is refused', () => {
    const { token: own } = token()
    own.mask()
    expect(own.verify(token().token.mask())).toBe(false)
  })

  test('a candidate with any bit flipped is refused', () => {
    const { token: own } = token()
    const bytes = Buffer.from(own.mask(), 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      expect(own.verify(flipped.toString('base64url'))).toBe(false)
    }
  })

  test('a malformed candidate is refused without an error', () => {
    const { token: own } = token()
    const form = own.mask()
    for (const bad of [
      null,
      1,
      [form],
      { form },
      form.slice(1),
      `${form}A`,
      form.slice(0, 85),
      ` ${form}`,
      'é'.repeat(86),
    ]) {
      expect(own.verify(bad)).toBe(false)
    }
    fc.assert(fc.property(fc.anything(), (candidate) => !own.verify(candidate)))
    fc.assert(
      fc.property(
        fc.string({ minLength: 86, maxLength: 86 }),
        (candidate) => !own.verify(candidate),
      ),
    )
  })

  test('an invalid token in the session counts as absent', () => {
    const { session, token: own } = token()
    for (const value of ['', 'short', 7, null]) {
      session.set(csrfKey, value)
      expect(own.verify(Buffer.alloc(64).toString('base64url'))).toBe(false)
    }
    expect(own.verify(own.mask())).toBe(true)
  })
})
