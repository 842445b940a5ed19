import { expect, test } from 'vitest'
import { silentLogger } from '../base.ts'
import { stopThread } from '../base/stop-thread.fixture.ts'
import { HttpResponse } from '../http.ts'
import { OverloadGuard, type LoopTimes } from './overload-guard.ts'
import { get, serve } from './raw-client.fixture.ts'

/** A guard with a target of 100 ms, and a function that lets time pass before the next poll. */
function guarded() {
  let times: LoopTimes = { now: 0, active: 0, idle: 0, iterations: 0 }
  const guard = new OverloadGuard(100, silentLogger, () => times)
  const pass = (active: number, idle = 0, iterations = 1): void => {
    times = {
      now: times.now + active + idle,
      active: times.active + active,
      idle: times.idle + idle,
      iterations: times.iterations + iterations,
    }
  }
  /** Handles requests of one poll after these times. */
  const handle = (millis: readonly number[]): boolean[] => {
    const arrivals = millis.map(() => guard.arrive())
    return millis.map((after, at) => guard.sheds(arrivals[at]!, times.now + after))
  }
  return { pass, handle, sheds: () => handle([0])[0] === true }
}

test('a short queue and a burst are served, however long its requests wait', () => {
  const { pass, sheds } = guarded()
  for (let poll = 0; poll < 100; poll++) {
    pass(90)
    expect(sheds()).toBe(false)
  }
  pass(3000)
  expect(sheds()).toBe(false)
  pass(400)
  expect(sheds()).toBe(false)
})

test('a queue that stands for half a second sheds what has waited longer, until one request is in time', () => {
  const { pass, sheds } = guarded()
  const shed: boolean[] = []
  for (let poll = 0; poll < 5; poll++) {
    pass(350)
    shed.push(sheds())
  }
  expect(shed).toEqual([false, false, true, true, true])
  pass(50)
  expect(sheds()).toBe(false)
  pass(350)
  expect(sheds()).toBe(false)
})

test('while the queue stands, each turn handles requests for the target time', () => {
  const { pass, sheds, handle } = guarded()
  for (let poll = 0; poll < 5; poll++) {
    pass(180)
    expect(sheds()).toBe(false)
  }
  pass(180)
  expect(handle([0, 50, 100, 101, 200])).toEqual([false, false, false, true, true])
})

test('idle time ends the queue: rare requests that a pause delays are served', () => {
  const { pass, sheds } = guarded()
  for (let request = 0; request < 10; request++) {
    pass(400, 10_000)
    expect(sheds()).toBe(false)
  }
})

test('other work counts by iteration, not in total', () => {
  const { pass, sheds } = guarded()
  for (let request = 0; request < 10; request++) {
    pass(2000, 0, 100)
    expect(sheds()).toBe(false)
  }
})

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
    return new HttpResponse(200, 'served')
  }
  const probe = (_method: string, target: string) =>
    target === '/up' ? new HttpResponse(200, 'alive') : undefined
  await using app = await serve(handler, {
    maxQueueTime: 20,
    probe,
    logger: { ...silentLogger, error },
  })
  const clients = await Promise.all(Array.from({ length: 100 }, () => app.open()))
  // The server accepts one connection in each turn of its event loop.
  await Promise.all(clients.map((client) => (client.write(get('/')), client.until('served'))))
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
