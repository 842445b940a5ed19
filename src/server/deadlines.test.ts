import { expect, onTestFinished, test, vi } from 'vitest'
import { Deadlines } from './deadlines.ts'

function watched(millis: number) {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const late: string[] = []
  return { late, deadlines: new Deadlines<string>(millis, (one) => late.push(one)) }
}

test('what is under way too long expires once, not before its time', () => {
  const { late, deadlines } = watched(1600)
  deadlines.begin('a')
  vi.advanceTimersByTime(800)
  deadlines.begin('b')
  vi.advanceTimersByTime(800)
  expect(late).toEqual([])
  vi.advanceTimersByTime(100)
  expect(late).toEqual(['a'])
  vi.advanceTimersByTime(800)
  expect(late).toEqual(['a', 'b'])
  vi.advanceTimersByTime(10_000)
  expect(late).toEqual(['a', 'b'])
})

test('what ended in time never expires, and the clock stops when nothing is under way', () => {
  const { late, deadlines } = watched(1600)
  deadlines.begin('a')
  deadlines.end('a')
  vi.advanceTimersByTime(100)
  expect(vi.getTimerCount()).toBe(0)
  deadlines.begin('b')
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(1700)
  expect(late).toEqual(['b'])
})
