import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpError } from '../base.ts'
import type { HttpRequest } from './http-request.ts'
import { isMultipart, parseMultipart } from './multipart.ts'
import type { MultipartLimits } from './multipart.ts'
import { UploadDirectory } from './uploads.ts'

let root: string
let directory: UploadDirectory
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'fw-multipart-test-'))
  directory = new UploadDirectory(root)
})
afterAll(() => rm(root, { recursive: true, force: true }))

async function filesOnDisk(): Promise<string[]> {
  return (await readdir(root, { recursive: true, withFileTypes: true }))
    .filter((each) => each.isFile())
    .map((each) => each.name)
}

function request(
  body: string | Uint8Array,
  options: { type?: string; chunk?: number; fail?: boolean } = {},
): HttpRequest {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const { type = 'multipart/form-data; boundary=B', chunk = 1000, fail = false } = options
  return {
    header: (name: string) => (name === 'content-type' ? type : undefined),
    body: {
      isEmpty: bytes.length === 0,
      async consume(_limit: number, take: (piece: Uint8Array) => Promise<void> | undefined) {
        for (let at = 0; at < bytes.length; at += chunk) {
          const piece = Uint8Array.from(bytes.subarray(at, at + chunk))
          await take(piece)
          // Overwrites the chunk: code that keeps it reads wrong bytes.
          piece.fill(0x2a)
        }
        if (fail) throw new Error('client gone')
      },
    },
  } as unknown as HttpRequest
}

interface Part {
  name?: string
  fileName?: string
  type?: string
  body?: string
  headers?: string
}
function part({ name, fileName, type, body = '', headers = '' }: Part): string {
  const disposition = `Content-Disposition: form-data${name === undefined ? '' : `; name="${name}"`}${fileName === undefined ? '' : `; filename="${fileName}"`}\r\n`
  return `--B\r\n${disposition}${type === undefined ? '' : `Content-Type: ${type}\r\n`}${headers}\r\n${body}\r\n`
}
const form = (...parts: Part[]) => parts.map(part).join('') + '--B--\r\n'
const parse = (
  body: string | Uint8Array,
  limits?: Partial<MultipartLimits>,
  options?: Parameters<typeof request>[1],
) => parseMultipart(request(body, options), directory, limits)
const refusedWith = (status: number, code: string) => expect.objectContaining({ status, code })
const invalid = refusedWith(400, 'http.multipart-invalid')

test('fields and files, in order; a file has its bytes, its claims and its size', async () => {
  const parsed = await parse(
    form(
      { name: 'a', body: '1' },
      { name: 'a', body: 'é' },
      { name: 'f', fileName: 'C:\\x\\山.txt', type: 'Text/Plain; charset=x', body: 'hello' },
      { name: 'f', fileName: 'b', body: '' },
      { name: 'empty', fileName: '', type: 'application/octet-stream' },
    ),
  )
  expect([...parsed.fields]).toEqual([['a', ['1', 'é']]])
  expect([...parsed.files.keys()]).toEqual(['f'])
  const [first, second] = parsed.files.get('f')!
  expect(first).toMatchObject({
    fieldName: 'f',
    name: '山.txt',
    contentType: 'text/plain',
    size: 5,
  })
  expect(second).toMatchObject({ name: 'b', size: 0 })
  expect(Buffer.from(await first!.get()).toString()).toBe('hello')
  expect(await new Response(first!.stream()).text()).toBe('hello')
  await parsed.close()
  await expect(first!.get()).rejects.toMatchObject({ code: 'http.upload-closed' })
})

test('a large file goes to disk, private, and is deleted by close', async () => {
  const body = 'x'.repeat(200_000)
  const parsed = await parse(form({ name: 'f', fileName: 'big', body }))
  const file = parsed.files.get('f')![0]!
  const [name] = await filesOnDisk()
  expect(name).toMatch(/^[0-9a-f]{32}$/)
  const [folder] = await readdir(root)
  expect((await stat(join(root, folder!))).mode & 0o777).toBe(0o700)
  expect((await stat(join(root, folder!, name!))).mode & 0o777).toBe(0o600)
  expect([
    file.size,
    (await file.get()).length,
    (await new Response(file.stream()).text()).length,
  ]).toEqual([200_000, 200_000, 200_000])
  await file.saveTo(join(root, 'kept'))
  await expect(file.saveTo(join(root, 'kept'))).rejects.toMatchObject({ code: 'EEXIST' })
  await parsed.close()
  expect(await filesOnDisk()).toEqual(['kept'])
  expect(await readFile(join(root, 'kept'), 'utf8')).toBe(body)
  await rm(join(root, 'kept'))
})

