import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import express from 'express'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { silentLogger } from '../base.ts'
import type { HttpRequest } from '../http.ts'
import { HttpResponse } from '../http.ts'
import { nodeHandler } from './node-handler.ts'
import { get, RawClient } from './raw-client.fixture.ts'

async function handler(request: HttpRequest): Promise<HttpResponse> {
  if (request.target.startsWith('/ours')) {
    const body = Buffer.from(await request.body.bytes(100)).toString()
    return new HttpResponse(200, `${request.mountPath}|${request.target}|${body}`)
  }
  const response = new HttpResponse(404, 'no route')
  response.unmatched = true
  return response
}

test('in Express: below a path, before its own routes', async () => {
  const app = express()
  app.use('/app', nodeHandler(handler, { logger: silentLogger }))
  app.get('/app/theirs', (_request, response) => void response.send('theirs'))
  const server: Server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    expect(await (await fetch(`${url}/app/ours?a=1`, { method: 'POST', body: 'hi' })).text()).toBe(
      '/app|/ours?a=1|hi',
    )
    expect(await (await fetch(`${url}/app/theirs`)).text()).toBe('theirs')
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('in Express behind a body parser: an error with the remedy, and no hang', async () => {
  const errors: unknown[] = []
  const logger = {
    ...silentLogger,
    error: ({ err }: { err?: unknown }) => void errors.push(err),
  }
  const app = express()
  app.use(express.json())
  app.use(nodeHandler(handler, { logger }))
  const server: Server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const sent = {
      method: 'POST',
      body: '{"a":1}',
      headers: { 'Content-Type': 'application/json' },
    }
    expect((await fetch(`http://127.0.0.1:${port}/ours`, sent)).status).toBe(500)
    expect(errors).toMatchObject([
      {
        code: 'http.body-consumed',
        message: expect.stringContaining('in front of other body parsers'),
      },
    ])
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('in Fastify: behind its routes', async () => {
  const listener = nodeHandler(handler, { logger: silentLogger })
  const app = fastify()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.get('/theirs', () => 'theirs')
  app.all('/*', (request, reply) => {
    reply.hijack()
    listener(request.raw, reply.raw)
  })
  try {
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    expect(await (await fetch(`${url}/ours`, { method: 'PUT', body: 'hi' })).text()).toBe(
      '|/ours|hi',
    )
    expect(await (await fetch(`${url}/theirs`)).text()).toBe('theirs')
    expect((await fetch(`${url}/neither`)).status).toBe(404)
  } finally {
    await app.close()
  }
})

test('pipelined requests dispatched out of order do not hang after the last response of their connection', async () => {
  const listener = nodeHandler(() => new HttpResponse(200, 'ours'), { logger: silentLogger })
  const held: (() => void)[] = []
  const server = createServer((incoming, outgoing) => {
    const handle = (): void =>
      incoming.url === '/theirs' ? void outgoing.end('theirs') : listener(incoming, outgoing)
    if (incoming.url !== '/last') return void held.unshift(handle)
    handle()
    for (const each of held.splice(0)) each()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const refused = get('/late') + get('/last', 'Host: twice\r\n')
    const atOnce = await RawClient.open(port)
    atOnce.write(refused)
    expect(await atOnce.closed()).toBe('')
    const later = await RawClient.open(port)
    later.write(get('/theirs') + refused)
    expect(await later.closed()).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\ntheirs$/)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
