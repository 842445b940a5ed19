/** Clients that send or take as little as they can: each is closed in time, and nobody else waits for them. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { FwLifeCycle, type ServletContext } from '../../src/app.ts'
import { silentLogger } from '../../src/base.ts'
import { Configuration } from '../../src/config.ts'
import { FwController, routes } from '../../src/controller.ts'
import { createApp } from '../../src/server.ts'

/** 500 with FW_TEST_SLOW=500: then with the limits that an application has unless it says otherwise. */
const count = Number(process.env['FW_TEST_SLOW'] ?? 20)
const limits = count >= 500 ? {} : { headersTimeout: '2s', writeTimeout: '2s' }
const closedWithin = 12_000
const readerLooksAt = count >= 500 ? 11_500 : 5_000
/** The machine of a test is shared: a single page may wait for it, not half of them. */
const pageWithin = 100

const large = Buffer.alloc(5_000_000, 'x')

class Pages extends FwController {
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
const pages = routes(Pages, (r) => ({
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

/** Milliseconds from the connection to its end; `trickle` goes out every half a second. */
async function lifeOf(port: number, first: string, trickle: string): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  const began = performance.now()
  socket.write(first)
  // Who reads nothing does not see the end: it looks late, and finds the page cut off.
  if (trickle === '') await sleep(readerLooksAt)
  let received = 0
  socket.on('data', (chunk) => (received += chunk.length))
  const drip = setInterval(() => trickle !== '' && socket.write(trickle), 500)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(drip)
  return received < large.length ? performance.now() - began : Infinity
}

/** Milliseconds that each page took until `done`. */
async function pagesUntil(url: string, done: Promise<unknown>): Promise<number[]> {
  const took: number[] = []
  const slow = { ended: false }
  const end = (): void => {
    slow.ended = true
  }
  done.then(end, end)
  while (!slow.ended) {
    const began = performance.now()
    expect(await (await fetch(url)).text()).toBe('hello')
    took.push(performance.now() - began)
    await sleep(50)
  }
  return took.toSorted((a, b) => a - b)
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
])(`${count} slow %s`, { timeout: 60_000 }, async (_kind, first, trickle) => {
  const { port, url } = await start()
  const slow = Promise.all(Array.from({ length: count }, () => lifeOf(port, first, trickle)))
  const took = await pagesUntil(url, slow)
  const lives = await slow
  if (process.env['FW_TEST_SLOW'] !== undefined)
    console.log({
      longest: Math.max(...lives),
      median: took[took.length >> 1],
      most: took.at(-1),
    })
  expect(Math.max(...lives)).toBeLessThan(closedWithin)
  expect(took[Math.floor(took.length * 0.9)]).toBeLessThan(pageWithin)
})
