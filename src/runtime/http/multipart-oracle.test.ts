/** Compares the multipart parser with the runtime's FormData and with busboy. */
import { rm, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Busboy } from '@fastify/busboy'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { HttpRequest } from './http-request.ts'
import { parseMultipart } from './multipart.ts'
import { UploadDirectory } from './uploads.ts'

type Entry = readonly [name: string, fileName: string | undefined, content: string]

let root: string
let directory: UploadDirectory
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fw-multipart-oracle-'))
  directory = new UploadDirectory(root)
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** Undefined for a rejected form; fields before files, each in order. */
async function ours(body: Uint8Array, type: string, cut = 7): Promise<Entry[] | undefined> {
  const request = {
    header: (name: string) => (name === 'content-type' ? type : undefined),
    body: {
      isEmpty: body.length === 0,
      async consume(_limit: number, take: (piece: Uint8Array) => Promise<void> | undefined) {
        for (let at = 0; at < body.length; at += cut) await take(body.subarray(at, at + cut))
      },
    },
  } as unknown as HttpRequest
  try {
    const form = await parseMultipart(request, directory)
    const fields = [...form.fields].flatMap(([name, values]) =>
      values.map((value): Entry => [name, undefined, value]),
    )
    const files = [...form.files.values()]
      .flat()
      .map(async (file): Promise<Entry> => [
        file.fieldName,
        file.name,
        Buffer.from(await file.get()).toString('latin1'),
      ])
    return [...fields, ...(await Promise.all(files))]
  } catch (error) {
    if ((error as { code?: string }).code === 'http.multipart-invalid') return undefined
    throw error
  }
}

function busboys(body: Buffer, type: string): Promise<Entry[] | undefined> {
  return new Promise((resolve) => {
    const fields: Entry[] = []
    const files: Entry[] = []
    const parser = new Busboy({
      headers: { 'content-type': type },
      isPartAFile: (_field, _type, fileName) => fileName !== undefined,
    })
    parser.on('field', (name, value) =>
      fields.push([name, undefined, value.replaceAll('\r\n', '\n')]),
    )
    parser.on('file', (name, stream, fileName) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const content = Buffer.concat(chunks).toString('latin1')
        if (fileName !== '' || content !== '') files.push([name, fileName, content])
      })
    })
    parser.on('finish', () => resolve([...fields, ...files]))
    parser.on('error', () => resolve(undefined))
    parser.end(body)
  })
}

const grouped = (entries: Entry[] | undefined): string[] | undefined =>
  entries?.map((entry) => JSON.stringify(entry)).sort()

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc
    .array(
      fc.constantFrom('"', '\\', '%22', '%', ';', '=', "'", '\r\n', '--', ' ', 'a', 'é', '山'),
      {
        maxLength: 8,
      },
    )
    .map((pieces) => pieces.join('')),
)
// Two backslashes are an escaped one.
const single = text.map((value) => value.replace(/\\+/g, '\\'))
const plain = single.filter((value) => !/[\0\r\n]/.test(value))

test('property: reads forms of the runtime like the runtime', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(single, fc.option(plain, { nil: undefined }), text), { maxLength: 5 }),
      fc.integer({ min: 1, max: 300 }),
      async (entries, cut) => {
        const sent = new FormData()
        for (const [name, fileName, content] of entries)
          if (fileName === undefined) sent.append(`f${name}`, content.replaceAll('\0', ''))
          // Folders are removed, and a control character makes the header malformed.
          else sent.append(`f${name}`, new File([content], `f${fileName.replace(/[\\/]/g, '')}`))
        const response = new Response(sent)
        const type = response.headers.get('content-type')!
        const body = Buffer.from(await response.arrayBuffer())
        const expected: Entry[] = []
        for (const [name, value] of await new Response(body, {
          headers: { 'content-type': type },
        }).formData())
          expected.push(
            typeof value === 'string'
              ? [name, undefined, value.replaceAll('\r\n', '\n')]
              : [name, value.name, Buffer.from(await value.arrayBuffer()).toString('latin1')],
          )
        expect(grouped(await ours(body, type, cut))).toEqual(grouped(expected))
      },
    ),
    { numRuns: 150 },
  )
})

const header = fc.constantFrom(
  'Content-Disposition: form-data; name="a"',
  'content-disposition: Form-Data; name=b; filename=f',
  'Content-Disposition: form-data; name="a"; filename="C:\\dir\\f.txt"',
  'Content-Disposition: form-data; name="a"; filename="g/h"\r\nContent-Type: text/plain',
  'Content-Disposition: form-data; name="\\"q\\""; filename*=UTF-8\'\'%C3%A9',
  'Content-Disposition: form-data; name="a";\r\n filename="f"',
  'X-Other: 1\r\nContent-Disposition: form-data; name="é"',
  'Content-Disposition: form-data; name="a"; filename=""',
)
const contents = fc
  .array(
    fc.constantFrom(
      'x',
      '\r',
      '\n',
      '\r\n',
      '\r\n-',
      '\r\n--',
      '\r\n--C',
      '-',
      '--B',
      'é',
      '\r\n\r\n',
      'y'.repeat(90),
    ),
    { maxLength: 6 },
  )
  .map((pieces) => pieces.join(''))
  // For a delimiter directly after the blank line, our part is empty, and busboy's contains the delimiter.
  .filter((content) => !`\r\n${content}`.includes('\r\n--B'))
const type = 'multipart/form-data; boundary=B'

test('property: reads forms like busboy', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(header, contents), { maxLength: 5 }),
      fc.integer({ min: 1, max: 300 }),
      async (parts, cut) => {
        const body = Buffer.from(
          `${parts.map(([lines, content]) => `--B\r\n${lines}\r\n\r\n${content}\r\n`).join('')}--B--\r\n`,
        )
        expect(grouped(await ours(body, type, cut))).toEqual(grouped(await busboys(body, type)))
      },
    ),
    { numRuns: 150 },
  )
})

test('property: rejects malformed forms, or reads them like busboy', async () => {
  const opening = '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n'
  const piece = fc.constantFrom(
    ...'\r\n|\r|--B|--|\r\n--B|\r\n--B--|\r\n--B--\r\n|x| '.split('|'),
    opening,
    `\r\n${opening}`,
    'Content-Disposition: form-data; name="b"',
    'Content-Type: text/plain',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
      const body = Buffer.from(`${opening}x${pieces.join('')}\r\n--B--\r\n`)
      const read = await ours(body, type)
      if (read !== undefined && !body.includes('\r\n\r\n--B'))
        expect(grouped(read)).toEqual(grouped(await busboys(body, type)))
    }),
    { numRuns: 300 },
  )
})