test('small files go to disk too, when their sum exceeds the limit', async () => {
  const file = { name: 'f', fileName: 'a', body: 'x'.repeat(1000) }
  const parsed = await parse(form(file, file, file), { memoryBytes: 2500 })
  expect(await filesOnDisk()).toHaveLength(1)
  await parsed.close()
})

const big = { name: 'f', fileName: 'first', body: 'x'.repeat(100_000) }
test.each<readonly [string, string, Partial<MultipartLimits>, number]>([
  ['fields', form(big, { name: 'a' }, { name: 'b' }), { fields: 1 }, 400],
  ['files', form(big, big), { files: 1 }, 400],
  ['parts', form(big, { name: 'a' }, { name: 'b' }), { parts: 2 }, 400],
  [
    'all bytes, for texts',
    form(big, { name: 'a', body: 'x'.repeat(2000) }),
    { totalBytes: 1999 },
    413,
  ],
  ['field bytes', form(big, { name: 'a', body: 'x'.repeat(11) }), { fieldBytes: 10 }, 413],
  [
    'memory of the fields',
    form(big, { name: 'a', body: 'xxxxx' }, { name: 'a', body: 'xxxxx' }),
    { memoryBytes: 9 },
    413,
  ],
])('a limit on %s; no file remains on disk', async (_name, body, limits, status) => {
  await expect(parse(body, limits)).rejects.toEqual(refusedWith(status, 'http.multipart-too-large'))
  expect(await filesOnDisk()).toEqual([])
})

const tooBig = { ...big, name: 'g', body: 'x'.repeat(120_000) }
const text = { name: 'a', body: 'after' }
const single = { limit: 110_000, together: false }
test.each<
  readonly [string, readonly Part[], Partial<MultipartLimits>, Readonly<Record<string, object>>]
>([
  ['one file', [big, tooBig, text], { fileBytes: 110_000 }, { g: single }],
  ['the first file', [tooBig, big, text], { fileBytes: 110_000 }, { g: single }],
  [
    'a file in memory',
    [big, tooBig, text],
    { fileBytes: 110_000, fileMemoryBytes: 1e6 },
    { g: single },
  ],
  [
    'all files together',
    [big, { ...big, name: 'h' }, text],
    { totalBytes: 150_000 },
    {
      h: { limit: 150_000, together: true },
    },
  ],
  [
    'only the file that does not fit',
    [tooBig, big, text],
    { totalBytes: 110_000 },
    {
      g: { limit: 110_000, together: true },
    },
  ],
])(
  'above a limit on the bytes of %s, that file is dropped',
  async (_name, parts, limits, dropped) => {
    for (const chunk of [1000, 64 * 1024, 1_000_000]) {
      const parsed = await parse(form(...parts), limits, { chunk })
      expect(Object.fromEntries(parsed.tooLarge)).toEqual(dropped)
      expect(parsed.fields.get('a')).toEqual(['after'])
      const kept = parsed.files.get('f')!
      expect([...parsed.files.keys(), kept.length]).toEqual(['f', 1])
      expect(Buffer.from(await kept[0]!.get()).toString()).toBe(big.body)
      expect((await filesOnDisk()).length).toBe(limits.fileMemoryBytes === undefined ? 1 : 0)
      await parsed.close()
      expect(await filesOnDisk()).toEqual([])
    }
  },
)

test('a text for which the files leave no room drops the last of them', async () => {
  const small = { name: 'g', fileName: 'small', body: 'x'.repeat(1000) }
  for (const fileMemoryBytes of [10, 1e6]) {
    const limits = { totalBytes: 101_000, fileMemoryBytes }
    const parsed = await parse(form(big, small, { name: 'a', body: 'token' }), limits)
    expect(parsed.fields.get('a')).toEqual(['token'])
    expect([...parsed.files.keys()]).toEqual(['f'])
    expect(Object.fromEntries(parsed.tooLarge)).toEqual({ g: { limit: 101_000, together: true } })
    expect(await filesOnDisk()).toHaveLength(fileMemoryBytes === 10 ? 1 : 0)
    await parsed.close()
    expect(await filesOnDisk()).toEqual([])
  }
})

