/** Logged values contain no secrets, and `redact` never throws. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSecretName, redact, redactText } from './redact.ts'

test.each([
  'password',
  'passwordConfirmation',
  'PASSWORD',
  'passwd',
  'secretKeyBase',
  'client_secret',
  'token',
  'csrf-token',
  'accessToken',
  'api_key',
  'apiKey',
  'apikey',
  'dbPwd',
  'API-KEY',
  'x-api-key',
  'encrypted',
  'salt',
  'otp',
  'cvv',
  'ssn',
  'Authorization',
  'proxy-authorization',
  'Cookie',
  'set-cookie',
  'credit_card',
  'creditCard',
  'sessionId',
  'jsession_id',
])('%s is secret', (name) => {
  expect(isSecretName(name)).toBe(true)
})

test.each(['name', 'key', 'keys', 'id', 'page', 'birthday', 'monkey', 'session', 'author', 'url'])(
  '%s is not secret',
  (name) => {
    expect(isSecretName(name)).toBe(false)
  },
)

test('values under secret names are redacted at any depth, also in maps and errors', () => {
  const fields = {
    user: { password: 'hunter2', name: 'Ann' },
    list: [{ token: ['hunter2'] }],
    map: new Map([['apiKey', 'hunter2']]),
    error: Object.assign(new Error('no'), { password: 'hunter2' }),
  }
  expect(JSON.stringify(redact(fields))).not.toContain('hunter2')
  expect(redact(fields)).toMatchObject({ user: { password: '[redacted]', name: 'Ann' } })
})

test('user and password of a URL are redacted', () => {
  expect(redactText('at postgres://ann:pw@h/x and redis://:pw@h')).toBe(
    'at postgres://[redacted]@h/x and redis://[redacted]@h',
  )
  expect(redactText('ann@example.org')).toBe('ann@example.org')
  expect(redactText('x'.repeat(2040) + 'http://ann:hunter2@h')).not.toContain('ann')
})

test('no secret in any nesting is printed', () => {
  const secretName = fc.constantFrom('password', 'userToken', 'x-api-key', 'cookie')
  const holder = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc
        .tuple(secretName, fc.oneof(fc.constant('hunter2'), fc.constant(['hunter2'])))
        .map(([k, v]) => ({ [k]: v })),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.string({ maxLength: 5 }), tie('value'), { maxKeys: 3 }),
      fc.string({ maxLength: 5 }),
    ),
  })).value
  fc.assert(
    fc.property(holder, (value) => {
      expect(JSON.stringify(redact(value) ?? null)).not.toContain('hunter2')
    }),
  )
})

test('every value can be copied to JSON', () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withNullPrototype: true,
    withSparseArray: true,
  })
  fc.assert(
    fc.property(anything, (value) => {
      expect(() => JSON.stringify(redact(value))).not.toThrow()
    }),
  )
})

test('getters and proxies that throw are harmless', () => {
  const loop: Record<string, unknown> = {}
  loop['loop'] = loop
  const bomb = {
    get a() {
      throw new Error('boom')
    },
    b: 1,
    toString: undefined,
  }
  const proxy = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('boom')
      },
    },
  )
  const error = new Error('outer', { cause: new Error('inner') })
  Object.defineProperty(error, 'stack', {
    get: () => {
      throw new Error('boom')
    },
  })
  expect(redact(loop)).toEqual({ loop: '[circular]' })
  expect(redact(bomb)).toMatchObject({ a: '[unprintable]', b: 1 })
  expect(
    redact([
      proxy,
      error,
      Symbol('s'),
      () => 1,
      1n,
      {
        toJSON: () => {
          throw new Error('x')
        },
      },
    ]),
  ).toEqual(['[unprintable]', '[unprintable]', 'Symbol(s)', '[function]', '1', '[unprintable]'])
  expect(JSON.stringify(redact(JSON.parse('['.repeat(3000) + ']'.repeat(3000))))).toContain(
    '[too deep]',
  )
})

test('long texts, lists and maps are truncated', () => {
  expect(redact('x'.repeat(3000))).toBe('x'.repeat(2048) + '… (952 more characters)')
  expect(redact(Array(150).fill(1))).toHaveLength(101)
  expect(
    Object.keys(
      redact(Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`n${n}`, n]))) as object,
    ),
  ).toHaveLength(101)
  expect(redact(new Uint8Array(9))).toBe('[9 bytes]')
})

test('an object with a million shared references is truncated', () => {
  let shared: unknown = 'x'
  for (let level = 0; level < 7; level++) shared = Array(90).fill(shared)
  const text = JSON.stringify(redact({ shared }))
  expect(text.length).toBeLessThan(300_000)
  expect(text).toContain('[too much]')
})

test('an error keeps name, code, message, stack and causes', () => {
  const error = Object.assign(new TypeError('outer', { cause: new Error('inner') }), {
    code: 'x.y',
  })
  expect(redact(error)).toMatchObject({
    name: 'TypeError',
    code: 'x.y',
    message: 'outer',
    stack: expect.stringContaining('redact.test'),
    cause: { message: 'inner' },
  })
})

test('__proto__ is a name like any other', () => {
  expect(Object.keys(redact(JSON.parse('{"__proto__":{"x":1}}')) as object)).toEqual(['__proto__'])
})
