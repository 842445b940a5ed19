/** Log output to streams that are full, closed or broken. */
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

test('a full stream drops lines, counts them, and tells how many when it moves again', async () => {
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

test('flush gives up on a stream that never moves', async () => {
  const sink = new LogSink({ writableLength: 0, write: () => true, on: () => {} })
  await expect(sink.flush(1)).resolves.toBeUndefined()
})

test('a closed or failing stream swallows lines', async () => {
  const stream = new PassThrough()
  const sink = new LogSink(stream)
  stream.destroy(new Error('EPIPE'))
  await once(stream, 'close').catch(() => {})
  sink.write('a\n')
  sink.write('b\n')
  expect(sink.dropped).toBe(2)
  await sink.flush()
})

test('a stream that throws swallows lines', () => {
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

test('a pipe that nobody reads neither blocks nor ends the process; a closed one neither', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program])
  // It comes only when no line waited for the pipe.
  const [report] = await once(child.stderr, 'data')
  expect(JSON.parse(String(report)).dropped).toBeGreaterThan(1000)
  child.stdout.destroy()
  child.stdin.write('go')
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
})
