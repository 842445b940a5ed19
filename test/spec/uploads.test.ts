/** Parameter access › fileParams and Endpoints › File download endpoint of the specification. */
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { FwContext } from '../../src/runtime/action.ts'
import {
  type Fw,
  FwController,
  FwServlet,
  microServlet,
  mix,
  routes,
} from '../../src/runtime/controller.ts'
import { fileUpload, FileUploadFeature } from '../../src/runtime/feature.ts'
import { attachment, BadRequest, Ok } from '../../src/runtime/http.ts'
import { paramKey, required } from '../../src/runtime/validation.ts'
import { serve, temporaryFolder } from '../support/serve.ts'

const part = (name: string, content: string, fileName: string, type = ''): FormData => {
  const form = new FormData()
  form.append(name, new File([content], fileName, { type }))
  return form
}

describe('the download endpoint', () => {
  class Files extends mix(FwServlet, FileUploadFeature) {
    async upload() {
      const file = this.fileParams.get('file')
      return file
        ? Ok(await file.get(), {
            'Content-Type': file.contentType ?? 'application/octet-stream',
            'Content-Disposition': attachment(file.name),
          })
        : BadRequest('<p>No file was selected.</p>')
    }
  }
  const files = routes(Files, (r) => ({ upload: r.post('/files', 'upload') }))

  it('answers 200 with the bytes, the type of the file and its name', async () => {
    const app = await serve([files])
    const page = await app.post('/files', {
      multipart: part('file', 'a,b', 'data.csv', 'text/csv'),
    })
    expect([page.status, page.body]).toEqual([200, 'a,b'])
    expect(page.headers.get('content-type')).toBe('text/csv')
    expect(page.headers.get('content-disposition')).toBe('attachment; filename="data.csv"')
  })

  it('answers application/octet-stream for a part without a type', async () => {
    const app = await serve([files])
    const body =
      '--B\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nhi\r\n--B--\r\n'
    const page = await app.post('/files', {
      body,
      headers: { 'content-type': 'multipart/form-data; boundary=B' },
    })
    expect([page.body, page.headers.get('content-type')]).toEqual([
      'hi',
      'application/octet-stream',
    ])
  })

  it('sends a name outside ASCII by RFC 8187', async () => {
    const app = await serve([files])
    const page = await app.post('/files', { multipart: part('file', 'x', "山 'a'.txt") })
    expect(page.headers.get('content-disposition')).toBe(
      `attachment; filename="_ 'a'.txt"; filename*=UTF-8''%E5%B1%B1%20%27a%27.txt`,
    )
  })

  for (const [title, options] of [
    ['without the part', { multipart: part('other', 'x', 'x.txt') }],
    ['with no file chosen', { multipart: part('file', '', '') }],
    ['without a body', {}],
    ['with a plain form', { form: { file: 'x' } }],
  ] as const) {
    it(`answers 400 with a short page ${title}`, async () => {
      const page = await (await serve([files])).post('/files', options)
      expect([page.status, page.html('p')]).toEqual([400, 'No file was selected.'])
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    })
  }
})

