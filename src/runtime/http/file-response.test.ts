import fc from 'fast-check'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { fileResponse, parseRange } from './file-response.ts'
import type { HttpRequest } from './http-request.ts'
import type { StreamedBody } from './streamed-body.ts'

const size = fc.integer({ min: 0, max: 1000 })
const offset = fc.integer({ min: 0, max: 1500 })

test('property: a range selects the same bytes as slicing', () => {
  fc.assert(
    fc.property(size, offset, fc.option(offset, { nil: undefined }), (length, from, to) => {
      const bytes = Array.from({ length }, (_, i) => i)
      const range = parseRange(`bytes=${from}-${to ?? ''}`, length)
      if (to !== undefined && to < from) return void expect(range).toBeUndefined()
      const expected = bytes.slice(from, to === undefined ? undefined : to + 1)
      if (expected.length === 0) return void expect(range).toBe('unsatisfiable')
      expect(range).toEqual({ first: expected[0], last: expected.at(-1) })
    }),
  )
})

test('property: a suffix selects the last bytes', () => {
  fc.assert(
    fc.property(size, offset, (length, suffix) => {
      const range = parseRange(`bytes=-${suffix}`, length)
      if (suffix === 0 || length === 0) return void expect(range).toBe('unsatisfiable')
      expect(range).toEqual({ first: Math.max(0, length - suffix), last: length - 1 })
    }),
  )
})

test('property: any header gives a range within the file, or none', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.stringMatching(/^bytes=[0-9, -]*$/)),
      size,
      (text, length) => {
        const range = parseRange(text, length)
        if (typeof range !== 'object') return
        expect(range.first).toBeLessThanOrEqual(range.last)
        expect(range.last).toBeLessThan(length)
      },
    ),
  )
})

test.each(['bytes=', 'bytes=-', 'bytes=a-b', 'bytes=1-2,3-4', 'items=0-1', 'bytes=0--1', ''])(
  '%j requests the whole file',
  (header) => expect(parseRange(header, 10)).toBeUndefined(),
)

test('the unit is case-insensitive', () => {
  expect(parseRange('Bytes=0-0', 10)).toEqual({ first: 0, last: 0 })
})

test('the body of a large file can be read more than once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fw-file-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'large.bin')
  writeFileSync(path, Buffer.alloc(200_000, 7))
  const request = { method: 'GET', header: () => undefined } as unknown as HttpRequest
  const body = (await fileResponse(request, path))!.body as StreamedBody & AsyncIterable<Uint8Array>
  for (let time = 0; time < 2; time++) {
    let length = 0
    for await (const chunk of body) length += chunk.length
    expect(length).toBe(200_000)
  }
})
