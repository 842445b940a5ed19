/**
 * Tests clients that send or read as slowly as possible. The server closes their connections in time, and they do not
 * delay other clients.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createApp, FwLifeCycle, type ServletContext } from '../../src/runtime/app.ts'
import { silentLogger } from '../../src/runtime/base.ts'
import { Configuration } from '../../src/runtime/config.ts'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { prepareChecks } from '../support/fault-checks.ts'
import { temporaryFolder } from '../support/serve.ts'

/** The number of slow clients. Set FW_TEST_SLOW=500 on an idle machine to test the default limits as well. */
const measured = process.env['FW_TEST_SLOW']
const count = Number(measured ?? 20)
const limits = count >= 500 ? {} : { headersTimeout: '2s', writeTimeout: '2s' }
const closedWithin = 12_000
const readerReadsAfter = count >= 500 ? 11_000 : 7_000
/** The maximum time in milliseconds of 90 % of the pages. On a busy machine, single pages take longer. */
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
  const uploads = temporaryFolder()
  const configuration = Configuration.from({ server: limits, upload: { location: uploads } })
  const app = await createApp(new Boot(), { logger: silentLogger, configuration })
  onTestFinished(() => app.close(0))
  const address = await app.listen(0)
  const page = async () => (await fetch(`${address.url}/up`)).status
  onTestFinished(await prepareChecks({ page, uploads }))
  return address
}

/**
 * Runs a slow client, which sends `trickle` every half second. Returns the milliseconds until its connection ends.
 * Until then `connected` contains its socket.
 */
async function measureLifetime(
  port: number,
  first: string,
  trickle: string,
  connected: Set<Socket>,
): Promise<number> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  const began = performance.now()
  connected.add(socket)
  socket.once('close', () => connected.delete(socket))
  socket.write(first)
  // A client that does not read cannot detect the end of its connection. So it reads later, and must find the page
  // incomplete.
  if (trickle === '') await sleep(readerReadsAfter)
  let received = 0
  socket.on('data', (chunk) => (received += chunk.length))
  const drip = setInterval(() => trickle !== '' && socket.write(trickle), 500)
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(drip)
  return received < large.length ? performance.now() - began : Infinity
}

interface Pages {
  /** The time of each page in milliseconds, sorted. */
  readonly took: readonly number[]
  /** The number of pages that were requested and served while all slow clients were connected. */
  readonly pagesMeanwhile: number
}

/** Requests a page repeatedly until `done` settles. */
async function requestPagesUntil(
  url: string,
  connected: ReadonlySet<Socket>,
  done: Promise<unknown>,
): Promise<Pages> {
  const took: number[] = []
  let pagesMeanwhile = 0
  const slow = { ended: false }
  const end = (): void => {
    slow.ended = true
  }
  done.then(end, end)
  while (!slow.ended) {
    const began = performance.now()
    const before = connected.size
    expect(await (await fetch(url)).text()).toBe('hello')
    if (before === count && connected.size === count) pagesMeanwhile += 1
    took.push(performance.now() - began)
    await sleep(50)
  }
  return { took: took.toSorted((a, b) => a - b), pagesMeanwhile }
}

const head = 'Host: localhost\r\n'

test.each([
  ['headers', `GET / HTTP/1.1\r\n${head}`, 'X-A: 1\r\n'],
  [
    'bodies',
    `POST /send HTTP/1.1\r\n${head}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 8192\r\n\r\n`,
    'a',
  ],
  ['reads', `GET /large HTTP/1.1\r\n${head}\r\n`, ''],
])(
  `${count} clients with slow %s are closed and delay no other client`,
  async (_kind, first, trickle) => {
    const { port, url } = await start()
    const connected = new Set<Socket>()
    const slow = Promise.all(
      Array.from({ length: count }, () => measureLifetime(port, first, trickle, connected)),
    )
    const { took, pagesMeanwhile } = await requestPagesUntil(url, connected, slow)
    const longest = Math.max(...(await slow))
    expect(pagesMeanwhile).toBeGreaterThan(0)
    expect(longest).toBeLessThan(measured === undefined ? 30_000 : closedWithin)
    if (measured === undefined) return
    console.log({ longest, median: took[took.length >> 1], most: took.at(-1) })
    expect(took[Math.floor(took.length * 0.9)]).toBeLessThan(pageWithin)
  },
)