test('a text for which the files leave no memory moves the last of them to the disk', async () => {
  const parsed = await parse(form(big, big, { name: 'a', body: 'token' }), {
    memoryBytes: 200_000,
    fileMemoryBytes: 1e6,
  })
  expect(parsed.fields.get('a')).toEqual(['token'])
  expect(await filesOnDisk()).toHaveLength(1)
  for (const file of parsed.files.get('f')!)
    expect(Buffer.from(await file.get()).toString()).toBe(big.body)
  await parsed.close()
})

test('a body is read up to four times the limit', async () => {
  const read: number[] = []
  const { header } = request('x')
  const body = {
    isEmpty: false,
    async consume(limit: number) {
      read.push(limit)
      throw new HttpError(413, 'http.body-too-large', 'larger than the limit of the reader')
    },
  }
  const reading = parseMultipart({ header, body } as unknown as HttpRequest, directory, {
    totalBytes: 3 * 1024 * 1024,
  })
  await expect(reading).rejects.toMatchObject({
    status: 413,
    code: 'http.multipart-too-large',
    message: 'The form is larger than 3 MiB.',
  })
  expect(read).toEqual([12 * 1024 * 1024])
})

test.each<readonly [string, string]>([
  ['no part at all', '--B'],
  ['ends in a part', part(big).slice(0, 80_000)],
  ['ends in a header', part(big) + '--B\r\nContent-Disposition: form-'],
  ['ends without the last boundary', part(big)],
  ['other text', 'hello'],
  ['a preamble of 17 KiB', 'x'.repeat(17 * 1024) + '\r\n' + form(big)],
  ['a part without a name', form(big, { body: 'x' })],
  ['an empty name', form(big, { name: '', body: 'x' })],
  ['a long name', form(big, { name: 'n'.repeat(257) })],
  ['a long file name', form(big, { name: 'f', fileName: 'n'.repeat(256) })],
  ['a long name of an emoji', form(big, { name: 'f', fileName: '\u{1F600}'.repeat(128) })],
  ['NUL in a field', form(big, { name: 'a', body: 'a\0b' })],
])('%s is rejected; no file remains on disk', async (_name, body) => {
  await expect(parse(body)).rejects.toEqual(invalid)
  expect(await filesOnDisk()).toEqual([])
})

test.each([
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary=B; boundary=C',
  `multipart/form-data; boundary=${'b'.repeat(71)}`,
  'multipart/form-data; boundary="B "',
  'multipart/mixed; boundary=B',
])('the type %s is rejected', async (type) => {
  await expect(parse(form({ name: 'a' }), {}, { type })).rejects.toEqual(invalid)
})

test('a client that disconnects midway: its error, and no file on disk', async () => {
  for (const length of [90_000, 100_100, 150_000]) {
    await expect(parse(form(big, big).slice(0, length), {}, { fail: true })).rejects.toThrow(
      'client gone',
    )
    expect(await filesOnDisk()).toEqual([])
  }
})

/** Collects the handles of all files. */
class Watched extends UploadDirectory {
  readonly opened: Promise<FileHandle>[] = []
  override create() {
    const created = super.create()
    this.opened.push(created.then(({ handle }) => handle))
    return created
  }
}

test('no descriptor stays open after a form is read, rejected, or aborted', async () => {
  const watched = new Watched(root)
  const bodies = [form(big, big), form(big, { ...big, name: '' }), form(big, big).slice(0, 150_000)]
  for (const body of bodies)
    // In many chunks; with a first chunk that lacks only the file's end; in one chunk.
    for (const chunk of [1000, part(big).length - 2, 1_000_000]) {
      const reading = parseMultipart(request(body, { chunk, fail: body === bodies[2] }), watched)
      await reading.then(
        (parsed) => parsed.close(),
        () => {},
      )
    }
  const handles = await Promise.all(watched.opened)
  expect(handles.length).toBeGreaterThan(5)
  // A closed handle has the descriptor -1.
  expect(handles.every(({ fd }) => fd === -1)).toBe(true)
  expect(await filesOnDisk()).toEqual([])
  await watched.close()
})

test('no file remains when the client disconnects while the file is being created', async () => {
  const watched = new Watched(root)
  const { header } = request('x')
  const body = {
    isEmpty: false,
    async consume(_limit: number, take: (piece: Uint8Array) => Promise<void> | undefined) {
      take(Buffer.from(form(big, big)))?.catch(() => {})
      throw new Error('client gone')
    },
  }
  const reading = parseMultipart({ header, body } as unknown as HttpRequest, watched)
  await expect(reading).rejects.toThrow('client gone')
  const handles = await Promise.all(watched.opened)
  expect(handles.map(({ fd }) => fd)).toEqual([-1, -1])
  expect(await filesOnDisk()).toEqual([])
  await watched.close()
})

