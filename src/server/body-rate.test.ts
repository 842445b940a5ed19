import { expect, onTestFinished, test, vi } from 'vitest'
import { BodyRate, type Arriving } from './body-rate.ts'

class Body implements Arriving {
  readonly since = performance.now()
  place = -1
  received: number
  refused = false

  constructor(received: number) {
    this.received = received
  }

  tooSlow(): void {
    this.refused = true
  }
}

test('a body is refused once it comes slower than the least rate, five seconds after its begin', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const rate = new BodyRate(100)
  const [slow, quick, ended] = [new Body(499), new Body(2000), new Body(0)]
  for (const body of [slow, quick, ended]) rate.begin(body)
  rate.end(ended)
  vi.advanceTimersByTime(4_900)
  expect(slow.refused).toBe(false)
  vi.advanceTimersByTime(1_100)
  expect([slow.refused, quick.refused, ended.refused]).toEqual([true, false, false])
  rate.end(slow)
  rate.end(quick)
  vi.advanceTimersByTime(1_000)
  expect(vi.getTimerCount()).toBe(0)
})

test('0 is no limit', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  new BodyRate(0).begin(new Body(0))
  expect(vi.getTimerCount()).toBe(0)
})
