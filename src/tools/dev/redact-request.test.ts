/** Redaction of values and texts with secret names. */
import { expect, test } from 'vitest'
import { mentionsSecret, redactMembers } from './redact-request.ts'

test('a copy redacts members with secret names at any depth, and lists their paths', () => {
  const paths: string[] = []
  const value = {
    cart: new Map<string, unknown>([
      ['size', 2],
      ['card', new Set([{ otp: 'hush' }])],
      ['credit-card', 'hush'],
    ]),
    list: [{ apiKey: 'hush', token: null }],
  }
  expect(redactMembers(value, 'session', paths)).toEqual({
    cart: new Map<string, unknown>([
      ['size', 2],
      ['card', new Set([{ otp: '[redacted]' }])],
      ['credit-card', '[redacted]'],
    ]),
    list: [{ apiKey: '[redacted]', token: null }],
  })
  expect(paths).toEqual([
    'session.cart.card[0].otp',
    'session.cart.credit-card',
    'session.list[0].apiKey',
  ])
})

test.each(['<api-key>', '{"credit-card": 1', 'session-id=1', 'select password'])(
  'a text mentions a secret name: %s',
  (text) => {
    expect(mentionsSecret(text)).toBe(true)
    expect(mentionsSecret('a text of an api, and its keys')).toBe(false)
  },
)
