/** Address, scheme and host behind proxies: the topologies of docs/production.md, and forged or long headers. */
import { readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { serve } from '../support/serve.ts'

class Visits extends FwController {}
const visits = routes(Visits, (r) => ({
  client: r.get('/client', ({ request }) =>
    [request.remoteAddress, request.http.scheme, request.host].join(' '),
  ),
  url: r.get('/url', (c) => c.ctx.fullUrl('/next')),
  move: r.get('/move', (c) => c.redirect(c.ctx.fullUrl('/next'))),
}))

type Headers = Readonly<Record<string, string>>

/** Starts the application, and returns a function that sends a GET with these headers to it. */
async function start(server: Readonly<Record<string, unknown>>) {
  const { app } = await serve([visits], { configuration: { server } })
  const { port } = await app.listen(0)
  return (path: string, headers: Headers): Promise<string> =>
    new Promise((resolve, reject) => {
      const sent = httpRequest({ port, path, headers, agent: false }, (response) => {
        let body = ''
        response.on('data', (chunk) => (body += String(chunk)))
        response.on('end', () =>
          resolve(`${response.statusCode} ${response.headers.location ?? body}`),
        )
      })
      sent.on('error', reject).end()
    })
}

const hosts = ['localhost', 'example.com']
const proxied = { 'x-forwarded-for': '203.0.113.7', host: 'localhost' }
const trusting = { hosts, trustedProxies: ['127.0.0.1'] }

describe('the topologies of docs/production.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/production.md'), 'utf8')
  const table = /^\| Between visitor .*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(page)![1]!
  const rows = table.split('\n').filter((line) => line !== '')
  const cells = (row: string) => row.split('|').map((cell) => cell.trim().replaceAll('`', ''))

  test.each(rows.map(cells))('%s%s', async (_edge, _topology, trusted, received, expected) => {
    const headers: Record<string, string> = {}
    for (const [, name, value] of received.matchAll(/(\w+): ([^;]+)/g))
      headers[name === 'Host' ? 'host' : `x-forwarded-${name!.toLowerCase()}`] = value!
    const send = await start({
      hosts: ['example.com'],
      trustedProxies: trusted.split(', ').filter((range) => range !== ''),
    })
    expect(await send('/client', { host: 'example.com', ...headers })).toBe(`200 ${expected}`)
  })

  test('are at least seven', () => {
    expect(rows.length).toBeGreaterThanOrEqual(7)
  })
})

describe('X-Forwarded-Host of a trusted proxy', () => {
  test('replaces Host if server.hosts contains it', async () => {
    const send = await start(trusting)
    const headers = { ...proxied, 'x-forwarded-host': 'example.com' }
    expect(await send('/url', headers)).toBe('200 http://example.com/next')
  })

  test.each([
    [
      'another host',
      'evil.example',
      /^400 The host of the X-Forwarded-Host header is not served here/,
    ],
    [
      'a list that ends with the host',
      'evil.example, example.com',
      /^200 http:\/\/example\.com\/next$/,
    ],
    [
      'a list that ends with another host',
      'example.com, evil.example',
      /^400 The host of the X-Forwarded-Host header/,
    ],
    ['a path', 'example.com/@evil.example', /^400 The X-Forwarded-Host header is malformed/],
    ['a long text', 'a'.repeat(3000), /^400 The X-Forwarded-Host header is malformed/],
    ['no text', '', /^200 http:\/\/localhost\/next$/],
  ])('gets the check and the 400 of Host: %s', async (_title, value, expected) => {
    const send = await start(trusting)
    const headers = { ...proxied, 'x-forwarded-host': value }
    expect(await send('/url', headers)).toMatch(expected)
    const status = expected.source.includes('400') ? '400' : '302'
    expect((await send('/move', headers)).slice(0, 3)).toBe(status)
  })

  test('is refused by the Fetch handler too', async () => {
    const { app } = await serve([visits], { configuration: { server: trusting } })
    const ask = async (host: string) => {
      const headers = { 'x-forwarded-host': host }
      const request = new Request('http://localhost/url', { headers })
      const response = await app.fetch(request, { remoteAddress: '127.0.0.1' })
      return `${response.status} ${await response.text()}`
    }
    expect(await ask('example.com')).toBe('200 http://example.com/next')
    expect(await ask('evil.example')).toMatch(/^400 The host of the X-Forwarded-Host header/)
  })

  test('is ignored without a list of hosts, unless a setting asks for it', async () => {
    const anyHost = { hosts: ['*'], trustedProxies: ['127.0.0.1'] }
    const headers = { ...proxied, 'x-forwarded-host': 'evil.example' }
    const send = await start(anyHost)
    expect(await send('/url', headers)).toBe('200 http://localhost/next')
    const following = await start({ ...anyHost, forwardedHost: true })
    expect(await following('/url', headers)).toBe('200 http://evil.example/next')
  })

  test('is ignored if the setting forwardedHost is false', async () => {
    const send = await start({ ...trusting, forwardedHost: false })
    const headers = { ...proxied, 'x-forwarded-host': 'evil.example' }
    expect(await send('/url', headers)).toBe('200 http://localhost/next')
  })

  test('is ignored if another peer sends it', async () => {
    const send = await start({ hosts, trustedProxies: ['10.0.0.1'] })
    const headers = { ...proxied, 'x-forwarded-host': 'evil.example' }
    expect(await send('/url', headers)).toBe('200 http://localhost/next')
  })
})

test('a long X-Forwarded-For does not hide the address that the proxy has appended', async () => {
  const send = await start(trusting)
  const padding = '6.6.6.6, '.repeat(1000)
  expect(await send('/client', { ...proxied, 'x-forwarded-for': `${padding}203.0.113.7` })).toBe(
    '200 203.0.113.7 http localhost',
  )
})

test('a host in capitals with its default port is the own host of a redirect', async () => {
  const send = await start(trusting)
  const headers = { ...proxied, host: 'EXAMPLE.com:80' }
  expect(await send('/move', headers)).toBe('302 http://example.com/next')
  const secure = { ...headers, host: 'example.com:443', 'x-forwarded-proto': 'https' }
  expect(await send('/move', secure)).toBe('302 https://example.com/next')
})

test('a number as server.trustedProxies stops the start', async () => {
  await expect(start({ trustedProxies: 1 })).rejects.toMatchObject({
    code: 'server.setting-invalid',
    message: expect.stringContaining('it would also trust a client that connects directly'),
  })
})
