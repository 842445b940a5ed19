import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { silentLogger } from '../base.ts'
import { stopThread } from '../base/stop-thread.fixture.ts'
import { HttpResponse } from '../http.ts'
import { get, serve, type RawClient, type TestServer } from './raw-client.fixture.ts'

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

test('a burst is served, however long its requests wait', async () => {
  const handler = ({ target }: { readonly target: string }) => {
    if (target === '/slow') stopThread(5)
    return served
  }
  await using app = await serve(handler, { maxQueueTime: 20 })
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

test('after long turns, fewer requests that compute later are in flight', async () => {
  const [clients, rounds] = [40, 4]
  let begun = 0
  let inFlight = 0
  let mostAtLast = 0
  const handler = async ({ target }: { readonly target: string }) => {
    if (target !== '/slow') return served
    inFlight++
    if (++begun > clients * (rounds - 1)) mostAtLast = Math.max(mostAtLast, inFlight)
    await setImmediate()
    stopThread(3)
    inFlight--
    return served
  }
  await using app = await serve(handler, { maxQueueTime: 3_600_000 })
  const connected = await connectAll(app, clients)
  const request = async (client: RawClient): Promise<void> => {
    for (let round = 0; round < rounds; round++)
      expect((await requestAll([client], '/slow'))[0]).toContain('200 OK')
  }
  await Promise.all(connected.map(request))
  expect(mostAtLast).toBeLessThan(clients)
})

test('long polls that use the limit of requests in flight do not block the others of a busy process', async () => {
  const [polls, clients, rounds] = [40, 40, 8]
  const polled = Promise.withResolvers<void>()
  let answers: Promise<string[]> | undefined
  let isAfterPolls = false
  let [computing, mostComputing] = [0, 0]
  const handler = async ({ target }: { readonly target: string }) => {
    if (target === '/poll') await polled.promise
    else if (target === '/slow') {
      computing++
      if (isAfterPolls) mostComputing = Math.max(mostComputing, computing)
      await setImmediate()
      stopThread(3)
      computing--
    }
    return served
  }
  await using app = await serve(handler, { maxQueueTime: 3_600_000 })
  const polling = await connectAll(app, polls)
  const connected = await connectAll(app, clients)
  const request = async (client: RawClient): Promise<void> => {
    for (let round = 0; round < rounds; round++) {
      // The polls begin while the limit is low, and reach it.
      if (round === 2) answers ??= requestAll(polling, '/poll')
      isAfterPolls = round >= 6
      expect((await requestAll([client], '/slow'))[0]).toContain('200 OK')
    }
  }
  // Other work keeps the event loop from being idle, which would raise the limit.
  const work = setInterval(() => stopThread(4), 5)
  await Promise.all(connected.map(request)).finally(() => {
    clearInterval(work)
    polled.resolve()
  })
  expect(mostComputing).toBeGreaterThanOrEqual(5)
  for (const answer of await answers!) expect(answer).toContain('200 OK')
}, 20_000)

test('overload: a part is served, the rest gets 503 with Retry-After, and the log has counts', async () => {
  const lines: { count: number }[] = []
  const counted = Promise.withResolvers<void>()
  const error = (fields: object): void => {
    lines.push(fields as { count: number })
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
  await using app = await serve(handler, {
    maxQueueTime: 20,
    probe,
    logger: { ...silentLogger, error },
  })
  const clients = await connectAll(app, 100)
  handled = 0
  for (const client of clients) {
    client.received = ''
    client.write(get('/slow'))
  }
  const alive = app.open().then((client) => {
    client.write(get('/up'))
    return client.until('alive')
  })
  const answers = await Promise.all(clients.map((client) => client.until('\r\n\r\n')))
  await alive
  const refused = answers.filter((answer) => answer.startsWith('HTTP/1.1 503 '))
  expect(refused.length).toBeGreaterThan(0)
  expect(refused.length + handled).toBe(100)
  for (const answer of refused) expect(answer).toMatch(/Retry-After: 1\r\n[^]*keep-alive/)
  await counted.promise
  await expect.poll(() => lines.reduce((sum, { count }) => sum + count, 0)).toBe(refused.length)
  expect(lines.length).toBeLessThan(refused.length)
  // A kept connection is served again when the queue has ended.
  const [client] = clients
  await expect
    .poll(async () => {
      client!.received = ''
      client!.write(get('/'))
      return client!.until('\r\n\r\n')
    })
    .toContain('200 OK')
})

/** Overload of a queue with a limit of 20 ms. Returns three of its connections. */
async function overload(app: TestServer): Promise<RawClient[]> {
  const clients = await connectAll(app, 100)
  const answers = await requestAll(clients, '/slow')
  expect(answers.some((answer) => answer.startsWith('HTTP/1.1 503 '))).toBe(true)
  return clients.slice(0, 3)
}

test('under overload, a request that arrived during one long turn is served', async () => {
  let send = (): void => {}
  await using app = await serve(
    ({ target }) => {
      if (target !== '/') stopThread(25)
      if (target === '/last') send()
      return served
    },
    { maxQueueTime: 20 },
  )
  const [one, other] = await overload(app)
  other!.received = ''
  send = () => other!.write(get('/'))
  await requestAll([one!], '/last')
  expect(await other!.until('\r\n\r\n')).toContain('200 OK')
})

test('overload ends in a process that is mostly idle, although bursts are refused meanwhile', async () => {
  await using app = await serve(
    ({ target }) => {
      if (target === '/slow') stopThread(25)
      return served
    },
    { maxQueueTime: 20 },
  )
  const clients = await overload(app)
  const statuses = async (): Promise<string[]> =>
    (await requestAll(clients, '/slow')).map((answer) => answer.slice(9, 12))
  await expect.poll(statuses, { interval: 300, timeout: 5000 }).toEqual(['200', '200', '200'])
})
