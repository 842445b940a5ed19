import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SecretCookies } from './secret-cookies.ts'
import { SecretKeys } from './secret-keys.ts'

const [old, current, foreign] = ['old', 'current', 'foreign'].map((word) =>
  word.padEnd(32, '.'),
) as [string, string, string]
const keys = new SecretKeys([current])

describe.each([
  [
    'signed',
    (own: SecretKeys, text: string, purpose = 'p') => own.sign(purpose, text),
    (own: SecretKeys, made: string, purpose = 'p') => own.verify(purpose, made),
  ],
  [
    'sealed',
    (own: SecretKeys, text: string, purpose = 'p') => own.seal(purpose, text),
    (own: SecretKeys, made: string, purpose = 'p') => own.unseal(purpose, made),
  ],
] as const)('%s text', (kind, make, read) => {
  test('comes back as it was, whatever it is', () => {
    const text = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(text, (given) => {
        expect(read(keys, make(keys, given))).toBe(given)
      }),
    )
  })

  test('any character changed, left out or added is refused without an error', () => {
    const made = make(keys, 'user=7.admin=0')
    for (let at = 0; at < made.length; at++) {
      for (const other of ['A', 'B', '.', '=', 'é', '']) {
        const changed = made.slice(0, at) + other + made.slice(at + 1)
        expect(read(keys, changed)).toBe(changed === made ? 'user=7.admin=0' : undefined)
      }
      expect(read(keys, made.slice(0, at))).toBeUndefined()
    }
    expect(read(keys, `${made}A`)).toBeUndefined()
    fc.assert(fc.property(fc.string(), (text) => read(keys, text) === undefined))
  })

  test('is worth nothing under another purpose or another secret', () => {
    const made = make(keys, 'x', 'cookie:a')
    expect(read(keys, made, 'cookie:b')).toBeUndefined()
    expect(read(new SecretKeys([foreign]), made, 'cookie:a')).toBeUndefined()
  })

  test('secrets rotate: the first makes, all are accepted', () => {
    const before = make(new SecretKeys([old]), 'x')
    const rotated = new SecretKeys([current, old])
    expect(read(rotated, before)).toBe('x')
    expect(read(keys, make(rotated, 'x'))).toBe('x')
    expect(read(keys, before)).toBeUndefined()
  })

  test('what signs does not seal', () => {
    const made = make(keys, 'x')
    expect(kind === 'signed' ? keys.unseal('p', made) : keys.verify('p', made)).toBeUndefined()
  })
})

test('sealing the same twice gives different texts that show nothing', () => {
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
  ])('%s: read what was set, under its own name only', (_kind, of) => {
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
