/** Log output to full, closed or broken streams. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { LogSink } from './log-sink.ts'

test('lines go to the stream', () => {
  const stream = new PassThrough()
  new LogSink(stream).write('a\n')
  expect(String(stream.read())).toBe('a\n')
})

test('lines for a full stream are dropped, counted, and reported when it drains', async () => {
  const stream = new PassThrough({ highWaterMark: 4, readableHighWaterMark: 4 })
  const sink = new LogSink(stream, 8)
  for (let count = 0; count < 10; count++) sink.write('1234\n')
  const lost = sink.dropped
  expect(lost).toBeGreaterThan(0)
  stream.resume()
  await sink.flush()
  let rest = ''
  stream.on('data', (chunk) => (rest += String(chunk)))
  sink.write('again\n')
  await sink.flush()
  expect(rest).toContain(`"msg":"log lines dropped","count":${lost}}`)
  expect(rest).toMatch(/again\n$/)
  expect(sink.dropped).toBe(lost)
})

test('flush resolves for a stream that never drains', async () => {
  const sink = new LogSink({ writableLength: 0, write: () => true, on: () => {} })
  await expect(sink.flush(1)).resolves.toBeUndefined()
})

test('lines for a closed or failing stream are dropped', async () => {
  const stream = new PassThrough()
  const sink = new LogSink(stream)
  stream.destroy(new Error('EPIPE'))
  await once(stream, 'close').catch(() => {})
  sink.write('a\n')
  sink.write('b\n')
  expect(sink.dropped).toBe(2)
  await sink.flush()
})

test('lines for a stream that throws are dropped', () => {
  const sink = new LogSink({
    writableLength: 0,
    write: () => {
      throw new Error('no')
    },
    on: () => {},
  })
  sink.write('a\n')
  sink.write('b\n')
  expect(sink.dropped).toBe(1)
})

const program = `
import { LogSink } from ${JSON.stringify(new URL('./log-sink.ts', import.meta.url).href)}
const sink = new LogSink(process.stdout)
for (let count = 0; count < 5000; count++) sink.write('x'.repeat(1023) + '\\n')
process.stderr.write(JSON.stringify({ dropped: sink.dropped }) + '\\n')
process.stdin.on('data', () => { sink.write('late\\n'); setTimeout(() => process.exit(0), 20) })
`

test('an unread pipe or a closed one neither blocks nor ends the process', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program])
  // The process prints it only when no line waits for the pipe.
  const [report] = await once(child.stderr, 'data')
  expect(JSON.parse(String(report)).dropped).toBeGreaterThan(1000)
  child.stdout.destroy()
  child.stdin.write('go')
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
})
