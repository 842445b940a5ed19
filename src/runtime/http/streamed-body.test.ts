/** `WatchedBody` reports the end of a body once, however it ends. `StartedBody` does not keep the chunk that it has read. */
import { queryObjects } from 'node:v8'
import { expect, test, vi } from 'vitest'
import { openBodyReader, StartedBody, WatchedBody, type StreamedBody } from './streamed-body.ts'

async function* of(...chunks: string[]): AsyncGenerator<string> {
  yield* chunks
}

const throwing = (message: string) => (): never => {
  throw new Error(message)
}
const iterable = (iterator: Partial<AsyncIterator<string>>) =>
  ({ [Symbol.asyncIterator]: () => iterator }) as unknown as StreamedBody

function locked(): ReadableStream<Uint8Array> {
  const stream = new ReadableStream<Uint8Array>()
  stream.getReader()
  return stream
}

async function readAll(body: StreamedBody): Promise<unknown[]> {
  const chunks: unknown[] = []
  for await (const chunk of body as AsyncIterable<unknown>) chunks.push(chunk)
  return chunks
}

test('a body that was read completely, and closed after that, has ended once', async () => {
  const onEnd = vi.fn<() => void>()
  const body = new WatchedBody(of('a', 'b'), onEnd)
  expect(await readAll(body)).toEqual(['a', 'b'])
  openBodyReader(body).close()
  expect(onEnd).toHaveBeenCalledOnce()
})

test.each<[string, StreamedBody, string]>([
  ['rejects', iterable({ next: () => Promise.reject(new Error('rejected')) }), 'rejected'],
  ['throws at once', iterable({ next: throwing('thrown') }), 'thrown'],
  ['is locked', locked(), 'locked'],
])('a body that %s fails the read, and has ended', async (_name, source, message) => {
  const onEnd = vi.fn<() => void>()
  await expect(readAll(new WatchedBody(source, onEnd))).rejects.toThrow(message)
  expect(onEnd).toHaveBeenCalledOnce()
})

test('an error of onChunk fails the read, and the body has ended', async () => {
  const onEnd = vi.fn<() => void>()
  const body = new WatchedBody(of('a'), onEnd, throwing('chunk'))
  await expect(readAll(body)).rejects.toThrow('chunk')
  expect(onEnd).toHaveBeenCalledOnce()
})

test.each<[string, StreamedBody]>([
  ['whose return throws', iterable({ return: throwing('return') })],
  ['that is locked', locked()],
])('the close of a body %s does not throw, and the body has ended', (_name, source) => {
  const onEnd = vi.fn<() => void>()
  new WatchedBody(source, onEnd).close()
  expect(onEnd).toHaveBeenCalledOnce()
})

test('the first chunk of a started body is released once it was read', async () => {
  class Piece extends Uint8Array {}
  const count = () => queryObjects(Piece, { format: 'count' })
  const chunks = [() => new Piece(10), () => 'last']
  const next = async () => ({ done: false as const, value: chunks.shift()!() })
  const body = new StartedBody({ [Symbol.asyncIterator]: () => ({ next }) })
  const readLength = async () => ((await body.next()).value as Piece | string).length
  await body.started(new AbortController().signal)
  expect(count()).toBe(1)
  expect(await readLength()).toBe(10)
  expect(count()).toBe(0)
  expect(await readLength()).toBe('last'.length)
})