describe('fileParams', () => {
  class Uploads extends mix(FwController, FileUploadFeature) {
    async all() {
      const list = this.fileParams.getAll('photos') ?? []
      return {
        files: await Promise.all(
          list.map(async (file) => ({
            name: file.name,
            size: file.size,
            type: file.contentType,
            streamed: await new Response(file.stream()).text(),
          })),
        ),
        first: this.fileParams.get('photos')?.name,
        param: this.params.get('photos'),
        title: this.params.get('title'),
        both: this.multiParams.get('both'),
      }
    }
    big() {
      return this.fileParams.get('file')!.stream()
    }
    passes() {
      this.pass()
    }
    fails() {
      throw new Error('no')
    }
    none() {
      return 'none'
    }
    guarded() {
      return 'in'
    }
  }
  const uploads = routes(Uploads, (r) => ({
    all: r.post('/all', 'all'),
    put: r.put('/all', (c) => c.all()),
    early: r.post('/early', { when: (ctx: FwContext) => ctx.params.get('x') === undefined }, (c) =>
      c.all(),
    ),
    big: r.post('/big', 'big'),
    next: r.post('/pass', (c) => c.all()),
    passes: r.post('/pass', 'passes'),
    fails: r.post('/fails', 'fails'),
    none: r.post('/none', 'none'),
  }))
  const form = (): FormData => {
    const data = part('photos[]', 'one', 'C:\\x\\1.png', 'image/png')
    data.append('photos[]', new File(['two'], '2.png'))
    data.append('title', 'Über')
    data.append('both', 'form')
    return data
  }
  const expected = {
    files: [
      { name: '1.png', size: 3, type: 'image/png', streamed: 'one' },
      { name: '2.png', size: 3, type: 'application/octet-stream', streamed: 'two' },
    ],
    first: '1.png',
    title: 'Über',
    both: ['query', 'form'],
  }

  for (const [title, method, path] of [
    [
      'finds every file of photos[] under photos, texts among the params, query first',
      'POST',
      '/all',
    ],
    ['works for PUT', 'PUT', '/all'],
    ['survives pass()', 'POST', '/pass'],
    ['is there although a condition asked for params before', 'POST', '/early'],
  ] as const) {
    it(title, async () => {
      const app = await serve([uploads])
      const page = await app.request(method, path, { multipart: form(), query: { both: 'query' } })
      expect(page.json()).toEqual(expected)
    })
  }

  it('works in the micro layer and on any controller that mixes it in', async () => {
    class Micro extends mix(FwServlet, FileUploadFeature) {}
    const micro = routes(Micro, (r) => ({
      up: r.post('/up', async (c) => Buffer.from((await c.fileParams.get('f')?.get()) ?? [])),
    }))
    const plain = microServlet((r) => ({ x: r.get('/x', () => 'x') }))
    const app = await serve([micro, [plain, '/plain']])
    expect((await app.post('/up', { multipart: part('f', 'bytes', 'f') })).body).toBe('bytes')
  })

  const folderOf = () => {
    const location = temporaryFolder()
    const lying = () =>
      readdirSync(location, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
    return { location, lying }
  }
  const large = 'x'.repeat(200_000)

  for (const path of ['/none', '/fails', '/pass', '/nowhere']) {
    it(`leaves no file after ${path}`, async () => {
      const { location, lying } = folderOf()
      const app = await serve([uploads], { configuration: { upload: { location } } })
      await app.post(path, { multipart: part('file', large, 'f') })
      await expect.poll(lying).toEqual([])
    })
  }

  it('keeps a file until the response that streams it has been sent', async () => {
    const { location, lying } = folderOf()
    const app = await serve([uploads], { configuration: { upload: { location } } })
    const page = await app.post('/big', { multipart: part('file', large, 'f') })
    expect(page.body).toBe(large)
    await expect.poll(lying).toEqual([])
  })

  it('takes a large file over a socket as it was sent', async () => {
    const app = await serve([uploads])
    const { port } = await app.app.listen(0)
    const bytes = randomBytes(3_000_000)
    const body = new FormData()
    body.append('file', new File([bytes], 'f'))
    const answer = await fetch(`http://127.0.0.1:${port}/big`, { method: 'POST', body })
    expect(Buffer.compare(bytes, Buffer.from(await answer.arrayBuffer()))).toBe(0)
  })

  it('lets go of the file when the client leaves in the middle of an upload', async () => {
    const { location, lying } = folderOf()
    const app = await serve([uploads], { configuration: { upload: { location } } })
    const { port } = await app.app.listen(0)
    for (let i = 0; i < 20; i++) await abortedUpload(port)
    await expect.poll(lying).toEqual([])
  })

  function abortedUpload(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(
          'POST /none HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=B\r\n' +
            'Content-Length: 1000000\r\n\r\n--B\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n' +
            large,
          () => socket.destroy(),
        )
      })
      socket.on('error', reject)
      socket.on('close', () => resolve())
    })
  }

  describe('limits', () => {
    const limited = {
      upload: { maxFileSize: '2KiB', maxFiles: 1, maxRequestSize: '8KiB', maxFields: 1 },
    }
    const two = () => {
      const data = part('a', 'x', 'a')
      data.append('b', new File(['x'], 'b'))
      return data
    }
    const fields = () => {
      const data = new FormData()
      data.append('a', '1')
      data.append('b', '1')
      return data
    }
    for (const [title, data, status] of [
      ['a file above maxFileSize', part('file', 'x'.repeat(3000), 'f'), 413],
      ['a request above maxRequestSize', part('f', 'x'.repeat(40_000), 'f'), 413],
      ['more files than maxFiles', two(), 400],
      ['more fields than maxFields', fields(), 400],
      ['a file within them', part('file', 'x'.repeat(1000), 'f'), 200],
    ] as const) {
      it(`${title}: ${status}`, async () => {
        const app = await serve([uploads], { configuration: limited })
        expect((await app.post('/big', { multipart: data })).status).toBe(status)
      })
    }

    it('of one controller lie over those of the application', async () => {
      const limits = { fileBytes: 10_000, totalBytes: 20_000 }
      class Generous extends mix(FwController, FileUploadFeature, fileUpload({ limits })) {
        up() {
          return String(this.fileParams.get('f')?.size)
        }
      }
      const app = await serve([routes(Generous, (r) => ({ up: r.post('/up', 'up') }))], {
        configuration: limited,
      })
      const page = await app.post('/up', { multipart: part('f', 'x'.repeat(5000), 'f') })
      expect([page.status, page.body]).toEqual([200, '5000'])
    })
  })

  describe('a file that is too large', () => {
    const limited = { upload: { maxFileSize: '1536KiB', maxRequestSize: '2MiB' } }
    const languages = {
      'src/main/resources/messages.yml': 'photo: Photo\n',
      'src/main/resources/messages_de.yml':
        "photo: Foto\nerror:\n  fileSize: '{0} darf höchstens {1} groß sein'\n  filesSize: '{0}: zusammen höchstens {1}'\n",
      'src/main/webapp/WEB-INF/views/photos/new.html.ssp': [
        '<p class="photo">${s.keyAndErrorMessages.get("photo").join(" ")}</p>',
        '<p class="scan">${s.keyAndErrorMessages.get("scanId").join(" ")}</p>',
        '<input name="title" value="${s.params.get("title")}">',
        '<input name="limits" value="${s.uploadLimits.file} ${s.uploadLimits.form}">',
        '<input name="text" value="${s.ruleMessage("fileSize", "X", s.i18n.formatFileSize(s.uploadLimits.file))}">',
      ].join('\n'),
      'src/main/webapp/WEB-INF/layouts/default.ssp': '<main>${body}</main>',
      'src/main/webapp/WEB-INF/views/error/413.html.ssp': '<h1>${s.i18n.get("photo")}: 413</h1>',
    }
    const seen: unknown[] = []
    class Photos extends mix(FwController, FileUploadFeature) {
      async create() {
        const { params } = this
        const form = this.validation(
          params,
          paramKey('title').is(required),
          paramKey('photo').is(required),
          paramKey('scanId').is(required),
        )
        const { fileParams } = this
        seen.push(['photo', 'scan', 'small'].map((name) => [name, fileParams.isTooLarge(name)]))
        seen.push(new TextDecoder().decode(await fileParams.get('small')?.get()))
        return form.validate() ? 'saved' : this.render('/photos/new' as never)
      }
      async read() {
        return String(this.fileParams.has('photo')) + String(this.fileParams.get('photo')?.size)
      }
      blind() {
        return `title ${this.params.get('title')}`
      }
      static {
        this.protectFromForgery()
      }
      token() {
        return (this.ctx.viewHelper as Fw).csrfToken
      }
    }
    const photos = routes(Photos, (r) => ({
      create: r.post('/photos', 'create'),
      read: r.post('/read', 'read'),
      blind: r.post('/blind', 'blind'),
      token: r.get('/token', 'token'),
    }))
    const open = async () => {
      const { location, lying } = folderOf()
      const configuration = { upload: { ...limited.upload, location } }
      const app = await serve([photos], { configuration, files: languages })
      const visitor = app.visitor()
      const token = (await visitor.get('/token')).body
      const send = async (
        path: string,
        files: Readonly<Record<string, number>>,
        language = 'en',
      ) => {
        const multipart = new FormData()
        multipart.append('csrf-token', token)
        multipart.append('title', 'Über')
        for (const [name, size] of Object.entries(files))
          multipart.append(name, new File(['x'.repeat(size)], `${name}.bin`))
        multipart.append('after', 'the files')
        const headers = { 'accept-language': language, accept: 'text/html' }
        const page = await visitor.post(path, { multipart, headers })
        await expect.poll(lying).toEqual([])
        return page
      }
      return { send }
    }
    const kilobytes = 1024

    it('is an error of its field in the language of the page; the values and the small files stay', async () => {
      const { send } = await open()
      seen.length = 0
      const page = await send('/photos', { photo: 1600 * kilobytes, small: 5 })
      expect(page.status).toBe(400)
      expect(page.html('.photo')).toBe('Photo must be at most 1.5 MB')
      expect(page.attribute('[name=title]', 'value')).toBe('Über')
      expect(page.attribute('[name=limits]', 'value')).toBe(`${1536 * 1024} ${2 * 1024 ** 2}`)
      expect(page.attribute('[name=text]', 'value')).toBe('X must be at most 1.5 MB')
      expect(seen).toEqual([
        [
          ['photo', true],
          ['scan', false],
          ['small', false],
        ],
        'xxxxx',
      ])
      const german = await send('/photos', { photo: 1600 * kilobytes }, 'de')
      expect(german.html('.photo')).toBe('Foto darf höchstens 1,5 MB groß sein')
    })

    it('is an error of the key that a record stores, such as scanId', async () => {
      const { send } = await open()
      const page = await send('/photos', { scan: 1600 * kilobytes })
      expect([page.html('.photo'), page.html('.scan')]).toEqual([
        'Photo is required',
        'scanId must be at most 1.5 MB',
      ])
    })

    it('together with others: the one with which the limit of the form is exceeded is an error', async () => {
      const { send } = await open()
      seen.length = 0
      const sizes = { small: 1400 * kilobytes, photo: 700 * kilobytes, scan: 100 * kilobytes }
      const page = await send('/photos', sizes)
      expect(page.html('.photo')).toBe('Photo: all files together must be at most 2 MB')
      expect(page.html('.scan')).toBe('scanId is required')
      expect(seen[0]).toEqual([
        ['photo', true],
        ['scan', false],
        ['small', false],
      ])
      expect((seen[1] as string).length).toBe(1400 * kilobytes)
    })

    it('is 413 for an action that reads it, and does not concern one that reads no file', async () => {
      const { send } = await open()
      const read = await send('/read', { photo: 1600 * kilobytes }, 'de')
      expect([read.status, read.html('main h1')]).toEqual([413, 'Foto: 413'])
      const blind = await send('/blind', { photo: 1600 * kilobytes })
      expect([blind.status, blind.body]).toEqual([200, 'title Über'])
    })

    it('is 413 at once if the form is more than four times as large as allowed', async () => {
      const { send } = await open()
      const page = await send('/photos', { photo: 9 * 1024 ** 2 }, 'de')
      expect([page.status, page.html('main h1')]).toEqual([413, 'Foto: 413'])
    })
  })

  it('sweeps what an ended process left when the application starts', async () => {
    const { location, lying } = folderOf()
    const other = await serve([uploads], { configuration: { upload: { location } } })
    await other.post('/none', { multipart: part('file', large, 'f') })
    expect(readdirSync(location)).toHaveLength(1)
    await serve([uploads], { configuration: { upload: { location: join(location, 'new', 'er') } } })
    expect(readdirSync(join(location, 'new', 'er'))).toEqual([])
    await other.app.close()
    expect(lying()).toEqual([])
    expect(readdirSync(location)).toEqual(['new'])
  })

  it('stands before the forgery token, which may be a field of the form', async () => {
    class Guarded extends mix(FwController, FileUploadFeature) {
      static {
        this.protectFromForgery()
      }
      token() {
        return (this.ctx.viewHelper as Fw).csrfToken
      }
      up() {
        return this.fileParams.get('f')?.name
      }
    }
    const app = await serve([
      routes(Guarded, (r) => ({ token: r.get('/token', 'token'), up: r.post('/up', 'up') })),
    ])
    const visitor = app.visitor()
    const token = (await visitor.get('/token')).body
    const data = part('f', 'x', 'name.txt')
    expect((await visitor.post('/up', { multipart: data })).status).toBe(403)
    data.append('csrf-token', token)
    expect((await visitor.post('/up', { multipart: data })).body).toBe('name.txt')
    onTestFinished(() => app.app.close())
  })
})