test('names such as __proto__ are ordinary names', async () => {
  const parsed = await parse(
    form(
      { name: '__proto__', body: '1' },
      { name: 'constructor', fileName: '__proto__', body: '2' },
    ),
  )
  expect([...parsed.fields]).toEqual([['__proto__', ['1']]])
  expect(parsed.files.get('constructor')![0]!.name).toBe('__proto__')
  expect(({} as { x?: unknown }).x).toBeUndefined()
})

test.each(['n'.repeat(255), '山'.repeat(255), '\u{1F600}'.repeat(127) + 'n'])(
  'a file name may have 255 UTF-16 units: %.4s…',
  async (fileName) => {
    const parsed = await parse(form({ name: 'f', fileName, body: 'x' }))
    expect(parsed.files.get('f')![0]!.name).toBe(fileName)
  },
)

test('a form has as many fields as an urlencoded one by default, and its files', async () => {
  const fields = Array.from({ length: 1000 }, (_, at) => ({ name: `n${at}`, body: 'x' }))
  const files = Array.from({ length: 20 }, () => ({ name: 'f', fileName: 'f', body: 'x' }))
  const parsed = await parse(form(...fields, ...files))
  expect([parsed.fields.size, parsed.files.get('f')!.length]).toEqual([1000, 20])
  await expect(parse(form(...fields, { name: 'more' }))).rejects.toEqual(
    refusedWith(400, 'http.multipart-too-large'),
  )
})

test('file names: RFC 8187 form, malformed ones, and line breaks', async () => {
  const named = async (parameter: string) => {
    const body = `--B\r\nContent-Disposition: form-data; name="f"; ${parameter}\r\n\r\nx\r\n--B--\r\n`
    return (await parse(body)).files.get('f')?.[0]?.name
  }
  expect(await named(`filename*=UTF-8''%E5%B1%B1.txt`)).toBe('山.txt')
  for (const odd of [
    `filename="a"; filename*=UTF-8''%zz`,
    `filename="a"; filename*=utf-9''x`,
    'filename="te\r\n st"',
  ]) {
    expect(await named(odd).catch((error: unknown) => error)).not.toBeInstanceOf(URIError)
  }
  expect(await named('filename="te\r\n st.txt"')).not.toMatch(/[\r\n]/)
})

test('a quotation mark in a file name is decoded; a part without a type has none', async () => {
  const parsed = await parse(form({ name: 'f', fileName: 'a%22b%2541.txt', body: 'x' }))
  expect(parsed.files.get('f')![0]).toMatchObject({ name: 'a"b%2541.txt', contentType: undefined })
})

test('a part with too large a header is rejected', async () => {
  for (const headers of [
    `X-A: ${'a'.repeat(1000)}\r\n`.repeat(10_000),
    `X-A: ${'a'.repeat(17_000)}\r\n`,
    'X-A: a\r\n'.repeat(16),
  ])
    await expect(parse(form({ name: 'a', headers }))).rejects.toMatchObject({
      code: 'http.multipart-invalid',
    })
})

test('the memory of a file does not count after the file went to disk', async () => {
  const small = { name: 'f', fileName: 'small', body: 'x'.repeat(60_000) }
  const parsed = await parse(form(big, small), { memoryBytes: 100_000 })
  expect(await filesOnDisk()).toHaveLength(1)
  expect(Buffer.from(await parsed.files.get('f')![1]!.get()).toString()).toBe(small.body)
  await parsed.close()
})

test('files of one chunk, in memory and on disk, do not mix', async () => {
  const bodies = Array.from({ length: 8 }, (_, i) => String(i).repeat(i % 2 === 0 ? 1000 : 10))
  const parsed = await parse(
    form(...bodies.map((body) => ({ name: 'f', fileName: 'f', body }))),
    { fileMemoryBytes: 100 },
    { chunk: 100_000 },
  )
  expect(await filesOnDisk()).toHaveLength(4)
  for (const [i, file] of parsed.files.get('f')!.entries())
    expect(Buffer.from(await file.get()).toString()).toBe(bodies[i])
  await parsed.close()
})

test('a text is decoded strictly in the charset of its part', async () => {
  const sent = (type: string, body: string) =>
    parse(Buffer.from(form({ name: 'a', type, body }), 'latin1'))
  expect((await sent('text/plain; charset=ISO-8859-1', 'é')).fields.get('a')).toEqual(['é'])
  expect((await sent('text/plain', '\xc3\xa9')).fields.get('a')).toEqual(['é'])
  await expect(sent('text/plain', 'é')).rejects.toEqual(invalid)
  await expect(sent('text/plain; charset=klingon', 'x')).rejects.toEqual(invalid)
})

