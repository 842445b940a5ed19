/** Listening, and connections that one process accepts and another answers. */
import { connect, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { silentLogger } from '../base.ts'
import { HttpResponse } from '../http.ts'
import { HttpServer } from './http-server.ts'
import { listenOn, SocketListener } from './listen.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

async function gate(onSocket: (socket: Socket) => void) {
  const accepting = new SocketListener(onSocket)
  const { port } = await accepting.listen(0)
  return { accepting, open: () => connect(port, '127.0.0.1') }
}

test('a passed connection is answered once and closed', async () => {
  const waiting: Socket[] = []
  const { accepting, open } = await gate((socket) => waiting.push(socket))
  const client = open()
  client.write(get('/first') + get('/second'))
  await expect.poll(() => waiting.length, { interval: 20 }).toBe(1)
  const server = new HttpServer(({ target, remoteAddress }) => {
    return new HttpResponse(200, `${target} of ${remoteAddress}`)
  })
  server.handleSocket(waiting[0]!)
  const answer = await text(client)
  expect(answer).toMatch(
    /^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n[^]*\/first of 127\.0\.0\.1$/,
  )
  expect(answer).not.toContain('/second')
  await server.close()
  accepting.close()
})

test('close answers passed connections, ends silent ones, and cuts slow ones', async () => {
  const asked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<HttpResponse>()
  const server = new HttpServer(
    ({ target }) => {
      if (target === '/never') return new Promise<never>(() => {})
      asked.resolve()
      return answer.promise
    },
    { logger: silentLogger },
  )
  const { accepting, open } = await gate((socket) => server.handleSocket(socket))
  const silent = open()
  const never = open()
  never.write(get('/never'))
  const slow = open()
  slow.write(get('/slow'))
  await asked.promise
  const closed = server.close(200)
  answer.resolve(new HttpResponse(200, 'in time'))
  expect(await text(slow)).toContain('in time')
  expect(await text(silent).catch(() => '')).toBe('')
  expect(await text(never)).toContain('503 Service Unavailable')
  await closed
  accepting.close()
})

test('a passed connection has the time limits of a listening server', async () => {
  const limits = { headersTimeout: 50, requestTimeout: 100 }
  const server = new HttpServer(() => new HttpResponse(), limits)
  const { accepting, open } = await gate((socket) => server.handleSocket(socket))
  const trickling = open()
  trickling.write('GET / HTTP/1.1\r\nHost: loc')
  expect(await text(trickling)).toMatch(/^HTTP\/1\.1 408 /)
  await server.close()
  accepting.close()
})

test('a port in use is the same error as for a server', async () => {
  const { accepting, open } = await gate(() => {})
  const { remotePort } = await new Promise<Socket>((resolve) => {
    const socket = open().once('connect', () => resolve(socket))
  })
  await expect(new SocketListener(() => {}).listen(remotePort!)).rejects.toMatchObject({
    code: 'server.listen-failed',
  })
  accepting.close()
})

test('an error after the start is logged, and the server goes on', async () => {
  const logged: unknown[] = []
  const logger = { ...silentLogger, error: (...line: unknown[]) => void logged.push(line) }
  const server = createServer()
  const { port, url } = await listenOn(server, { port: 0, host: '127.0.0.1' }, logger)
  expect(url).toBe(`http://127.0.0.1:${port}`)
  const error = new Error('accept EMFILE')
  server.emit('error', error)
  expect(logged).toEqual([[{ err: error }, 'server error']])
  expect(server.listening).toBe(true)
  server.close()
})
