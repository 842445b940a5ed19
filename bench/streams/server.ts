/**
 * Holds event streams in production, with an access log. Arguments: `live` (pages of Fw with `view.live`), `plain` (Fw's
 * `response.sse`) or `node` (`node:http` by hand), then the application's folder and the URL of the database. Sends its port,
 * and its memory and CPU time on request.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { FwConfig, FwController, FwEnv, FwServer, mix, routes, TxPerRequestFilter } from 'fwjs'
import { currentDatabase } from 'fwjs/db'
import pg from 'pg'

const [, , subject = '', root = '', url = ''] = process.argv
const channel = 'news'

/** Responds with a text of 100 bytes, as a fragment of a list would be longer in an application. */
const fragment = `<li>${'x'.repeat(91)}</li>`

export interface StreamSample {
  readonly rss: number
  readonly heap: number
  readonly external: number
  /** Seconds. */
  readonly cpu: number
}

class Pages extends mix(FwController, TxPerRequestFilter) {
  live() {
    return this.view.live(channel, () => fragment)
  }

  plain() {
    return this.response.sse((signal) => currentDatabase().listen(channel, signal))
  }
}

async function startFw(): Promise<number> {
  const configuration = FwConfig.from(
    {
      secretKeyBase: 'x'.repeat(64),
      // As many pages beside the streams.
      server: { hosts: ['localhost'], maxConnections: 30_000 },
      db: { default: { url, poolSize: 4 } },
    },
    new FwEnv('production'),
  )
  const pages = routes(Pages, (r) => ({
    live: r.get('/live', 'live'),
    plain: r.get('/plain', 'plain'),
  }))
  return (await new FwServer({ root, configuration }).mount(pages).listen(0)).port
}

/** The least that streams cost in Node: a response each, and one loop over all of them. */
async function startNode(): Promise<number> {
  const streams = new Set<ServerResponse>()
  const event = `data: ${fragment}\n\n`
  const client = new pg.Client(url)
  await client.connect()
  client.on('notification', () => {
    for (const stream of streams) stream.write(event)
  })
  await client.query(`listen ${channel}`)
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    response.write(event)
    streams.add(response)
    response.on('close', () => streams.delete(response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 8192, resolve))
  return (server.address() as AddressInfo).port
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function sample(collects: boolean): Promise<StreamSample> {
  const count = collects ? 4 : 0
  for (let collections = 0; collections < count; collections++) {
    globalThis.gc!()
    await turn()
  }
  const { rss, heapUsed: heap, external } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  return { rss, heap, external, cpu: (user + system) / 1e6 }
}

process.on('message', (collects: boolean) => {
  void sample(collects).then((figures) => process.send!(figures))
})
process.on('disconnect', () => process.exit())
process.send!(subject === 'node' ? await startNode() : await startFw())
