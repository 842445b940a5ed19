import { expect, test } from 'vitest'
import { TrustedProxies } from './trusted-proxies.ts'

const direct = { remoteAddress: '10.0.0.1', scheme: 'http', host: 'inner:8080' } as const
const proxies = (trustedProxies: readonly string[], forwardedHost = true) =>
  new TrustedProxies({ trustedProxies, forwardedHost })
const reader = (headers: Readonly<Record<string, string>>) => (name: string) => headers[name]
const header = reader({
  'x-forwarded-for': '6.6.6.6, 1.1.1.1, 10.0.0.2',
  'x-forwarded-proto': 'https',
  'x-forwarded-host': 'example.com',
})

test('without a proxy, or from another peer, the headers are ignored', () => {
  expect(proxies([]).resolve(direct, header)).toEqual(direct)
  expect(proxies(['192.168.0.0/16']).resolve(direct, header)).toEqual(direct)
  expect(proxies(['10.0.0.0/8']).resolve({ ...direct, remoteAddress: '' }, header)).toMatchObject({
    remoteAddress: '',
    scheme: 'http',
  })
})

test('the client is the right-most address that is not a proxy', () => {
  const trust = proxies(['10.0.0.0/8', '::1'])
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

test('if every address belongs to a proxy, the client is the left-most one', () => {
  expect(proxies(['0.0.0.0/0']).resolve(direct, header).remoteAddress).toBe('6.6.6.6')
})

test('a number of proxies is refused', () => {
  expect(() => proxies(['2'])).toThrow(
    /"2" in the setting server\.trustedProxies is not an address/,
  )
})

test('X-Forwarded-Host is ignored if the setting forwardedHost is false', () => {
  expect(proxies(['10.0.0.0/8'], false).resolve(direct, header).host).toBe('inner:8080')
})

test('scheme and host are the entries at the position of the address', () => {
  const trust = proxies(['10.0.0.0/8'])
  const resolve = (addresses: string, schemes: string, hosts: string) => {
    const headers = {
      'x-forwarded-for': addresses,
      'x-forwarded-proto': schemes,
      'x-forwarded-host': hosts,
    }
    const { scheme, host } = trust.resolve(direct, reader(headers))
    return `${scheme} ${host}`
  }
  expect(resolve('1.1.1.1', 'http, https', 'evil, one')).toBe('https one')
  expect(resolve('1.1.1.1, 10.0.0.2', 'https, http', 'two, one')).toBe('https two')
  expect(resolve('1.1.1.1,10.0.0.2', 'http,https,http', 'evil,two,one')).toBe('https two')
  expect(resolve('1.1.1.1, 10.0.0.3, 10.0.0.2', 'https, http', 'two')).toBe('https two')
  expect(resolve('1.1.1.1, 2.2.2.2', 'https, http', 'two, one')).toBe('http one')
  expect(resolve('garbage, 10.0.0.2', 'https, http', 'two, one')).toBe('http one')
})

test.each([
  ['x-forwarded-for', 'garbage', { remoteAddress: '10.0.0.1' }],
  ['x-forwarded-for', '1.1.1.1,', { remoteAddress: '10.0.0.1' }],
  ['x-forwarded-for', ',1.1.1.1', { remoteAddress: '1.1.1.1' }],
  ['x-forwarded-for', ',', { remoteAddress: '10.0.0.1' }],
  ['x-forwarded-for', '1.1.1.1, 2.2.2.2:443', { remoteAddress: '2.2.2.2' }],
  ['x-forwarded-for', '[2001:db8::1]:443', { remoteAddress: '2001:db8::1' }],
  ['x-forwarded-for', '6.6.6.6, '.repeat(10_000) + '1.1.1.1', { remoteAddress: '1.1.1.1' }],
  ['x-forwarded-for', ' '.repeat(100_000) + '1.1.1.1', { remoteAddress: '1.1.1.1' }],
  ['x-forwarded-for', ','.repeat(100_000) + '1.1.1.1', { remoteAddress: '1.1.1.1' }],
  ['x-forwarded-host', '', { host: 'inner:8080' }],
  ['x-forwarded-host', ','.repeat(100_000) + 'example.com', { host: 'example.com' }],
  ['x-forwarded-proto', 'javascript', { scheme: 'http' }],
  ['x-forwarded-proto', 'HTTPS', { scheme: 'https' }],
])('%s: %.30s', (name, value, expected) => {
  expect(proxies(['10.0.0.1']).resolve(direct, reader({ [name]: value }))).toMatchObject(expected)
})