test('a nested multipart is one opaque part', async () => {
  const nested = await parse(
    form({ name: 'a', type: 'multipart/mixed; boundary=C', body: '--C\r\n\r\nx\r\n--C--' }),
  )
  expect(nested.fields.get('a')).toEqual(['--C\n\nx\n--C--'])
})

test('an upload folder that cannot be created fails only this upload', async () => {
  await writeFile(join(root, 'file'), '')
  const missing = new UploadDirectory(join(root, 'file'))
  await expect(parseMultipart(request(form(big)), missing)).rejects.toMatchObject({
    code: 'ENOTDIR',
  })
  const small = await parseMultipart(
    request(form({ name: 'f', fileName: 'a', body: 'x' })),
    missing,
  )
  expect(small.files.get('f')).toHaveLength(1)
  await rm(join(root, 'file'))
})

test('an upload folder that a cleaner deletes is created again, with its parents', async () => {
  const parent = join(root, 'deleted')
  const own = new UploadDirectory(join(parent, 'uploads'))
  await own.sweep()
  const paths: string[] = []
  const upload = async () => {
    const { files } = await parseMultipart(request(form(big)), own)
    const [file] = files.get('f') ?? []
    paths.push(...(await readdir(join(parent, 'uploads'))))
    await file?.close()
    return file?.size
  }
  expect(await upload()).toBeGreaterThan(0)
  await rm(parent, { recursive: true })
  expect(await Promise.all([upload(), upload(), upload()])).not.toContain(undefined)
  expect(new Set(paths).size).toBe(2)
  await own.close()
  expect(await readdir(join(parent, 'uploads'))).toEqual([])
})

test('sweep deletes the folders of ended processes, and keeps those of running ones', async () => {
  const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8)
  const folder = (name: string) => mkdtemp(join(root, `fwjs-uploads-${name}-`))
  const left = await folder(`${host}-999999999`)
  const stale = [await folder(`${host}-${process.pid}`), await folder('0123abcd-1')]
  for (const path of stale) await utimes(path, 1, 1)
  const running = await folder(`${host}-${process.ppid}`)
  const elsewhere = await folder('0123abcd-2')
  const sibling = new UploadDirectory(root)
  const siblings = await sibling.create()
  await siblings.handle.close()
  const own = new UploadDirectory(root)
  const { path, handle } = await own.create()
  await handle.close()
  await own.sweep()
  for (const gone of [left, ...stale])
    await expect(stat(gone)).rejects.toMatchObject({ code: 'ENOENT' })
  expect((await stat(elsewhere)).isDirectory() && (await stat(siblings.path)).isFile()).toBe(true)
  await sibling.close()
  expect((await stat(running)).isDirectory() && (await stat(path)).isFile()).toBe(true)
  await own.close()
  await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('isMultipart', () => {
  const of = (type: string) => isMultipart(request('', { type }))
  expect(
    ['multipart/form-data', ' Multipart/Form-Data ;x', 'multipart/form-data;boundary=B'].every(of),
  ).toBe(true)
  expect(['multipart/form-datax', 'multipart/mixed', 'text/plain', ''].some(of)).toBe(false)
})

test('property: bytes and names are unchanged, and a field has the line breaks of its page, for any chunks', async () => {
  const content = fc.uint8Array({ maxLength: 300 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(content, { minLength: 1, maxLength: 5 }),
      fc.integer({ min: 1, max: 400 }),
      async (contents, chunk) => {
        const native = new FormData()
        contents.forEach((bytes, i) => native.append(`f${i}`, new Blob([bytes]), `"n;${i}.bin`))
        native.append('t', 'a\r\nb')
        const encoded = new Response(native)
        const type = encoded.headers.get('content-type')!
        const parsed = await parse(
          new Uint8Array(await encoded.arrayBuffer()),
          { fileMemoryBytes: 100 },
          { type, chunk },
        )
        for (const [i, bytes] of contents.entries()) {
          const file = parsed.files.get(`f${i}`)![0]!
          expect(Buffer.compare(await file.get(), bytes)).toBe(0)
        }
        expect(parsed.fields.get('t')).toEqual(['a\nb'])
        await parsed.close()
      },
    ),
    { numRuns: 40 },
  )
  expect(await filesOnDisk()).toEqual([])
})
