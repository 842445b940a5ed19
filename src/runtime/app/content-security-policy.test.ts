import { expect, test } from 'vitest'
import { Policy } from './content-security-policy.ts'

const others = { redirectHosts: [] }
const policy = (changes: Readonly<Record<string, string>> = {}) =>
  new Policy('Content-Security-Policy', new Map(Object.entries(changes)), others)
const styles = "'sha256-a' 'sha256-b'"

/** Returns one directive of a page's policy. */
function directive(name: string, one: Policy, nonce?: string, hashes?: string): string | undefined {
  const found = one.ofPage(nonce, hashes).split('; ')
  return found.find((text) => text.startsWith(`${name} `))?.slice(name.length + 1)
}

test('a page without inline styles has the plain policy, without a directive for style attributes', () => {
  expect(policy().ofPage(undefined, undefined)).toBe(policy().plain)
  expect(policy().plain).not.toContain('style-src-attr')
})

test('the hashes of style attributes are the last directive, with and without a nonce', () => {
  expect(policy().ofPage(undefined, styles)).toBe(
    `${policy().plain}; style-src-attr 'unsafe-hashes' ${styles}`,
  )
  expect(policy().ofPage('n', styles)).toMatch(
    /; style-src 'self' 'nonce-n'; .*; style-src-attr 'unsafe-hashes' 'sha256-a' 'sha256-b'$/,
  )
})

test('hashes of the application that permit attributes stay', () => {
  const own = policy({ 'style-src': "'self' 'unsafe-hashes' 'sha256-own'" })
  expect(directive('style-src-attr', own, undefined, styles)).toBe(
    `'unsafe-hashes' 'sha256-own' ${styles}`,
  )
})

test.each([
  { 'style-src': "'self' 'unsafe-inline'" },
  { 'style-src-attr': "'none'" },
  { 'style-src': 'off', 'default-src': 'off' },
  { 'style-src': 'off', 'default-src': "'self' 'unsafe-inline'" },
])('the policy %j permits or forbids all of them, so that it has no hashes', (changes) => {
  expect(policy(changes).ofPage(undefined, styles)).toBe(policy(changes).plain)
})

test("a directive with 'unsafe-inline' gets no nonce, with which browsers would ignore it", () => {
  const own = policy({
    'style-src': "'self' 'unsafe-inline'",
    'script-src': "'strict-dynamic' 'unsafe-inline'",
  })
  expect(directive('style-src', own, 'n')).toBe("'self' 'unsafe-inline'")
  expect(directive('script-src', own, 'n')).toBe("'strict-dynamic' 'unsafe-inline' 'nonce-n'")
})
