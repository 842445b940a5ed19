/** isLocalRequest: requests of the developer, by the headers of a connection from this machine. */
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpResponse, type HttpRequest } from '../../runtime/http.ts'
import { HttpServer } from '../../runtime/server.ts'
import { isLocalRequest } from './local-request.ts'

const handle = (request: HttpRequest) => new HttpResponse(200, `local: ${isLocalRequest(request)}`)
const server = new HttpServer(handle, { hosts: ['*'] })
let port: number
beforeAll(async () => {
  port = (await server.listen(0)).port
})
afterAll(() => server.close(0))

test.each([
  ['a browser', '1.1', ['Host: localhost:8080'], true],
  ['its address', '1.1', ['Host: 127.0.0.1:8080'], true],
  [
    'a link of elsewhere',
    '1.1',
    ['Host: [::1]', 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate'],
    true,
  ],
  [
    'a script of elsewhere',
    '1.1',
    ['Host: [::1]', 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors'],
    false,
  ],
  ['a foreign name that resolves to this machine', '1.1', ['Host: example.com'], false],
  ['a proxy with a header', '1.1', ['Host: localhost', 'X-Forwarded-For: 10.0.0.7'], false],
  ['nginx with its default settings', '1.0', ['Host: 127.0.0.1:8080'], false],
  ['a proxy without a Host header', '1.0', [], false],
])('%s', async (_who, version, headers, expected) => {
  const socket = connect(port, '127.0.0.1')
  socket.end(`GET / HTTP/${version}\r\n${[...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`)
  expect(await text(socket)).toMatch(new RegExp(`local: ${expected}$`))
})
