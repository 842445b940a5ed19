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
  turn(limit, 25, 1000)
  expect(reached(limit)).toBe(10_000)
})

test('after a long turn half of the ended requests are not replaced, down to ten', () => {
  const limit = new InFlightLimit()
  turn(limit, 26, 100)
  expect(reached(limit)).toBe(50)
  turn(limit, 26, 50)
  expect(reached(limit)).toBe(25)
  turn(limit, 26, 25)
  turn(limit, 26, 13)
  expect(reached(limit)).toBe(10)
})

test('requests that stay in flight do not lower the limit', () => {
  const limit = new InFlightLimit()
  for (let at = 0; at < 1000; at++) limit.begin()
  limit.update(26, 1000, false)
  expect(reached(limit)).toBe(1000)
})

test.each([26, 10])(
  'in-flight requests that do not end block no others: turns of %i ms',
  (millis) => {
    const limit = new InFlightLimit()
    for (const begun of [220, 10, 5, 3, 1, 1]) {
      for (let at = 0; at < begun; at++) limit.begin()
      limit.update(26, 200, false)
    }
    expect(limit.isReached(200)).toBe(true)
    // Others begin only after turns of 100 ms: requests that wait for 20 ms keep their limit.
    const turns = Math.ceil(100 / millis)
    for (let turn = 1; turn < turns; turn++) limit.update(millis, 200, false)
    expect(limit.isReached(200)).toBe(true)
    limit.update(millis, 200, false)
    expect(reached(limit)).toBe(210)
    // Long turns do not lower the limit of the others below ten, until the requests that waited have ended.
    for (const inFlight of [200, 200, 150, 150, 150, 150, 150, 150]) {
      for (let at = 0; at < 10; at++) limit.begin()
      limit.update(26, inFlight, false)
    }
    expect(reached(limit)).toBe(160)
  },
)

test('short turns raise the limit by a tenth of the ended requests, idle ones by a quarter', () => {
  const limit = new InFlightLimit()
  turn(limit, 26, 40)
  turn(limit, 10, 20)
  expect(reached(limit)).toBe(22)
  turn(limit, 10, 0, true)
  expect(reached(limit)).toBe(28)
  limit.clear()
  expect(reached(limit)).toBe(10_000)
})

test('one long turn in which no request begins or ends is no wait for something else', () => {
  const limit = new InFlightLimit()
  for (const begun of [40, 10, 5]) turn(limit, 26, begun)
  for (let at = 0; at < 20; at++) limit.begin()
  limit.update(26, 20, false)
  const before = reached(limit)
  limit.update(500, 20, false)
  expect(reached(limit)).toBe(before)
})
