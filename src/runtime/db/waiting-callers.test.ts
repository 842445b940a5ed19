import diagnostics from 'node:diagnostics_channel'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { bindCurrentRequest, type CurrentRequest } from '../base.ts'
import type { Connection } from './connection.ts'
import { WaitingCallers } from './waiting-callers.ts'

const requests = diagnostics.channel('fw:test:waiting-callers') as diagnostics.Channel<
  CurrentRequest,
  CurrentRequest
>
afterAll(bindCurrentRequest(requests))

const connection = {} as Connection

/** A queue with a limit of 100 ms and a clock, and the callers that were served or refused. */
function queue(maxQueueTime = 100) {
  let time = 0
  const limits = { acquireTimeout: 3_600_000, maxQueueTime }
  const waiting = new WaitingCallers(
    limits,
    () => new Error('time is up'),
    () => time,
  )
  onTestFinished(() => waiting.rejectAll(() => new Error('the test is over')))
  const served: string[] = []
  const refused: string[] = []
  const wait = (name: string, onRefusal?: () => void): void =>
    waiting.add(
      false,
      () => void served.push(name),
      (error) => {
        refused.push(`${name} ${(error as { code?: string }).code}`)
        onRefusal?.()
      },
    )
  return {
    served,
    refused,
    waiting,
    /** Work outside requests. */
    wait,
    /** A request, which may wait several times. */
    request: (requestId: string, onRefusal?: () => void) => {
      const event = { requestId, hadConnection: false } as CurrentRequest
      return () => requests.runStores(event, () => wait(requestId, onRefusal))
    },
    pass: (millis: number): void => void (time += millis),
    serve: (): void => {
      const next = waiting.findNext()
      if (next === undefined) return
      waiting.serve(next)
      next.resolve(connection)
    },
  }
}

/** A queue under overload. */
function standing() {
  const own = queue()
  own.request('first')()
  own.pass(101)
  own.request('second')()
  own.pass(651)
  return own
}

test('a burst is served in order, however long it waits', () => {
  const { request, serve, served, refused, pass } = queue()
  for (const name of ['a', 'b', 'c']) request(name)()
  pass(5000)
  for (let at = 0; at < 3; at++) serve()
  expect(served).toEqual(['a', 'b', 'c'])
  expect(refused).toEqual([])
})

test('under overload the queue refuses the requests that waited too long, and serves the newest first', () => {
  const { request, serve, served, refused, pass } = standing()
  for (const name of ['a', 'b', 'c']) request(name)()
  expect(refused).toEqual(['first db.overloaded', 'second db.overloaded'])
  serve()
  pass(101)
  request('d')()
  expect(refused.slice(2)).toEqual(['a db.overloaded', 'b db.overloaded'])
  serve()
  expect(served).toEqual(['c', 'd'])
})

test('a refusal may lead to another wait at once, and no caller is lost', () => {
  const { request, serve, served, refused, pass } = standing()
  request('a')()
  request('b', () => request('again')())()
  request('c')()
  pass(101)
  request('d')()
  expect(refused.slice(2)).toEqual(['a', 'b', 'c'].map((name) => `${name} db.overloaded`))
  serve()
  serve()
  expect(served.toSorted()).toEqual(['again', 'd'])
})

test('overload lasts until no request has been refused for a second', () => {
  const { request, serve, served, refused, pass } = standing()
  for (const name of ['a', 'b']) request(name)()
  pass(900)
  for (const name of ['c', 'd']) request(name)()
  expect(refused.slice(2)).toEqual(['a db.overloaded', 'b db.overloaded'])
  pass(100)
  request('e')()
  serve()
  expect(served).toEqual(['e'])
})

test('once it is empty, the queue serves in order again', () => {
  const { request, serve, served, refused, pass } = standing()
  request('a')()
  serve()
  for (const name of ['b', 'c']) request(name)()
  pass(300)
  for (let at = 0; at < 2; at++) serve()
  expect(served).toEqual(['a', 'b', 'c'])
  expect(refused).toEqual(['first db.overloaded', 'second db.overloaded'])
})

test('a request that had a connection is served before others, and never refused', () => {
  const { request, serve, served, refused, pass } = standing()
  request('rest')()
  const admitted = request('a')
  admitted()
  serve()
  admitted()
  request('b')()
  pass(101)
  request('c')()
  expect(refused.slice(2)).toEqual(['rest db.overloaded', 'b db.overloaded'])
  serve()
  expect(served).toEqual(['a', 'a'])
})

test('a request that had a connection comes first without overload, too', () => {
  const { request, serve, served } = queue()
  const admitted = request('a')
  admitted()
  serve()
  request('b')()
  admitted()
  serve()
  expect(served).toEqual(['a', 'a'])
})

test('work outside requests is not refused', () => {
  const { wait, request, serve, served, refused, pass } = standing()
  wait('job')
  pass(101)
  request('a')()
  expect(refused).toEqual(['first db.overloaded', 'second db.overloaded'])
  serve()
  expect(served).toEqual(['job'])
})

test('without the limit nothing is refused or overtakes', () => {
  const { request, serve, served, refused, pass } = queue(0)
  const first = request('a')
  first()
  serve()
  request('b')()
  first()
  pass(5000)
  request('c')()
  for (let at = 0; at < 3; at++) serve()
  expect(served).toEqual(['a', 'b', 'a', 'c'])
  expect(refused).toEqual([])
})
