/** HEAD has the headers of GET, for every kind of body, with and without compression. */
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Configuration } from '../../src/runtime/config.ts'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { ConditionalGet } from '../../src/runtime/feature.ts'
import { gzipSync } from 'node:zlib'
import { HttpResponse, Ok } from '../../src/runtime/http.ts'
import { FwServer } from '../../src/runtime/app.ts'
import { temporaryFolder } from '../support/serve.ts'

const text = 'ä compressible text. '.repeat(200)
const bytes = Buffer.from(text)

async function* chunks() {
  yield text
  yield text
}

/** Starts a server that sends a text, for actions that forward the response of `fetch`. */
async function startUpstream(): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/plain; charset=utf-8')
    response.setHeader('Content-Length', bytes.length)
    response.end(bytes)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const bodies: Readonly<
  Record<string, (c: FwController, root: string, upstream: string) => unknown>
> = {
  text: () => text,
  smallText: () => 'ä',
  json: () => ({ text }),
  bytes: (c) => {
    c.response.headers.set('Content-Type', 'text/css')
    return bytes
  },
  arrayBuffer: () => new Uint8Array(bytes).buffer,
  result: () => Ok(text, {}, { contentType: 'text/csv' }),
  httpResponse: () => new HttpResponse(200, text),
  blob: () => new Blob([text], { type: 'text/plain' }),
  webResponse: () => new Response(text),
  emptyResponse: () => new Response(null),
  webStream: () => new Blob([text]).stream(),
  nodeStream: () => Readable.from([bytes]),
  iterable: (c) => c.response.stream(chunks),
  declaredStream: (c) => {
    c.response.headers.set('Content-Length', 2 * bytes.length)
    return c.response.stream(chunks)
  },
  fetched: (c, _root, upstream) => fetch(upstream, { method: c.request.method }),
  events: (c) => c.response.sse(async function* () {}),
  writer: (c) => c.response.withOutputStream((out) => out.writeChunk(text)),
  smallFile: (c, root) => c.response.sendFile(join(root, 'small.txt')),
  largeFile: (c, root) => c.response.sendFile(join(root, 'large.txt')),
  image: (c, root) => c.response.sendFile(join(root, 'large.png')),
  emptyFile: (c, root) => c.response.sendFile(join(root, 'empty.txt')),
  missingFile: (c, root) => c.response.sendFile(join(root, 'none.txt')),
  nothing: () => undefined,
  noContent: () => 204,
  redirect: (c) => c.redirect('/text'),
  missing: (c) => c.haltWithBody(404),
  fault: () => {
    throw new Error('broken')
  },
  session: (c) => {
    c.session.set('a', 1)
    return text
  },
}

async function startServer(compression: boolean) {
  const root = temporaryFolder({ 'package.json': '{ "type": "module" }' })
  const upstream = await startUpstream()
  const webapp = join(root, 'src/main/webapp')
  mkdirSync(webapp, { recursive: true })
  for (const folder of [root, webapp]) {
    writeFileSync(join(folder, 'small.txt'), text)
    writeFileSync(join(folder, 'large.txt'), text.repeat(50))
    writeFileSync(join(folder, 'large.png'), text.repeat(50))
    writeFileSync(join(folder, 'empty.txt'), '')
  }
  writeFileSync(join(webapp, 'small.txt.gz'), gzipSync(bytes))
  class Bodies extends mix(FwController, ConditionalGet) {
    show() {
      return bodies[this.params.get('body')!]!(this, root, upstream)
    }
  }
  const server = new FwServer({
    root,
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    configuration: Configuration.from({
      compression: { enabled: compression },
      staticFiles: { precompressed: true },
    }),
  })
  server.mount(routes(Bodies, (r) => ({ show: r.get('/bodies/:body', 'show') })))
  const { port } = await server.listen(0)
  onTestFinished(() => server.close(0))
  return port
}

/** Returns the headers of a response, without those that differ in each response or describe only its transfer. */
async function headersOf(port: number, method: string, path: string) {
  const sent = request({ port, method, path, headers: { 'accept-encoding': 'gzip' }, agent: false })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  const names = Object.keys(response.headers)
  for (const name of ['date', 'transfer-encoding']) delete response.headers[name]
  for (const name of ['set-cookie', 'x-request-id'])
    if (names.includes(name)) response.headers[name] = ['differs']
  return [response.statusCode, response.headers]
}

describe.each([false, true])('HEAD with compression: %s', (compression) => {
  const others = ['/small.txt', '/large.txt', '/large.png', '/none', '/up', '/ready']
  const paths = [...Object.keys(bodies).map((name) => `/bodies/${name}`), ...others]
  it('has the headers of GET', async () => {
    const port = await startServer(compression)
    for (const path of paths) {
      const expected = await headersOf(port, 'GET', path)
      expect.soft([path, await headersOf(port, 'HEAD', path)]).toEqual([path, expected])
    }
  })
})
