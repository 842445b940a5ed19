import { expect, test } from 'vitest'
import { InFlightLimit } from './in-flight-limit.ts'

/** A turn in which all requests end and `begun` requests begin. */
function turn(limit: InFlightLimit, millis: number, begun: number, wasIdle = false): void {
  for (let at = 0; at < begun; at++) limit.begin()
  limit.update(millis, 0, wasIdle)
}

const reached = (limit: InFlightLimit): number => {
  let inFlight = 0
  while (inFlight < 10_000 && !limit.isReached(inFlight)) inFlight++
  return inFlight
}

test('short turns need no limit', () => {
  const limit = new InFlightLimit()
  turn(limit, 30, 1000)
  expect(reached(limit)).toBe(10_000)
})

test('after a long turn half of the ended requests are not replaced, down to ten', () => {
  const limit = new InFlightLimit()
  turn(limit, 31, 100)
  expect(reached(limit)).toBe(50)
  turn(limit, 31, 50)
  expect(reached(limit)).toBe(25)
  turn(limit, 31, 25)
  turn(limit, 31, 13)
  expect(reached(limit)).toBe(10)
})

test('requests that stay in flight do not lower the limit', () => {
  const limit = new InFlightLimit()
  for (let at = 0; at < 1000; at++) limit.begin()
  limit.update(31, 1000, false)
  expect(reached(limit)).toBe(1000)
})

test.each([31, 10])(
  'in-flight requests that do not end block no others: turns of %i ms',
  (millis) => {
    const limit = new InFlightLimit()
    for (const begun of [220, 10, 5, 3, 1, 1]) {
      for (let at = 0; at < begun; at++) limit.begin()
      limit.update(31, 200, false)
    }
    expect(limit.isReached(200)).toBe(true)
    // Others begin only after 100 ms: requests that wait for 20 ms keep their limit.
    const turns = Math.ceil(100 / millis)
    for (let turn = 1; turn < turns; turn++) limit.update(millis, 200, false)
    expect(limit.isReached(200)).toBe(true)
    limit.update(millis, 200, false)
    expect(reached(limit)).toBe(201)
  },
)

test('short turns raise the limit by a tenth of the ended requests, idle ones by a quarter', () => {
  const limit = new InFlightLimit()
  turn(limit, 31, 40)
  turn(limit, 10, 20)
  expect(reached(limit)).toBe(22)
  turn(limit, 10, 0, true)
  expect(reached(limit)).toBe(28)
  limit.clear()
  expect(reached(limit)).toBe(10_000)
})
