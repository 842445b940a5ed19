/** What is kept of values that may be secret. */
import { expect, test } from 'vitest'
import { namesSecret, withoutSecrets } from './secrets.ts'

test('a copy hides what bears a secret name, at any depth, and tells where it was', () => {
  const told: string[] = []
  const value = {
    cart: new Map<string, unknown>([
      ['size', 2],
      ['card', new Set([{ otp: 'hush' }])],
      ['credit-card', 'hush'],
    ]),
    list: [{ apiKey: 'hush', token: null }],
  }
  expect(withoutSecrets(value, 'session', told)).toEqual({
    cart: new Map<string, unknown>([
      ['size', 2],
      ['card', new Set([{ otp: '[redacted]' }])],
      ['credit-card', '[redacted]'],
    ]),
    list: [{ apiKey: '[redacted]', token: null }],
  })
  expect(told).toEqual([
    'session.cart.card[0].otp',
    'session.cart.credit-card',
    'session.list[0].apiKey',
  ])
})

test.each(['<api-key>', '{"credit-card": 1', 'session-id=1', 'select password'])(
  'a text names something secret: %s',
  (text) => {
    expect(namesSecret(text)).toBe(true)
    expect(namesSecret('a text of an api, and its keys')).toBe(false)
  },
)
