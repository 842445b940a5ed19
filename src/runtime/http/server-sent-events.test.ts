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
  const chunks: string[] = []
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
  await stream.return(undefined)
  expect(returned).toHaveBeenCalledOnce()
})
