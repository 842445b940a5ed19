import { AsyncLocalStorage } from 'node:async_hooks'
import diagnostics from 'node:diagnostics_channel'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../base.ts'
import { stopThread } from '../base/stop-thread.fixture.ts'
import { HttpResponse } from '../http.ts'
import { get, post, serve, type RawClient, type TestServer } from './raw-client.fixture.ts'

/** Connections that the server has accepted: it accepts one in each turn of its event loop. */
async function connectAll(app: TestServer, count: number): Promise<RawClient[]> {
  const clients = await Promise.all(Array.from({ length: count }, () => app.open()))
  await Promise.all(clients.map((client) => (client.write(get('/')), client.until('served'))))
  return clients
}

/** Sends a request on each connection. Resolves with the responses. */
const requestAll = (clients: readonly RawClient[], path: string): Promise<string[]> =>
  Promise.all(
    clients.map((client) => {
      client.received = ''
      client.write(get(path))
      return client.until('\r\n\r\n')
    }),
  )

const served = new HttpResponse(200, 'served')

test('a burst is served while no request waits longer than the limit', async () => {
  const handler = ({ target }: { readonly target: string }) => {
    if (target === '/slow') stopThread(5)
    return served
  }
  await using app = await serve(handler, { maxQueueTime: 60_000 })
  const clients = await connectAll(app, 50)
  for (const answer of await requestAll(clients, '/slow')) expect(answer).toContain('200 OK')
})

test('timers run, and later requests are read, while others wait', async () => {
  let handled = 0
  let handledAtTimer = -1
  const handler = ({ target }: { readonly target: string }) => {
    if (target !== '/slow') return served
    if (handled === 0) setTimeout(() => (handledAtTimer = handled), 1)
    handled++
    stopThread(10)
    return served
  }
  await using app = await serve(handler)
  await requestAll(await connectAll(app, 20), '/slow')
  expect(handled).toBe(20)
  expect(handledAtTimer).toBeGreaterThan(0)
  expect(handledAtTimer).toBeLessThan(20)
})

test('pipelined requests that wait for later turns are answered in order', async () => {
  let handled = 0
  await using app = await serve(({ target }) => {
    stopThread(1)
    return new HttpResponse(200, `${target} was ${handled++}.`)
  })
  const paths = Array.from({ length: 150 }, (_, at) => `/${at}`)
  const client = await app.open()
  client.write(paths.map((path) => get(path)).join(''))
  const received = await client.until('/149 was 149.')
  const bodies = received.match(/\/\d+ was \d+\./g)
  expect(bodies).toEqual(paths.map((path, at) => `${path} was ${at}.`))
})

test('a stop refuses the requests that still wait when its time is over', async () => {
  let closing: Promise<void> | undefined
  const handler = ({ target }: { readonly target: string }) => {
    if (target !== '/slow') return served
    closing ??= app.server.close(20)
    stopThread(50)
    return served
  }
  await using app = await serve(handler)
  const answers = await requestAll(await connectAll(app, 8), '/slow')
  await closing
  const refused = answers.filter((answer) => answer.startsWith('HTTP/1.1 503 '))
  expect(refused.length).toBeGreaterThan(0)
})

test('requests that wait for later turns keep the async context of their arrival', async () => {
  const context = new AsyncLocalStorage<string>()
  const channel = diagnostics.channel('http.server.request.start')
  const enter = (message: unknown): void =>
    context.enterWith((message as { request: { url: string } }).request.url)
  channel.subscribe(enter)
  onTestFinished(() => void channel.unsubscribe(enter))
  const contexts = new Map<string, string | undefined>()
  await using app = await serve(({ target }) => {
    contexts.set(target, context.getStore())
    stopThread(2)
    return served
  })
  const clients = await connectAll(app, 40)
  await Promise.all(
    clients.map((client, at) => {
      client.received = ''
      client.write(get(`/${at}`))
      return client.until('served')
    }),
  )
  contexts.delete('/')
  expect(contexts.size).toBe(40)
  for (const [target, found] of contexts) expect(found).toBe(target)
})

test('while requests in flight compute for long, one waiting request begins in each turn', async () => {
  const begunInTurns: number[] = []
  let begun = 0
  const handler = async ({ target }: { readonly target: string }) => {
    if (target === '/slow') stopThread(3)
    if (target !== '/compute') begun++
    else
      for (let turn = 0; turn < 10; turn++) {
        await setImmediate()
        begunInTurns.push(begun)
        begun = 0
        stopThread(40)
      }
    return served
  }
  await using app = await serve(handler)
  const [computing, ...clients] = await connectAll(app, 60)
  begun = 0
  const computed = requestAll([computing!], '/compute')
  await expect.poll(() => begunInTurns.length, { interval: 1 }).toBeGreaterThan(0)
  const answers = requestAll(clients, '/slow')
  await computed
  // In the turn that reads the requests, no turn was long yet.
  expect(begunInTurns.filter((count) => count > 1).length).toBeLessThanOrEqual(1)
  for (const answer of await answers) expect(answer).toContain('200 OK')
})

