import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSameOrigin, parseTrustedOrigins } from './same-origin.ts'
import type { RequestOrigin } from './same-origin.ts'

const partner = 'https://partner.example'
const from = (headers: Partial<RequestOrigin>): boolean =>
  isSameOrigin({
    secFetchSite: undefined,
    origin: undefined,
    host: 'app.example',
    scheme: 'https',
    trustedOrigins: parseTrustedOrigins([partner]),
    ...headers,
  })

describe('isSameOrigin', () => {
  test.each<[boolean, Partial<RequestOrigin>]>([
    [true, {}],
    [true, { secFetchSite: 'same-origin' }],
    [true, { secFetchSite: 'none' }],
    [false, { secFetchSite: 'cross-site' }],
    [false, { secFetchSite: 'same-site' }],
    [false, { secFetchSite: '' }],
    [false, { secFetchSite: 'Same-Origin' }],
    [false, { secFetchSite: 'same-origin, cross-site' }],
    [false, { secFetchSite: 'cross-site', origin: 'https://app.example' }],
    [true, { secFetchSite: 'cross-site', origin: partner }],
    [true, { origin: partner }],
    [false, { origin: `${partner}:8443` }],
    [false, { origin: 'https://partner.example.evil.example' }],
    [true, { origin: 'https://app.example' }],
    [true, { origin: 'https://app.example', host: 'APP.example:443' }],
    [true, { origin: 'https://app.example:8443', host: 'app.example:8443' }],
    [true, { origin: 'http://localhost:8080', host: 'localhost:8080', scheme: 'http' }],
    [true, { origin: 'http://[::1]:8080', host: '[::1]:8080', scheme: 'http' }],
    [true, { origin: 'https://app.example', scheme: 'http' }],
    [false, { origin: 'http://app.example' }],
    [false, { origin: 'https://app.example:8443' }],
    [false, { origin: 'https://attacker.example' }],
    [false, { origin: 'https://app.example.attacker.example' }],
    [false, { origin: 'null' }],
    [false, { origin: '' }],
    [false, { origin: 'https://app.example/' }],
    [false, { origin: 'https://user@app.example' }],
    [false, { origin: 'https://app.example', host: undefined }],
    [false, { origin: 'https://app.example', host: 'attacker.example/@app.example' }],
    [false, { origin: 'not an origin' }],
  ])('%s for %j', (expected, request) => {
    expect(from(request)).toBe(expected)
  })

  test('only the origin of the host passes, for any headers', () => {
    const origins = fc.oneof(
      fc.string(),
      fc.webUrl(),
      fc.domain().map((host) => `https://${host}`),
    )
    fc.assert(
      fc.property(origins, fc.oneof(fc.string(), fc.domain()), (origin, host) => {
        const own = URL.parse(origin)?.host === URL.parse(`https://${host}`)?.host
        expect(own || !from({ origin, host })).toBe(true)
      }),
    )
  })

  test.each([
    '*',
    'https://*.example',
    'app.example',
    'https://app.example/',
    'https://App.example',
    'https://app.example:443',
    'null',
    'ftp://app.example',
    '',
  ])('trusted origin %j is refused', (origin) => {
    expect(() => parseTrustedOrigins([origin])).toThrow(
      expect.objectContaining({ code: 'session.origin-invalid' }),
    )
  })
})
