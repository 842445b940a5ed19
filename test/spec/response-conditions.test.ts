/** Versions of answers: ETag, conditional requests, files with ranges, public files, compression. */
import { symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { ConditionalGet } from '../../src/runtime/feature.ts'
import { supportedEncodings, httpDate } from '../../src/runtime/http.ts'
import { serve, temporaryFolder } from '../support/serve.ts'

const changed = new Date('2026-01-02T03:04:05.678Z')

describe('freshWhen', () => {
  let ran = 0
  class Fresh extends FwController {
    show() {
      this.response.freshWhen({ etag: 'v1', lastModified: changed })
      ran++
      return 'page'
    }
    weak() {
      this.response.freshWhen({ etag: 'a "quoted" version', weak: true })
      return 'page'
    }
  }
  const fresh = routes(Fresh, (r) => ({
    show: r.get('/show', 'show'),
    update: r.put('/show', (c) => c.show()),
    weak: r.get('/weak', 'weak'),
  }))

  for (const [method, headers, status] of [
    ['GET', {}, 200],
    ['GET', { 'if-none-match': '"v1"' }, 304],
    ['GET', { 'if-none-match': 'W/"v1"' }, 304],
    ['GET', { 'if-none-match': '"a", "v1"' }, 304],
    ['GET', { 'if-none-match': '*' }, 304],
    ['GET', { 'if-none-match': '"v2"' }, 200],
    ['GET', { 'if-none-match': 'v1' }, 200],
    ['HEAD', { 'if-none-match': '"v1"' }, 304],
    ['GET', { 'if-modified-since': httpDate(changed) }, 304],
    ['GET', { 'if-modified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' }, 200],
    ['GET', { 'if-modified-since': 'yesterday' }, 200],
    ['GET', { 'if-none-match': '"v2"', 'if-modified-since': httpDate(changed) }, 200],
    ['GET', { 'if-match': '"v2"' }, 412],
    ['PUT', { 'if-match': '"v1"' }, 200],
    ['PUT', { 'if-match': 'W/"v1"' }, 412],
    ['PUT', { 'if-match': '"v0"' }, 412],
    ['PUT', { 'if-match': '*' }, 200],
    ['PUT', { 'if-none-match': '*' }, 412],
    ['PUT', { 'if-unmodified-since': 'Fri, 02 Jan 2026 03:04:05 GMT' }, 200],
    ['PUT', { 'if-unmodified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' }, 412],
    ['PUT', { 'if-modified-since': httpDate(changed) }, 200],
  ] as const) {
    it(`${method} ${JSON.stringify(headers)}: ${status}`, async () => {
      const app = await serve([fresh])
      ran = 0
      const page = await app.request(method, '/show', { headers })
      expect([page.status, ran]).toEqual([status, status === 200 ? 1 : 0])
      expect(page.headers.get('etag')).toBe('"v1"')
      if (status === 304) expect([page.body, page.headers.get('content-type')]).toEqual(['', null])
    })
  }

  it('makes a tag of any text', async () => {
    expect((await (await serve([fresh])).get('/weak')).headers.get('etag')).toMatch(
      /^W\/"[\w-]{27}"$/,
    )
  })
})

describe('ConditionalGet', () => {
  class Pages extends mix(FwController, ConditionalGet) {
    page() {
      return `page ${this.params.get('v') ?? ''}`
    }
    nonce() {
      return `<script nonce="${this.ctx.cspNonce}"></script>`
    }
    visitor() {
      this.session.set('a', 1)
      return 'mine'
    }
    /** What a layout does: it shows the flash in the visitor's language. */
    layout() {
      return `${this.session.isNew} ${String(this.flash.get('notice'))} ${this.i18n.locale}`
    }
    notFound1() {
      this.status = 404
      return 'nothing'
    }
  }
  class Before extends mix(FwController, ConditionalGet) {
    static {
      this.after((c) => {
        c.response.body = 'replaced'
      })
    }
    page() {
      return 'page'
    }
  }
  const pages = routes(Pages, (r) => ({
    page: r.get('/page', 'page'),
    post: r.post('/page', (c) => c.page()),
    nonce: r.get('/nonce', 'nonce'),
    session: r.get('/session', 'visitor'),
    layout: r.get('/layout', 'layout'),
    missing: r.get('/missing', 'notFound1'),
  }))

  it('tags the content; a client that has it gets 304', async () => {
    const app = await serve([pages])
    const first = await app.get('/page')
    const etag = first.headers.get('etag')!
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    const again = await app.get('/page', { headers: { 'if-none-match': etag } })
    expect([again.status, again.body, again.headers.get('etag')]).toEqual([304, '', etag])
    const other = await app.get('/page', { query: { v: 2 }, headers: { 'if-none-match': etag } })
    expect([other.status, other.body]).toEqual([200, 'page 2'])
  })

  it('tags a page whose layout shows the flash and the language, where the visitor has no session', async () => {
    const page = await (await serve([pages])).get('/layout')
    expect(page.body).toBe('true undefined en')
    expect(page.headers.get('etag')).not.toBeNull()
    expect(page.headers.get('cache-control')).toBe('private, no-cache')
  })

  it('tags the body that filters have changed', async () => {
    const plain = routes(Before, (r) => ({ page: r.get('/page', 'page') }))
    const replaced = (await (await serve([plain])).get('/page')).headers.get('etag')
    expect(replaced).not.toBe((await (await serve([pages])).get('/page')).headers.get('etag'))
  })

  for (const path of ['/nonce', '/session', '/missing']) {
    it(`leaves ${path} untagged`, async () => {
      expect((await (await serve([pages])).get(path)).headers.get('etag')).toBeNull()
    })
  }

  it('leaves other methods untagged', async () => {
    expect((await (await serve([pages])).post('/page')).headers.get('etag')).toBeNull()
  })
})

describe('sendFile', () => {
  const root = () => {
    const folder = temporaryFolder({
      'small.txt': '0123456789',
      'Bericht Ü.pdf': 'pdf',
      'unknown.zzz': 'z',
      'sub/in.txt': 'in',
    })
    writeFileSync(join(folder, 'large.bin'), Buffer.alloc(300_000, 'x'))
    symlinkSync('/etc/hosts', join(folder, 'link.txt'))
    return folder
  }
  const files = (folder: string) => {
    class Files extends FwController {
      file() {
        return this.response.sendFile(this.params.get('name') ?? '', { root: folder })
      }
      download() {
        return this.response.sendFile(join(folder, 'Bericht Ü.pdf'), {
          disposition: 'attachment',
          cacheControl: 'private, max-age=60',
        })
      }
    }
    return routes(Files, (r) => ({
      file: r.get('/file', 'file'),
      download: r.get('/download', 'download'),
    }))
  }
  const file = async (name: string, headers: Record<string, string> = {}, method = 'GET') => {
    const app = await serve([files(root())])
    return app.request(method, '/file', { query: { name }, headers })
  }

  it('sends type, length and version', async () => {
    const page = await file('small.txt')
    expect([page.status, page.body]).toEqual([200, '0123456789'])
    expect(page.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(page.headers.get('content-length')).toBe('10')
    expect(page.headers.get('accept-ranges')).toBe('bytes')
    expect(page.headers.get('etag')).toMatch(/^"/)
    expect(page.headers.get('last-modified')).toMatch(/GMT$/)
  })

  it('is stored by the browser of its visitor only, and validated', async () => {
    expect((await file('small.txt')).headers.get('cache-control')).toBe('private, no-cache')
  })

  it('has the version of its content: another file of equal size and time is sent whole', async () => {
    const folder = temporaryFolder({ a: 'one', b: 'two' })
    for (const name of ['a', 'b']) utimesSync(join(folder, name), changed, changed)
    const app = await serve([files(folder)])
    const first = await app.get('/file', { query: { name: 'a' } })
    const headers = { 'if-none-match': first.headers.get('etag')! }
    const again = await app.get('/file', { query: { name: 'a' }, headers })
    const other = await app.get('/file', { query: { name: 'b' }, headers })
    expect([again.status, other.status, other.body]).toEqual([304, 200, 'two'])
    const ranged = { range: 'bytes=1-', 'if-range': first.headers.get('etag')! }
    const part = await app.get('/file', { query: { name: 'b' }, headers: ranged })
    expect([part.status, part.body]).toEqual([200, 'two'])
  })

  it('of an unknown kind is application/octet-stream', async () => {
    expect((await file('unknown.zzz')).headers.get('content-type')).toBe('application/octet-stream')
  })

  it('as a download has its name and its own cache rule', async () => {
    const page = await (await serve([files(root())])).get('/download')
    expect(page.headers.get('content-disposition')).toBe(
      `attachment; filename="Bericht _.pdf"; filename*=UTF-8''Bericht%20%C3%9C.pdf`,
    )
    expect(page.headers.get('cache-control')).toBe('private, max-age=60')
  })

  for (const [range, status, body, told] of [
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-2', 206, '89', 'bytes 8-9/10'],
    ['bytes=5-500', 206, '56789', 'bytes 5-9/10'],
    ['bytes=-500', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=10-', 416, '', 'bytes */10'],
    ['bytes=-0', 416, '', 'bytes */10'],
    ['bytes=3-1', 200, '0123456789', null],
    ['bytes=0-1,3-4', 200, '0123456789', null],
    ['lines=0-1', 200, '0123456789', null],
  ] as const) {
    it(`Range: ${range} is ${status}`, async () => {
      const page = await file('small.txt', { range })
      expect([page.status, page.body, page.headers.get('content-range')]).toEqual([
        status,
        body,
        told,
      ])
    })
  }

  it('streams a part of a large file', async () => {
    const page = await file('large.bin', { range: 'bytes=1-200000' })
    expect([page.status, page.bytes.length]).toEqual([206, 200_000])
    expect(page.headers.get('content-length')).toBe('200000')
  })

  it('HEAD has the headers alone, and no range', async () => {
    const page = await file('large.bin', { range: 'bytes=0-1' }, 'HEAD')
    expect([page.status, page.body, page.headers.get('content-length')]).toEqual([
      200,
      '',
      '300000',
    ])
  })

  it('If-Range: the part only of the same version', async () => {
    const app = await serve([files(root())])
    const get = (headers: Record<string, string>) =>
      app.get('/file', {
        query: { name: 'small.txt' },
        headers: { range: 'bytes=0-0', ...headers },
      })
    const first = await get({})
    const etag = first.headers.get('etag')!
    const date = first.headers.get('last-modified')!
    const status = async (ifRange: string) => (await get({ 'if-range': ifRange })).status
    // Another file may have the same date.
    expect([await status(etag), await status(date)]).toEqual([206, 200])
    expect([await status('"other"'), await status(`W/${etag}`), await status('junk')]).toEqual([
      200, 200, 200,
    ])
    expect((await get({ 'if-none-match': etag })).status).toBe(304)
  })

  for (const name of [
    'missing',
    '../package.json',
    '/etc/hosts',
    'link.txt',
    'sub',
    '',
    'sub/../..',
  ]) {
    it(`${JSON.stringify(name)} below its root is 404`, async () => {
      expect((await file(name)).status).toBe(404)
    })
  }

  it('sub/in.txt below its root is sent', async () => {
    expect((await file('sub/in.txt')).body).toBe('in')
  })
})

describe('public files', () => {
  const served = (configuration: Record<string, unknown> = {}) =>
    serve([], {
      files: {
        'src/main/webapp/a.txt': 'public',
        'src/main/webapp/app-1a2b3c4d.js': 'hashed',
        'src/main/webapp/report-20240115.pdf': 'pdf',
        'src/main/webapp/photo-IMG_0042.jpg': 'jpg',
        'src/main/webapp/summer-Holiday2.jpg': 'jpg',
        'src/main/webapp/lib/a.js': 'script',
        'src/main/webapp/lib/fonts/a.woff2': 'font',
        'src/main/webapp/assets/built/entry-Bk-_xYzA.js': 'script',
        'src/main/webapp/assets/built/entry-abcdefg1.css': 'style',
        'src/main/webapp/assets/built/logo-C0ffee12.svg': 'image',
        'src/main/webapp/assets/built/date-formats.js': 'script',
        'src/main/webapp/assets/built/vendor-framework.js': 'script',
        'src/main/webapp/assets/built/vendor-React-component.js': 'script',
        'src/main/webapp/assets/built/other-1a2b3c4d.js': 'script',
        'src/main/webapp/assets/.vite/manifest.json': JSON.stringify({
          'src/entry.ts': {
            file: 'built/entry-Bk-_xYzA.js',
            css: ['built/entry-abcdefg1.css'],
            assets: ['built/logo-C0ffee12.svg'],
          },
          'src/date-formats.ts': { file: 'built/date-formats.js' },
          '_vendor-framework.js': { file: 'built/vendor-framework.js' },
          '_vendor-React.js': { file: 'built/vendor-React-component.js' },
        }),
        'src/main/webapp/pre.js': 'plain',
        'src/main/webapp/pre.js.gz': zlib.gzipSync('coded').toString('latin1'),
        'src/main/webapp/.hidden': 'no',
        'src/main/webapp/WEB-INF/secret.txt': 'no',
      },
      configuration,
    })

  it('have version, type and security headers, and must be revalidated', async () => {
    const page = await (await served()).get('/a.txt')
    expect([page.status, page.body]).toEqual([200, 'public'])
    expect(page.headers.get('cache-control')).toBe('public, no-cache')
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    const again = await (
      await served()
    ).get('/a.txt', {
      headers: { 'if-modified-since': new Date(Date.now() + 5000).toUTCString() },
    })
    expect(again.status).toBe(304)
  })

  const control = async (configuration: Record<string, unknown>, path: string) =>
    (await (await served(configuration)).get(path)).headers.get('cache-control')
  const forever = 'public, max-age=31536000, immutable'

  it('are kept as long as the configuration says', async () => {
    const settings = { staticFiles: { maxAge: '1h' } }
    expect(await control(settings, '/a.txt')).toBe('public, max-age=3600')
  })

  it.each([
    '/app-1a2b3c4d.js',
    '/report-20240115.pdf',
    '/photo-IMG_0042.jpg',
    '/summer-Holiday2.jpg',
  ])('are validated although a name looks like one with a hash: %s', async (path) => {
    expect(await control({}, path)).toBe('public, no-cache')
  })

  it('are kept for ever in the folders of the configuration', async () => {
    const settings = { staticFiles: { immutable: ['lib/fonts', 'gone'] } }
    expect(await control(settings, '/lib/fonts/a.woff2')).toBe(forever)
    expect(await control(settings, '/lib/a.js')).toBe('public, no-cache')
    expect(await control(settings, '/a.txt')).toBe('public, no-cache')
    expect(await control(settings, '/lib/fonts/none.woff2')).toBe('private, no-cache')
  })

  it.each([['/lib'], ['lib/'], ['']])('the folder %j is refused', async (folder) => {
    await expect(served({ staticFiles: { immutable: [folder] } })).rejects.toMatchObject({
      code: 'config.invalid',
    })
  })

  it('are kept for ever where the manifest of Vite names them with a hash', async () => {
    expect(await control({}, '/assets/built/entry-Bk-_xYzA.js')).toBe(forever)
    expect(await control({}, '/assets/built/entry-abcdefg1.css')).toBe(forever)
    expect(await control({}, '/assets/built/logo-C0ffee12.svg')).toBe(forever)
    // A configuration of Vite keeps these names at each build.
    for (const name of ['date-formats.js', 'vendor-framework.js', 'vendor-React-component.js'])
      expect(await control({}, `/assets/built/${name}`)).toBe('public, no-cache')
    expect(await control({}, '/assets/built/other-1a2b3c4d.js')).toBe('public, no-cache')
  })

  for (const path of [
    '/.hidden',
    '/WEB-INF/secret.txt',
    '/web-inf/secret.txt',
    '/a%2ftxt',
    '/nothing',
  ]) {
    it(`${path} is none`, async () => {
      expect((await (await served()).get(path)).status).toBe(404)
    })
  }

  it('are not written to', async () => {
    expect((await (await served()).post('/a.txt')).status).toBe(404)
  })

  it('come compressed where that lies beside them', async () => {
    const app = await served({ staticFiles: { precompressed: true } })
    const coded = await app.get('/pre.js', { headers: { 'accept-encoding': 'gzip' } })
    expect(coded.headers.get('content-encoding')).toBe('gzip')
    expect(coded.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(coded.headers.get('vary')).toBe('Accept-Encoding')
    const plain = await app.get('/pre.js')
    expect([plain.body, plain.headers.get('vary')]).toEqual(['plain', 'Accept-Encoding'])
    expect((await app.get('/a.txt')).headers.get('vary')).toBeNull()
  })
})

describe('compression', () => {
  const text = 'compress me '.repeat(500)
  class Texts extends FwController {
    text() {
      this.response.headers.set('ETag', '"v1"')
      return text
    }
    small() {
      return 'small'
    }
    kept() {
      this.response.headers.set('Cache-Control', 'no-transform')
      return text
    }
    coded() {
      this.response.headers.set('Content-Encoding', 'br')
      return text
    }
    image() {
      this.response.headers.set('Content-Type', 'image/png')
      return Buffer.from(text)
    }
    flowing() {
      return this.response.stream(async function* () {
        for (let i = 0; i < 500; i++) yield 'compress me '
      })
    }
    fails() {
      return this.response.stream(async function* () {
        yield 'begun'
        throw new Error('broken')
      })
    }
  }
  const texts = routes(Texts, (r) => ({
    text: r.get('/text', 'text'),
    small: r.get('/small', 'small'),
    kept: r.get('/kept', 'kept'),
    coded: r.get('/coded', 'coded'),
    image: r.get('/image', 'image'),
    flowing: r.get('/flowing', 'flowing'),
    fails: r.get('/fails', 'fails'),
  }))
  const on = { configuration: { compression: { enabled: true } } }
  const get = async (path: string, coding: string, method = 'GET') =>
    (await serve([texts], on)).request(method, path, { headers: { 'accept-encoding': coding } })
  const decoders: Record<string, (bytes: Uint8Array) => Promise<Buffer>> = {
    gzip: promisify(zlib.gunzip),
    br: promisify(zlib.brotliDecompress),
    zstd: promisify(zlib.zstdDecompress),
  }

  for (const coding of supportedEncodings) {
    for (const path of ['/text', '/flowing']) {
      it(`${path} in ${coding}`, async () => {
        const page = await get(path, coding)
        expect(page.headers.get('content-encoding')).toBe(coding)
        expect(page.headers.get('vary')).toBe('Accept, Accept-Encoding')
        expect(page.bytes.length).toBeLessThan(text.length)
        expect(String(await decoders[coding]!(page.bytes))).toBe(text)
      })
    }
  }

  it('weakens a strong tag: other bytes, same version', async () => {
    expect((await get('/text', 'gzip')).headers.get('etag')).toBe('W/"v1"')
    expect((await get('/text', 'identity')).headers.get('etag')).toBe('"v1"')
  })

  it('a 304 has the same Vary header as the 200', async () => {
    const headers = { 'if-none-match': 'W/"v1"', 'accept-encoding': 'gzip' }
    const page = await (await serve([texts], on)).get('/text', { headers })
    expect([page.status, page.headers.get('vary')]).toEqual([304, 'Accept, Accept-Encoding'])
  })

  it('HEAD has the headers of GET', async () => {
    const page = await get('/flowing', 'gzip', 'HEAD')
    expect([page.headers.get('content-encoding'), page.body]).toEqual(['gzip', ''])
  })

  for (const [path, coding, vary] of [
    ['/text', 'gzip;q=0', 'Accept, Accept-Encoding'],
    ['/text', 'deflate', 'Accept, Accept-Encoding'],
    ['/small', 'gzip', 'Accept, Accept-Encoding'],
    ['/kept', 'gzip', 'Accept'],
    ['/image', 'gzip', null],
  ] as const) {
    it(`leaves ${path} for ${coding}`, async () => {
      const { headers } = await get(path, coding)
      expect([headers.get('content-encoding'), headers.get('vary')]).toEqual([null, vary])
    })
  }

  it('leaves encoded bodies unchanged', async () => {
    expect((await get('/coded', 'gzip')).headers.get('content-encoding')).toBe('br')
  })

  it('is off unless the configuration turns it on', async () => {
    const page = await (
      await serve([texts])
    ).get('/text', { headers: { 'accept-encoding': 'gzip' } })
    expect([page.headers.get('content-encoding'), page.headers.get('vary')]).toEqual([
      null,
      'Accept',
    ])
  })

  it('cuts a response whose source breaks', async () => {
    await expect(get('/fails', 'gzip')).rejects.toThrow()
  })
})