test('long polls do not delay the other requests', async () => {
  const polled = Promise.withResolvers<HttpResponse>()
  await using app = await serve(({ target }) => (target === '/poll' ? polled.promise : served))
  const clients = await connectAll(app, 60)
  const polls = requestAll(clients.slice(0, 50), '/poll')
  for (let round = 0; round < 3; round++)
    for (const answer of await requestAll(clients.slice(50), '/fast'))
      expect(answer).toContain('200 OK')
  polled.resolve(served)
  for (const answer of await polls) expect(answer).toContain('200 OK')
})

/** Checks that responses with 503 name a time, and that their connections stay open. Returns their number. */
function countRefused(answers: readonly string[]): number {
  const refused = answers.filter((answer) => answer.startsWith('HTTP/1.1 503 '))
  for (const answer of refused) expect(answer).toMatch(/Retry-After: 1\r\n[^]*keep-alive/)
  return refused.length
}

test('a request that waits longer than the limit gets 503, and the log has one line a second with the number', async () => {
  const lines: { count: number; message: string }[] = []
  const counted = Promise.withResolvers<void>()
  const error = (fields: object, message: string): void => {
    lines.push({ ...(fields as { count: number }), message })
    counted.resolve()
  }
  let handled = 0
  const handler = ({ target }: { readonly target: string }) => {
    handled += 1
    if (target === '/slow') stopThread(25)
    return served
  }
  const probe = (_method: string, target: string) =>
    target === '/up' ? new HttpResponse(200, 'alive') : undefined
  const logger = { ...silentLogger, error }
  await using app = await serve(handler, { maxQueueTime: 100, probe, logger })
  const clients = await connectAll(app, 50)
  handled = 0
  const answers = requestAll(clients, '/slow')
  const alive = app.open().then((client) => {
    client.write(get('/up'))
    return client.until('alive')
  })
  const refused = countRefused(await answers)
  await alive
  expect(refused).toBeGreaterThan(0)
  expect(handled).toBeGreaterThan(0)
  expect(refused + handled).toBe(50)
  await counted.promise
  await expect.poll(() => lines.reduce((sum, { count }) => sum + count, 0)).toBe(refused)
  expect(lines.length).toBeLessThan(refused)
  for (const { message } of lines) expect(message).toContain('server.maxQueueTime')
  // A kept connection is served again at once.
  expect(await requestAll(clients.slice(0, 1), '/')).toEqual([expect.stringContaining('200 OK')])
})

test('without a limit, requests wait as long as necessary', async () => {
  const handler = ({ target }: { readonly target: string }) => {
    if (target === '/slow') stopThread(25)
    return served
  }
  await using app = await serve(handler)
  expect(countRefused(await requestAll(await connectAll(app, 20), '/slow'))).toBe(0)
})

/** A logger that keeps the messages of errors. */
function recordErrors() {
  const messages: string[] = []
  const error = (_fields: object, message: string): void => void messages.push(message)
  return { messages, logger: { ...silentLogger, error } }
}

test('above the number of requests without a response, further ones get 503 at once', async () => {
  const end = Promise.withResolvers<HttpResponse>()
  let begun = 0
  const handler = ({ target }: { readonly target: string }) => {
    if (target !== '/wait') return served
    begun++
    return end.promise
  }
  const { messages, logger } = recordErrors()
  await using app = await serve(handler, { maxRequests: 10, logger })
  const clients = await connectAll(app, 13)
  const waiting = requestAll(clients.slice(0, 10), '/wait')
  await expect.poll(() => begun).toBe(10)
  expect(countRefused(await requestAll(clients.slice(10), '/wait'))).toBe(3)
  expect(messages[0]).toBe('requests get 503: more than server.maxRequests wait or are in flight')
  end.resolve(served)
  expect(countRefused(await waiting)).toBe(0)
  expect(countRefused(await requestAll(clients.slice(0, 10), '/'))).toBe(0)
})

test('while the process uses more memory than the limit, requests get 503; then they are served again', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const size = 200 * 2 ** 20
  const { messages, logger } = recordErrors()
  const maxMemory = process.memoryUsage.rss() + size
  await using app = await serve(() => served, { maxMemory, logger })
  const clients = await connectAll(app, 1)
  const isRefused = async (): Promise<boolean> => countRefused(await requestAll(clients, '/')) === 1
  const full: Buffer[] = []
  // Meanwhile, other tests of this process may free memory.
  const fill = async (): Promise<boolean> => {
    if (full.length < 8) full.push(Buffer.alloc(size, 1))
    return isRefused()
  }
  await expect.poll(fill).toBe(true)
  expect(messages[0]).toContain('server.maxMemory')
  full.length = 0
  collect()
  await expect.poll(isRefused).toBe(false)
})

test('a GET whose client has left while it waited is not handled, a POST is', async () => {
  const handled: string[] = []
  await using app = await serve(({ method, target }) => {
    if (target === '/slow') stopThread(100)
    else handled.push(method)
    return served
  })
  const [slow, other, reader, writer] = await connectAll(app, 4)
  handled.length = 0
  for (const client of [slow!, other!]) client.write(get('/slow'))
  reader!.write(get('/read'))
  writer!.write(post('/write', ''))
  for (const client of [reader!, writer!]) client.socket.end()
  await expect.poll(() => handled).toEqual(['POST'])
})
