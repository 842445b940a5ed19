import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SecretCookies } from './secret-keys.ts'
import { SecretKeys } from './secret-keys.ts'

const [old, current, foreign] = ['old', 'current', 'foreign'].map((word) =>
  word.padEnd(32, '.'),
) as [string, string, string]
const keys = new SecretKeys([current])

describe.each([
  [
    'signed',
    (secretKeys: SecretKeys, text: string, purpose = 'p') => secretKeys.sign(purpose, text),
    (secretKeys: SecretKeys, secret: string, purpose = 'p') => secretKeys.verify(purpose, secret),
  ],
  [
    'sealed',
    (secretKeys: SecretKeys, text: string, purpose = 'p') => secretKeys.seal(purpose, text),
    (secretKeys: SecretKeys, secret: string, purpose = 'p') => secretKeys.unseal(purpose, secret),
  ],
  [
    'remembered',
    (secretKeys: SecretKeys, text: string, purpose = 'p') => {
      const sealed = secretKeys.seal(purpose, text)
      void secretKeys.unsealCookie(purpose, sealed)
      return sealed
    },
    (secretKeys: SecretKeys, secret: string, purpose = 'p') =>
      secretKeys.unsealCookie(purpose, secret),
  ],
] as const)('%s text', (kind, make, read) => {
  test('any text is restored unchanged', () => {
    const text = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(text, (original) => {
        expect(read(keys, make(keys, original))).toBe(original)
      }),
    )
  })

  test('a text with any character changed, removed or added is refused without an error', () => {
    const secret = make(keys, 'user=7.admin=0')
    for (let at = 0; at < secret.length; at++) {
      for (const other of ['A', 'B', '.', '=', 'é', '']) {
        const changed = secret.slice(0, at) + other + secret.slice(at + 1)
        expect(read(keys, changed)).toBe(changed === secret ? 'user=7.admin=0' : undefined)
      }
      expect(read(keys, secret.slice(0, at))).toBeUndefined()
    }
    expect(read(keys, `${secret}A`)).toBeUndefined()
    fc.assert(fc.property(fc.string(), (text) => read(keys, text) === undefined))
  })

  test('is invalid for another purpose or another secret', () => {
    const secret = make(keys, 'x', 'cookie:a')
    expect(read(keys, secret, 'cookie:b')).toBeUndefined()
    expect(read(new SecretKeys([foreign]), secret, 'cookie:a')).toBeUndefined()
  })

  test('secrets rotate: the first one signs and seals, all are accepted', () => {
    const before = make(new SecretKeys([old]), 'x')
    const rotated = new SecretKeys([current, old])
    expect(read(rotated, before)).toBe('x')
    expect(read(keys, make(rotated, 'x'))).toBe('x')
    expect(read(keys, before)).toBeUndefined()
  })

  test('a signature is not a sealed text, and the reverse', () => {
    const secret = make(keys, 'x')
    expect(kind === 'signed' ? keys.unseal('p', secret) : keys.verify('p', secret)).toBeUndefined()
  })
})

test('a remembered cookie is found only under its own purpose, and a text that is too long for a browser is not remembered', () => {
  const sealed = keys.seal('a b', 'x')
  expect(keys.unsealCookie('a b', sealed)).toBe('x')
  expect(keys.unsealCookie('b', `${sealed} a`)).toBeUndefined()
  expect(keys.unsealCookie('p', keys.seal('p', 'x'.repeat(3100)))).toHaveLength(3100)
})

test('all of many cookies are restored, remembered or not', () => {
  const sealed = Array.from({ length: 600 }, (_, n) => keys.seal('p', String(n)))
  for (let round = 0; round < 2; round++)
    for (const [n, one] of sealed.entries()) expect(keys.unsealCookie('p', one)).toBe(String(n))
})

test('sealing a text twice returns different texts that do not contain it', () => {
  const texts = [keys.seal('p', 'secret'), keys.seal('p', 'secret')]
  expect(texts[0]).not.toBe(texts[1])
  expect(Buffer.from(texts[0]!, 'base64url').toString('latin1')).not.toContain('secret')
})

test.each([[[]], [['short']], [[current, 'short']]])('secrets %j stop the start', (secrets) => {
  expect(() => new SecretKeys(secrets)).toThrow(
    expect.objectContaining({ code: 'session.secret-invalid' }),
  )
  expect(() => new SecretKeys(secrets)).toThrow(/fw secret/)
})

describe('secret cookies', () => {
  const jar = () => {
    const values = new Map<string, string>()
    return {
      values,
      get: (name: string) => values.get(name),
      set: (name: string, value: string) => void values.set(name, value),
    }
  }

  test.each([
    ['signed', SecretCookies.signed],
    ['sealed', SecretCookies.sealed],
  ])('%s: a value is readable under its own name only', (_kind, of) => {
    const plain = jar()
    const cookies = of(plain, keys)
    cookies.set('remember', '7')
    expect(cookies.get('remember')).toBe('7')
    plain.values.set('other', plain.values.get('remember')!)
    expect(cookies.get('other')).toBeUndefined()
    plain.values.set('remember', '8')
    expect(cookies.get('remember')).toBeUndefined()
    expect(cookies.get('missing')).toBeUndefined()
  })
})
