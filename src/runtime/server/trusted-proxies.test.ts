import { expect, test } from 'vitest'
import { TrustedProxies } from './trusted-proxies.ts'

const direct = { remoteAddress: '10.0.0.1', scheme: 'http', host: 'inner:8080' } as const
const forwarded: Readonly<Record<string, string>> = {
  'x-forwarded-for': '6.6.6.6, 1.1.1.1, 10.0.0.2',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'example.com',
}
const header = (name: string) => forwarded[name]

test('without a proxy, or from another peer, the headers are ignored', () => {
  expect(new TrustedProxies(0).resolve(direct, header)).toEqual(direct)
  expect(new TrustedProxies([]).resolve(direct, header)).toEqual(direct)
  expect(new TrustedProxies(['192.168.0.0/16']).resolve(direct, header)).toEqual(direct)
})

test('by ranges: the right-most address that is not a proxy', () => {
  const trust = new TrustedProxies(['10.0.0.0/8', '::1'])
  expect(trust.resolve(direct, header)).toEqual({
    remoteAddress: '1.1.1.1',
    scheme: 'https',
    host: 'example.com',
    isProxied: true,
  })
  expect(trust.resolve({ ...direct, remoteAddress: '::ffff:10.0.0.1' }, header).remoteAddress).toBe(
    '1.1.1.1',
  )
})

test('by hops: as many entries from the right as there are proxies', () => {
  expect(new TrustedProxies(1).resolve(direct, header).remoteAddress).toBe('10.0.0.2')
  expect(new TrustedProxies(2).resolve(direct, header).remoteAddress).toBe('1.1.1.1')
  expect(new TrustedProxies(9).resolve(direct, header).remoteAddress).toBe('6.6.6.6')
})

test.each([
  ['x-forwarded-for', 'garbage', { remoteAddress: '10.0.0.1' }],
  ['x-forwarded-for', '1.1.1.1, 2.2.2.2:443', { remoteAddress: '2.2.2.2' }],
  ['x-forwarded-for', '[2001:db8::1]:443', { remoteAddress: '2001:db8::1' }],
  ['x-forwarded-for', ' '.repeat(100_000) + '1.1.1.1', { remoteAddress: '10.0.0.1' }],
  ['x-forwarded-host', 'evil.com/@x', { host: 'inner:8080' }],
  ['x-forwarded-proto', 'javascript', { scheme: 'http' }],
])('%s: %.30s', (name, value, expected) => {
  const resolved = new TrustedProxies(1).resolve(direct, (asked) =>
    asked === name ? value : undefined,
  )
  expect(resolved).toMatchObject(expected)
})
