/** Many live pages: a stop ends their streams, so that a deploy does not take its grace, and those that have left are released. */
import { once } from 'node:events'
import { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { queryObjects } from 'node:v8'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createApp, FwLifeCycle, type ServletContext } from '../../src/runtime/app.ts'
import { silentLogger } from '../../src/runtime/base.ts'
import { Configuration } from '../../src/runtime/config.ts'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { currentDatabase, useDatabase } from '../../src/runtime/db.ts'
import { openInMemory } from '../../src/runtime/db/engines.fixture.ts'
import { temporaryFolder } from '../support/serve.ts'

const pages = 500
const drainDelay = 1_000

class News extends FwController {
  live() {
    let events = 0
    return this.view.live('news', () => `Something happened: ${++events}`)
  }

  /** Ends after the second event. */
  brief() {
    return this.response.sse(async function* (signal) {
      let left = 2
      for await (const payload of currentDatabase().listen('news', signal)) {
        yield payload
        if (--left === 0) return
      }
    })
  }
}
const news = routes(News, (r) => ({
  live: r.get('/news', 'live'),
  brief: r.get('/brief', 'brief'),
}))

class Boot extends FwLifeCycle {
  override initFwApp(ctx: ServletContext): void {
    news.mount(ctx)
  }
}

async function start() {
  const database = await openInMemory()
  useDatabase(database)
  onTestFinished(async () => {
    useDatabase(undefined)
    await database.close()
  })
  const app = await createApp(new Boot(), {
    root: temporaryFolder({ 'package.json': '{ "type": "module" }' }),
    logger: silentLogger,
    database,
    configuration: Configuration.from({
      server: { drainDelay: `${drainDelay}ms`, shutdownGrace: '1h' },
    }),
  })
  return { database, app, ...(await app.listen(0)) }
}

test('500 live pages end as complete responses long before the grace is over', async () => {
  const { database, app, url } = await start()
  const responses = await Promise.all(Array.from({ length: pages }, () => fetch(`${url}/news`)))
  const texts = responses.map((response) => response.text())
  await database.notify('news')
  const begun = performance.now()
  await app.close()
  const took = performance.now() - begun
  for (const text of await Promise.all(texts)) expect(text).toContain('Something happened')
  expect(took).toBeGreaterThanOrEqual(drainDelay)
  // On an idle machine it is the delay and less than a second; other tests run meanwhile.
  expect(took).toBeLessThan(drainDelay + 5_000)
})

const countResponses = () => queryObjects(ServerResponse, { format: 'count' })

test.each(['/news', '/brief'])('the streams of %s that have ended are released', async (path) => {
  const { database, app, port } = await start()
  onTestFinished(() => app.close(0))
  const sockets = Array.from({ length: 100 }, () => connect(port, '127.0.0.1'))
  const texts = sockets.map(() => '')
  for (const [at, socket] of sockets.entries()) {
    socket.on('data', (chunk) => (texts[at] += String(chunk)))
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  }
  const allContain = (text: string) =>
    vi.waitFor(() => expect(texts.every((each) => each.includes(text))).toBe(true), 10_000)
  await allContain('data: ')
  expect(countResponses()).toBeGreaterThanOrEqual(100)
  await database.notify('news', 'the second')
  await allContain(
    path === '/brief' ? 'data: the second\n\n\r\n0\r\n' : 'data: Something happened: 2\n',
  )
  const closed = sockets.map((socket) => once(socket, 'close'))
  for (const socket of sockets) socket.end()
  await Promise.all(closed)
  await vi.waitFor(() => expect(countResponses()).toBeLessThan(10), 10_000)
})
