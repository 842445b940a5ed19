import { expect, onTestFinished, test } from 'vitest'
import type { Connection } from './connection.ts'
import { WaitingCallers } from './waiting-callers.ts'

const connection = {} as Connection
const hour = 3_600_000

function queue() {
  const waiting = new WaitingCallers()
  onTestFinished(() => waiting.rejectAll(() => new Error('the test is over')))
  const ends: string[] = []
  return {
    ends,
    waiting,
    wait: (name: string, { isAdmitted = false, timeout = hour } = {}): Promise<void> =>
      new Promise((settled) => {
        const end = (text: string): void => {
          ends.push(text)
          settled()
        }
        const resolve = (): void => end(name)
        const reject = ({ message }: Error): void => end(`${name}: ${message}`)
        const waiter = { exclusive: false, resolve, reject }
        waiting.add(waiter, isAdmitted, timeout, () => new Error('time is up'))
      }),
    serve: (count: number): void => {
      for (; count > 0; count--) {
        const { next } = waiting
        waiting.shift()
        next!.resolve(connection)
      }
    },
  }
}

test('callers are served in order', () => {
  const { wait, serve, ends, waiting } = queue()
  for (const name of ['a', 'b', 'c']) void wait(name)
  expect(waiting.length).toBe(3)
  serve(3)
  expect(ends).toEqual(['a', 'b', 'c'])
  expect(waiting.next).toBeUndefined()
})

test('callers that had a connection are served before others, in order among themselves', () => {
  const { wait, serve, ends } = queue()
  void wait('a')
  void wait('b', { isAdmitted: true })
  void wait('c')
  void wait('d', { isAdmitted: true })
  serve(2)
  void wait('e', { isAdmitted: true })
  serve(3)
  expect(ends).toEqual(['b', 'd', 'e', 'a', 'c'])
})

test('a caller whose time is up is rejected, and the others stay in order', async () => {
  const { wait, serve, ends } = queue()
  void wait('a', { isAdmitted: true })
  await wait('b', { isAdmitted: true, timeout: 5 })
  void wait('c')
  await wait('d', { timeout: 5 })
  void wait('e', { isAdmitted: true })
  serve(3)
  expect(ends).toEqual(['b: time is up', 'd: time is up', 'a', 'e', 'c'])
})

test('all callers are rejected when the pool ends', () => {
  const { wait, ends, waiting } = queue()
  void wait('a')
  void wait('b', { isAdmitted: true })
  waiting.rejectAll(() => new Error('closed'))
  expect(ends).toEqual(['b: closed', 'a: closed'])
  expect(waiting.length).toBe(0)
})
