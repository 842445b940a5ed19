/** Clients that send or read as slowly as possible: each is closed in time, and does not delay other clients. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { FwLifeCycle, type ServletContext } from '../../src/runtime/app.ts'
import { silentLogger } from '../../src/runtime/base.ts'
import { Configuration } from '../../src/runtime/config.ts'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { createApp } from '../../src/runtime/server.ts'

/** The number of slow clients. FW_TEST_SLOW=500, on an idle machine, also tests the default limits. */
const measured = process.env['FW_TEST_SLOW']
const count = Number(measured ?? 20)
const limits = count >= 500 ? {} : { headersTimeout: '2s', writeTimeout: '2s' }
const closedWithin = 12_000
const readerLooksAt = count >= 500 ? 11_000 : 7_000
/** Milliseconds. A single page may be slow on a busy machine; the median may not. */
const pageWithin = 100

const large = Buffer.alloc(5_000_000, 'x')

class Home extends FwController {
  index() {
    return 'hello'
  }
  large() {
    return large
  }
  send() {
    return 'read'
  }
}
const pages = routes(Home, (r) => ({
  index: r.get('/', 'index'),
  large: r.get('/large', 'large'),
  send: r.post('/send', 'send'),
}))

class Boot extends FwLifeCycle {
  override initFwApp(ctx: ServletContext): void {
    pages.mount(ctx)
  }
}

async function start(): Promise<{ readonly port: number; readonly url: string }> {
  const configuration = Configuration.from({ server: limits })
  const app = await createApp(new Boot(), { logger: silentLogger, configuration })
  onTestFinished(() => app.close(0))
  return app.listen(0)
}

/** Milliseconds from the connection to its end. Sends `trickle` every half second. Until then the client is in `there`. */
async function lifeOf(
  port: number,
  first: string,
  trickle: string,
  there: Set<Socket>,
): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  const began = performance.now()
  there.add(socket)
  socket.once('close', () => there.delete(socket))
  socket.write(first)
  // A client that does not read does not notice the end: it reads later, and finds the page cut off.
  if (trickle === '') await sleep(readerLooksAt)
  let received = 0
  socket.on('data', (chunk) => (received += chunk.length))
  const drip = setInterval(() => trickle !== '' && socket.write(trickle), 500)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(drip)
  return received < large.length ? performance.now() - began : Infinity
}

interface Pages {
  /** The milliseconds of each page, sorted. */
  readonly took: readonly number[]
  /** The number of pages requested and answered while all slow clients were connected. */
  readonly beside: number
}

/** Requests one page after the other until `done`. */
async function pagesUntil(
  url: string,
  there: ReadonlySet<Socket>,
  done: Promise<unknown>,
): Promise<Pages> {
  const took: number[] = []
  let beside = 0
  const slow = { ended: false }
  const end = (): void => {
    slow.ended = true
  }
  done.then(end, end)
  while (!slow.ended) {
    const began = performance.now()
    const before = there.size
    expect(await (await fetch(url)).text()).toBe('hello')
    if (before === count && there.size === count) beside += 1
    took.push(performance.now() - began)
    await sleep(50)
  }
  return { took: took.toSorted((a, b) => a - b), beside }
}

const head = 'Host: localhost\r\n'

test.each([
  ['headers', `GET / HTTP/1.1\r\n${head}`, 'X-A: 1\r\n'],
  [
    'bodies',
    `POST /send HTTP/1.1\r\n${head}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 8192\r\n\r\n`,
    'a',
  ],
  ['readers', `GET /large HTTP/1.1\r\n${head}\r\n`, ''],
])(`${count} slow %s`, async (_kind, first, trickle) => {
  const { port, url } = await start()
  const there = new Set<Socket>()
  const slow = Promise.all(Array.from({ length: count }, () => lifeOf(port, first, trickle, there)))
  const { took, beside } = await pagesUntil(url, there, slow)
  const longest = Math.max(...(await slow))
  expect(beside).toBeGreaterThan(0)
  expect(longest).toBeLessThan(measured === undefined ? 30_000 : closedWithin)
  if (measured === undefined) return
  console.log({ longest, median: took[took.length >> 1], most: took.at(-1) })
  expect(took[Math.floor(took.length * 0.9)]).toBeLessThan(pageWithin)
})
