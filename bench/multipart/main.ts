/** Compares Fw's multipart parser with busboy, in alternating rounds in one process: megabytes per second of CPU time. */
import { once } from 'node:events'
import { Busboy } from '@fastify/busboy'
import { MultipartParser } from '../../src/runtime/http/multipart-parser.ts'
import { parsePartHeader } from '../../src/runtime/http/part-headers.ts'

const [rounds] = [process.argv[2] ?? 15].map(Number) as [number]
const kibibyte = 1024
const boundary = '----WebKitFormBoundaryUbQYzTGtTLmZKPSZ'
const part = (name: string, content: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${content.length > 1000 ? '; filename="f"\r\nContent-Type: application/octet-stream' : ''}\r\n\r\n${content}\r\n`
const form = (parts: readonly string[]): Buffer =>
  Buffer.from(`${parts.join('')}--${boundary}--\r\n`, 'latin1')
const bytes = (length: number, of: () => string): string => {
  const block = Array.from({ length: 4 * kibibyte }, of)
    .join('')
    .slice(0, 4 * kibibyte)
  return block.repeat(length / block.length)
}
const large = 16 * kibibyte * kibibyte

const bodies: Readonly<Record<string, Buffer>> = {
  'one file of 16 MiB, random bytes': form([
    part(
      'f',
      bytes(large, () => String.fromCharCode(Math.random() * 256)),
    ),
  ]),
  'one file of 16 MiB, lines of text': form([
    part(
      'f',
      bytes(large, () => 'a line of a text, \r\n'),
    ),
  ]),
  'one file of 16 MiB, line ends only': form([
    part(
      'f',
      bytes(large, () => '\r\n'),
    ),
  ]),
  'one file of 16 MiB, almost boundaries': form([
    part(
      'f',
      bytes(large, () => `\r\n--${boundary.slice(0, -1)}`),
    ),
  ]),
  '900 fields of 20 bytes': form(
    Array.from({ length: 900 }, (_, i) => part(`n${i}`, 'x'.repeat(20))),
  ),
  '900 files of 2 KiB': form(
    Array.from({ length: 900 }, (_, i) => part(`n${i}`, 'x'.repeat(2048))),
  ),
}

const readers: Readonly<Record<string, (body: Buffer) => Promise<number>>> = {
  async fwjs(body) {
    let read = 0
    const parser = new MultipartParser(boundary, {
      begin: (header) => void parsePartHeader(header),
      data: (content) => void (read += content.length),
      end: () => {},
    })
    for (let at = 0; at < body.length; at += 64 * kibibyte)
      parser.write(body.subarray(at, at + 64 * kibibyte))
    parser.end()
    return read
  },
  async busboy(body) {
    let read = 0
    const parser = new Busboy({
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    })
    parser.on('field', (_name, value) => (read += value.length))
    parser.on('file', (_name, stream) =>
      stream.on('data', (chunk: Buffer) => (read += chunk.length)),
    )
    for (let at = 0; at < body.length; at += 64 * kibibyte)
      parser.write(body.subarray(at, at + 64 * kibibyte))
    parser.end()
    await once(parser, 'finish')
    return read
  },
}

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

for (const [name, body] of Object.entries(bodies)) {
  const speeds = new Map(Object.keys(readers).map((reader) => [reader, [] as number[]]))
  const again = Math.max(1, Math.round((4 * kibibyte * kibibyte) / body.length))
  const sizes = new Set<number>()
  for (let round = 0; round < rounds + 2; round++)
    for (const [reader, read] of Object.entries(readers)) {
      const start = process.cpuUsage()
      for (let i = 0; i < again; i++) sizes.add(await read(body))
      const { user, system } = process.cpuUsage(start)
      if (round >= 2) speeds.get(reader)!.push((again * body.length) / (user + system))
    }
  if (sizes.size !== 1) throw new Error(`${name}: read differently`)
  const [ours, busboys] = [...speeds.values()].map(middle) as [number, number]
  console.log(
    `${name}: fwjs ${ours.toFixed(0)} MB/s, busboy ${busboys.toFixed(0)} MB/s, ratio ${(ours / busboys).toFixed(1)}`,
  )
}
