import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpResponse } from '../http.ts'
import { close, get, serve } from './raw-client.fixture.ts'
import type { TestServer } from './raw-client.fixture.ts'

describe('what bare Node answers 200 to', () => {
  let app: TestServer
  const reached: string[] = []
  beforeAll(async () => {
    app = await serve((request) => {
      reached.push(request.target)
      return new HttpResponse(200, 'reached')
    })
  })
  afterAll(() => app[Symbol.asyncDispose]())

  const refusals: ReadonlyArray<readonly [string, string, string]> = [
    ['two Host headers', 'GET /x HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n', '400'],
    ['an empty Host', 'GET /x HTTP/1.1\r\nHost:\r\n\r\n', '400'],
    ['no Host', 'GET /x HTTP/1.1\r\n\r\n', '400'],
    ['a Host with a path', 'GET /x HTTP/1.1\r\nHost: localhost/@evil.com\r\n\r\n', '400'],
    ['a Host with userinfo', 'GET /x HTTP/1.1\r\nHost: evil:fake@localhost\r\n\r\n', '400'],
    ['a Host with markup', 'GET /x HTTP/1.1\r\nHost: localhost<script>\r\n\r\n', '400'],
    ['a Host with two ports', 'GET /x HTTP/1.1\r\nHost: localhost:80:90\r\n\r\n', '400'],
    ['a Host with a port above 65535', 'GET /x HTTP/1.1\r\nHost: localhost:65536\r\n\r\n', '400'],
    ['a Host with a named port', 'GET /x HTTP/1.1\r\nHost: localhost:xx\r\n\r\n', '400'],
    ['a Host that is not served', 'GET /x HTTP/1.1\r\nHost: evil.com\r\n\r\n', '400'],
    ['HTTP/0.9', 'GET /x\r\n\r\n', '400|505'],
    ['HTTP/2.0', 'GET /x HTTP/2.0\r\nHost: localhost\r\n\r\n', '505|400'],
    ['HTTP/1.2', 'GET /x HTTP/1.2\r\nHost: localhost\r\n\r\n', '505|400'],
    ['TRACE', 'TRACE /x HTTP/1.1\r\nHost: localhost\r\n\r\n', '405'],
    ['a WebDAV method', 'PROPFIND /x HTTP/1.1\r\nHost: localhost\r\n\r\n', '501'],
    ['an unknown method', 'BREW /x HTTP/1.1\r\nHost: localhost\r\n\r\n', '400|501'],
    [
      'a second transfer coding',
      'POST /x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      '400',
    ],
    [
      'chunked twice',
      'POST /x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      '400',
    ],
    [
      'chunked then identity',
      'POST /x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n',
      '400',
    ],
    [
      'a transfer coding on HTTP/1.0',
      'POST /x HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      '400',
    ],
    [
      'length and transfer coding',
      'POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG',
      '400',
    ],
    [
      'two lengths',
      'POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na',
      '400',
    ],
    [
      'a signed length',
      'POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: +1\r\n\r\na',
      '400',
    ],
    [
      'a target on another host',
      'GET http://evil.com/x HTTP/1.1\r\nHost: localhost\r\n\r\n',
      '400',
    ],
    [
      'a target with userinfo',
      'GET http://a@localhost/x HTTP/1.1\r\nHost: localhost\r\n\r\n',
      '400',
    ],
    ['a broken absolute target', 'GET http://[::1 HTTP/1.1\r\nHost: localhost\r\n\r\n', '400'],
    ['a target with one slash', 'GET http:/x HTTP/1.1\r\nHost: localhost\r\n\r\n', '400'],
    ['a fragment', 'GET /x#y HTTP/1.1\r\nHost: localhost\r\n\r\n', '400'],
    ['GET *', 'GET * HTTP/1.1\r\nHost: localhost\r\n\r\n', '400'],
    [
      'two content types',
      get('/x', 'Content-Type: text/plain\r\nContent-Type: application/json\r\n'),
      '400',
    ],
    ['two authorizations', get('/x', 'Authorization: a\r\nAuthorization: b\r\n'), '400'],
    ['a long target', get('/' + 'a'.repeat(9000)), '414'],
    ['101 headers', get('/x', 'X-A: 1\r\n'.repeat(100)), '431'],
    ['1500 headers', get('/x', 'X-A: 1\r\n'.repeat(1500)), '431'],
    ['17 KiB of headers', get('/x', `X-A: ${'a'.repeat(17 * 1024)}\r\n`), '431'],
    ['an unknown expectation', get('/x', 'Expect: foo\r\n' + close), '417'],
    ['a NUL in a header', get('/x', 'X-A: \0\r\n'), '400'],
    ['TLS on the plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', '400'],
  ]
  test.each(refusals)(
    '%s is refused, and the connection closed',
    async (_name, request, status) => {
      reached.length = 0
      const answer = await app.exchange(Buffer.from(request, 'latin1'))
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 (?:${status}) `))
      for (const line of ['connection: close', 'x-content-type-options: nosniff'])
        expect(answer.toLowerCase()).toContain(line)
      expect(answer.toLowerCase()).toContain('cache-control: no-store')
      expect(answer).not.toContain('    at ')
      expect(reached).toEqual([])
    },
  )

  test('an unserved host is rejected with the name of the setting', async () => {
    const answer = await app.exchange('GET /x HTTP/1.1\r\nHost: evil.com\r\n\r\n')
    expect(answer).toContain('it is not in the setting server.hosts.')
  })

  test.each([
    [
      'chunked in any case',
      'POST /x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: ChuNKed\r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
      '/x',
    ],
    [
      'an absolute target on the own host',
      `GET http://localhost/x?y=1 HTTP/1.1\r\nHost: LOCALHOST\r\n${close}\r\n`,
      '/x?y=1',
    ],
    ['the highest port', `GET /x HTTP/1.1\r\nHost: app.localhost:65535\r\n${close}\r\n`, '/x'],
    ['a host with a port', `GET /x HTTP/1.1\r\nHost: app.localhost:8080\r\n${close}\r\n`, '/x'],
    ['an IPv6 host', `GET /x HTTP/1.1\r\nHost: [::1]:80\r\n${close}\r\n`, '/x'],
    [
      'headers named like members of Object',
      get('/x', `__proto__: 1\r\nconstructor: 1\r\n${close}`),
      '/x',
    ],
    [
      'a trailer',
      'POST /x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n__proto__: 1\r\nCookie: a=1\r\n\r\n',
      '/x',
    ],
  ])('%s is served', async (_name, request, target) => {
    reached.length = 0
    expect(await app.exchange(request)).toMatch(/^HTTP\/1\.1 200 OK/)
    expect(reached).toEqual([target])
  })

  test('OPTIONS * is answered without the application', async () => {
    reached.length = 0
    expect(await app.exchange(`OPTIONS * HTTP/1.1\r\nHost: localhost\r\n${close}\r\n`)).toMatch(
      /^HTTP\/1\.1 204 /,
    )
    expect(reached).toEqual([])
  })

  test('405 lists the allowed methods', async () => {
    const answer = await app.exchange('TRACE /x HTTP/1.1\r\nHost: localhost\r\n\r\n')
    expect(answer).toContain('Allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, QUERY\r\n')
  })

  test('nothing after a rejected request is parsed', async () => {
    reached.length = 0
    const answer = await app.exchange(
      'POST / HTTP/1.1\r\nHost: localhost\r\nHost: b\r\nContent-Length: 0\r\n\r\n' +
        get('/smuggled', close),
    )
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(reached).toEqual([])
  })
})

test('the setting hosts: * serves every name, and HTTP/1.0 requests without Host', async () => {
  const handler = () => new HttpResponse(200, 'ok')
  await using listed = await serve(handler, { hosts: ['example.com', '*.example.org'] })
  const status = async (host: string) =>
    (await listed.exchange(`GET / HTTP/1.1\r\nHost: ${host}\r\n${close}\r\n`)).slice(9, 12)
  expect(await status('Example.com:80')).toBe('200')
  expect(await status('a.example.org')).toBe('200')
  expect(await status('a.example.com')).toBe('400')
  expect(await status('example.org')).toBe('400')
  expect(await status('localhost')).toBe('400')
  await using every = await serve(handler, { hosts: ['*'] })
  expect(await every.exchange('GET / HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200/)
})
