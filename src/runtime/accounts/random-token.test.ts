/** Random tokens: their form and their hash. */
import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { randomToken } from './random-token.ts'

it('has 256 random bits after the prefix, and the hash of the whole token', () => {
  const { token, hash } = randomToken('shop_')
  expect(token).toMatch(/^shop_[\w-]{43}$/)
  expect(Buffer.from(token.slice(5), 'base64url')).toHaveLength(32)
  expect(hash).toBe(createHash('sha256').update(token).digest('hex'))
})

it('differs each time, and has no prefix unless one is given', () => {
  const tokens = Array.from({ length: 100 }, () => randomToken().token)
  expect(new Set(tokens).size).toBe(100)
  expect(tokens.every((token) => token.length === 43)).toBe(true)
})
