import { expect, onTestFinished, test, vi } from 'vitest'
import { Deadlines, type Limited } from './deadlines.ts'

interface Named extends Limited {
  readonly name: string
}

const named = (name: string): Named => ({ name, place: -1, since: 0 })

function watched(millis: number) {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const late: string[] = []
  return { late, deadlines: new Deadlines<Named>(millis, (one) => late.push(one.name)) }
}

test('what is under way too long expires once, not before its time', () => {
  const { late, deadlines } = watched(1600)
  deadlines.begin(named('a'))
  vi.advanceTimersByTime(800)
  deadlines.begin(named('b'))
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
  const a = named('a')
  deadlines.begin(a)
  deadlines.end(a)
  vi.advanceTimersByTime(100)
  expect(vi.getTimerCount()).toBe(0)
  deadlines.begin(named('b'))
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(1700)
  expect(late).toEqual(['b'])
})
