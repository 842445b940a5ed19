import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { logRepeated } from './repeated-log.ts'
import { silentLogger, type LogFields, type Logger } from './logger.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function counting() {
  const lines: LogFields[] = []
  const error: Logger['error'] = (fields) => void lines.push(fields)
  const logger = { ...silentLogger, error }
  const log = (code: string) =>
    logRepeated(logger, { code, level: 'error', message: 'more' }, () =>
      logger.error({ code }, 'failed'),
    )
  return { lines, log }
}

test('each code gets one line at once, and then one a second with the number of the others', () => {
  const { lines, log } = counting()
  for (let count = 0; count < 1000; count++) log('one')
  log('two')
  expect(lines).toEqual([{ code: 'one' }, { code: 'two' }])
  vi.advanceTimersByTime(1000)
  expect(lines.slice(2)).toEqual([{ code: 'one', count: 999 }])
  for (let count = 0; count < 5; count++) log('one')
  vi.advanceTimersByTime(1000)
  expect(lines.slice(3)).toEqual([{ code: 'one', count: 5 }])
})

test('after a second without an error, the next one is logged at once', () => {
  const { lines, log } = counting()
  log('one')
  vi.advanceTimersByTime(1000)
  log('one')
  expect(lines).toEqual([{ code: 'one' }, { code: 'one' }])
})

test('kinds with one code count apart, each with its level and message', () => {
  const lines: unknown[] = []
  const record = (level: string) => (fields: LogFields, message: string) =>
    void lines.push([level, fields, message])
  const logger = { ...silentLogger, warn: record('warn'), error: record('error') }
  const events = [
    { code: 'one', level: 'warn', message: 'connections are closed' },
    { code: 'one', level: 'error', message: 'requests are refused' },
  ] as const
  for (let count = 0; count < 3; count++) for (const event of events) logRepeated(logger, event)
  vi.advanceTimersByTime(1000)
  expect(lines).toEqual(
    [1, 2].flatMap((count) => [
      ['warn', { code: 'one', count }, 'connections are closed'],
      ['error', { code: 'one', count }, 'requests are refused'],
    ]),
  )
})

test('loggers count apart', () => {
  const first = counting()
  const second = counting()
  first.log('one')
  second.log('one')
  expect([first.lines.length, second.lines.length]).toEqual([1, 1])
})

test('the line that counts the others has no context of the first request', async () => {
  vi.useRealTimers()
  const request = new AsyncLocalStorage<string>()
  const { promise, resolve } = Promise.withResolvers<unknown>()
  const seen: unknown[] = []
  const error = (): void => {
    if (seen.push(request.getStore()) === 2) resolve(seen)
  }
  const logger = { ...silentLogger, error }
  request.run('first', () => {
    for (let count = 0; count < 2; count++)
      logRepeated(logger, { code: 'one', level: 'error', message: '' })
  })
  expect(await promise).toEqual(['first', undefined])
})

test('a logger that fails does not end the process', () => {
  const error = (): void => {
    throw new Error('full pipe')
  }
  const logger = { ...silentLogger, error }
  for (let count = 0; count < 2; count++)
    logRepeated(logger, { code: 'one', level: 'error', message: 'failed' })
  expect(() => vi.advanceTimersByTime(1000)).not.toThrow()
})
