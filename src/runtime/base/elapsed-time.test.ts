/** Warnings for blocks that run longer than the threshold. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { warnElapsedTime } from './elapsed-time.ts'
import type { LogFields, Logger } from './logger.ts'

const events: { level: string; fields: LogFields; message: string }[] = []
const at = (level: string) => (fields: LogFields, message: string) =>
  void events.push({ level, fields, message })
const logger: Logger = {
  debug: at('debug'),
  info: at('info'),
  warn: at('warn'),
  error: at('error'),
}

beforeEach(() => {
  events.length = 0
  vi.useFakeTimers({ toFake: ['performance'] })
})
afterEach(() => vi.useRealTimers())

function taking(millis: number): string {
  vi.advanceTimersByTime(millis)
  return 'done'
}

test('above the threshold: a warning with the caller', () => {
  expect(
    warnElapsedTime(
      100,
      () => taking(101),
      logger,
      () => ({ path: '/x' }),
    ),
  ).toBe('done')
  expect(events).toMatchObject([
    {
      level: 'warn',
      message: '[SLOW EXECUTION DETECTED] Elapsed time: 101 millis',
      fields: { millis: 101, path: '/x' },
    },
  ])
  expect((events[0]!.fields['at'] as string[])[0]).toContain('elapsed-time.test')
})

test('at the threshold or below: no warning, and no call for extra fields', () => {
  const extra = vi.fn<() => LogFields>()
  warnElapsedTime(100, () => taking(100), logger, extra)
  expect(events).toMatchObject([{ level: 'debug', message: 'Elapsed time: 100 millis' }])
  expect(extra).not.toHaveBeenCalled()
})

test('a promise is measured until it settles, and its result is returned', async () => {
  expect(await warnElapsedTime(1, () => Promise.resolve().then(() => taking(5)), logger)).toBe(
    'done',
  )
  const failing = warnElapsedTime(
    1,
    () => Promise.resolve().then(() => taking(7) && Promise.reject(new Error('no'))),
    logger,
  )
  await expect(failing).rejects.toThrow('no')
  expect(events.map(({ message }) => message)).toEqual([
    '[SLOW EXECUTION DETECTED] Elapsed time: 5 millis',
    '[SLOW EXECUTION DETECTED] Elapsed time: 7 millis',
  ])
})

test('a block that throws is measured too', () => {
  expect(() =>
    warnElapsedTime(
      1,
      () => {
        throw new Error(taking(2))
      },
      logger,
    ),
  ).toThrow('done')
  expect(events).toHaveLength(1)
})

test('a lazy thenable is started once', async () => {
  let started = 0
  const query = { then: (resolve: (value: number) => void) => resolve(++started) }
  expect(await warnElapsedTime(1, () => query as unknown as PromiseLike<number>, logger)).toBe(1)
  expect(started).toBe(1)
})
