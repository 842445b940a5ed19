import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { eventStream, formatEvent, type ServerSentEvent } from './server-sent-events.ts'

/** Parses events as the standard defines it for browsers. */
function read(text: string): { data: string; event: string; id: string }[] {
  const found: { data: string; event: string; id: string }[] = []
  let data: string[] = []
  let event = ''
  let id = ''
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [field = '', ...rest] = line.split(':')
    const value = rest.join(':').replace(/^ /, '')
    if (line === '') {
      if (data.length > 0) found.push({ data: data.join('\n'), event, id })
      data = []
      event = ''
    } else if (field === 'data') data.push(value)
    else if (field === 'event') event = value
    else if (field === 'id') id = value
  }
  return found
}

test('property: a browser reads exactly the event that was sent', () => {
  const line = fc.string().map((text) => text.replace(/[\r\n\0]/g, ''))
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), line, line, (data, event, id) => {
      expect(read(formatEvent({ data, event, id }))).toEqual([
        { data: data.replace(/\r\n|\r/g, '\n'), event, id },
      ])
    }),
  )
})

test('other values than text are JSON; retry and comments are not events', () => {
  expect(formatEvent({ data: { a: [1] }, retry: 5 })).toBe('retry: 5\ndata: {"a":[1]}\n\n')
})

test.each([{ event: 'a\nb' }, { id: 'a\rb' }, { id: 'a\0' }, { retry: 1.5 }, { retry: -1 }])(
  '%j is rejected',
  (event: ServerSentEvent) => expect(() => formatEvent(event)).toThrow(TypeError),
)

async function* of<T>(...values: T[]): AsyncGenerator<T> {
  yield* values
}

test('a stream begins with a comment, and sends texts as data', async () => {
  const chunks: (string | Uint8Array)[] = []
  for await (const chunk of eventStream(
    of<ServerSentEvent | string>('one', { event: 'e', data: 2 }),
  ))
    chunks.push(chunk)
  expect(chunks).toEqual([': \n\n', 'data: one\n\n', 'event: e\ndata: 2\n\n'])
})

test('an idle stream sends comments; the source is closed even while it waits', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const returned = vi.fn(() => Promise.resolve({ done: true as const, value: undefined }))
  const silent = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}), return: returned }),
  }
  const stream = eventStream(silent, { heartbeat: 100 })
  await stream.next()
  const beat = stream.next()
  await vi.advanceTimersByTimeAsync(100)
  expect(await beat).toEqual({ done: false, value: ': \n\n' })
  await stream.return()
  expect(returned).toHaveBeenCalledOnce()
})

/** A source whose reads are answered by the test. */
function controlled() {
  const reads: PromiseWithResolvers<IteratorResult<string, undefined>>[] = []
  const next = () => {
    reads.push(Promise.withResolvers())
    return reads.at(-1)!.promise
  }
  return { reads, events: { [Symbol.asyncIterator]: () => ({ next }) } }
}

async function idle(heartbeat: number) {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { reads, events } = controlled()
  const stream = eventStream(events, { heartbeat })
  await stream.next()
  const beat = async () => {
    const read = stream.next()
    await vi.advanceTimersByTimeAsync(heartbeat)
    return (await read).value
  }
  expect(await beat()).toBe(': \n\n')
  return { reads, stream, beat }
}

test('heartbeats wait for one event: they add nothing to its promise', async () => {
  const { reads, beat } = await idle(100)
  const then = vi.spyOn(reads[0]!.promise, 'then')
  for (let beats = 0; beats < 5; beats++) await beat()
  expect(reads).toHaveLength(1)
  expect(then).not.toHaveBeenCalled()
})

test('an event, an error and the end that come between two reads are kept for the next one', async () => {
  const { reads, stream } = await idle(100)
  reads[0]!.resolve({ done: false, value: 'late' })
  await vi.advanceTimersByTimeAsync(1)
  expect(await stream.next()).toEqual({ done: false, value: 'data: late\n\n' })
  const read = stream.next()
  await vi.advanceTimersByTimeAsync(100)
  await read
  reads[1]!.reject(new Error('lost'))
  await vi.advanceTimersByTimeAsync(1)
  await expect(stream.next()).rejects.toThrow('lost')
  expect(await stream.next()).toEqual({ done: true, value: undefined })
  const other = await idle(100)
  other.reads[0]!.resolve({ done: true, value: undefined })
  await vi.advanceTimersByTimeAsync(1)
  expect(await other.stream.next()).toEqual({ done: true, value: undefined })
  expect(vi.getTimerCount()).toBe(0)
})

test('a close ends the read that waits, and its timer; an error of the source after that has no effect', async () => {
  const { reads, stream } = await idle(100)
  const read = stream.next()
  stream.close()
  expect(await read).toEqual({ done: true, value: undefined })
  expect(vi.getTimerCount()).toBe(0)
  // An unhandled rejection would fail the run.
  reads[0]!.reject(new Error('aborted'))
  await vi.advanceTimersByTimeAsync(1)
  expect(await stream.next()).toEqual({ done: true, value: undefined })
})

test('a source is opened by the first read; one that cannot be opened fails it', async () => {
  const open = vi.fn<() => AsyncIterator<string>>(() => {
    throw new Error('locked')
  })
  const stream = eventStream({ [Symbol.asyncIterator]: open })
  expect(open).not.toHaveBeenCalled()
  await expect(stream.next()).rejects.toThrow('locked')
  stream.close()
  expect(await stream.next()).toEqual({ done: true, value: undefined })
})

test('a source whose next throws at once, and whose return throws, ends the stream with that error', async () => {
  const fail = (message: string) => () => {
    throw new Error(message)
  }
  const source = { next: fail('next'), return: fail('return') }
  const stream = eventStream({ [Symbol.asyncIterator]: () => source })
  await stream.next()
  await expect(stream.next()).rejects.toThrow('next')
  expect(await stream.next()).toEqual({ done: true, value: undefined })
})

test('a source may return a result without a promise', async () => {
  const results = [{ done: false, value: 'one' }, { done: true }]
  const source = { next: () => results.shift() } as unknown as AsyncIterator<string>
  const chunks: (string | Uint8Array)[] = []
  for await (const chunk of eventStream({ [Symbol.asyncIterator]: () => source }))
    chunks.push(chunk)
  expect(chunks).toEqual([': \n\n', 'data: one\n\n'])
})
