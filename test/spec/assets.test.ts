/** The mountable AssetsController and the files of a bundler (General rules › 1). */
import { utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  App,
  AssetsController,
  FwLifeCycle,
  FwServer,
  type ServletContext,
  startApplication,
} from '../../src/runtime/app.ts'
import { Configuration, FwEnv } from '../../src/runtime/config.ts'
import { FwController, type Fw, routes } from '../../src/runtime/controller.ts'
import { TestClient } from '../../src/tools/testing/client.ts'
import { serve, temporaryFolder } from '../support/serve.ts'

const webapp = 'src/main/webapp'
const files = {
  [`${webapp}/WEB-INF/assets/js/app.js`]: 'app()',
  [`${webapp}/WEB-INF/assets/js/app.js.map`]: '{}',
  [`${webapp}/WEB-INF/assets/js/sub/my.lib.js`]: 'lib()',
  [`${webapp}/WEB-INF/assets/js/both.js`]: 'hidden()',
  [`${webapp}/assets/js/both.js`]: 'public()',
  [`${webapp}/assets/js/readme.txt`]: 'a public file',
  [`${webapp}/WEB-INF/assets/js/.secret.js`]: 'no',
  [`${webapp}/WEB-INF/assets/js/typed.ts`]: 'const a: number = 1',
  [`${webapp}/WEB-INF/assets/css/app.css`]: 'body {}',
  [`${webapp}/WEB-INF/web.js`]: 'no',
}
const assets = () =>
  new AssetsController().registerJsCompiler('ts', (source) => source.replace(/: \w+/g, ''))

describe('AssetsController', () => {
  for (const [path, type, body] of [
    ['/assets/js/app.js', 'text/javascript; charset=utf-8', 'app()'],
    ['/assets/js/sub/my.lib.js', 'text/javascript; charset=utf-8', 'lib()'],
    ['/assets/css/app.css', 'text/css; charset=utf-8', 'body {}'],
    ['/assets/js/app.js.map', 'application/json; charset=utf-8', '{}'],
    ['/assets/js/both.js', 'text/javascript; charset=utf-8', 'public()'],
    ['/assets/js/typed.js', 'text/javascript; charset=utf-8', 'const a = 1'],
    ['/assets/js/readme.txt', 'text/plain; charset=utf-8', 'a public file'],
  ] as const) {
    it(`serves ${path}`, async () => {
      const page = await (await serve([assets()], { files })).get(path)
      expect([page.status, page.body, page.headers.get('content-type')]).toEqual([200, body, type])
      expect(page.headers.get('last-modified')).toMatch(/GMT$/)
    })
  }

  for (const path of [
    '/assets/js/none.js',
    '/assets/js/.secret.js',
    '/assets/js/typed.ts',
    '/assets/css/app.js',
    '/assets/js/',
    '/assets/js//app.js',
    '/assets//js/readme.txt',
    '/assets/js%2Freadme.txt',
  ]) {
    it(`does not serve ${path}`, async () => {
      expect((await (await serve([assets()], { files })).get(path)).status).toBe(404)
    })
  }

  it('does not serve a path that begins with an empty segment', async () => {
    const { app } = await serve([assets()], { files })
    for (const path of ['//assets/js/app.js', '//assets/js/readme.txt', '//assets/js/typed.js'])
      expect((await app.fetch(new Request(`http://localhost${path}`))).status).toBe(404)
  })

  it('responds with 304 for a current version, compiled or not', async () => {
    const app = await serve([assets()], { files })
    for (const path of ['/assets/js/app.js', '/assets/js/typed.js']) {
      const etag = (await app.get(path)).headers.get('etag')!
      expect((await app.get(path, { headers: { 'if-none-match': etag } })).status).toBe(304)
      const since = new Date(Date.now() + 5000).toUTCString()
      expect((await app.get(path, { headers: { 'if-modified-since': since } })).status).toBe(304)
    }
  })

  it('compiles once, and again when the source changes', async () => {
    let compiled = 0
    const controller = new AssetsController().registerCssCompiler('scss', () => String(++compiled))
    const root = temporaryFolder({
      'package.json': '{}',
      [`${webapp}/WEB-INF/assets/css/a.scss`]: 'a',
    })
    const app = await new FwServer({ root, configuration: Configuration.from({}) })
      .mount(controller)
      .start()
    const client = new TestClient(app.fetch)
    const get = async () => (await client.get('/assets/css/a.css')).body
    expect([await get(), await get()]).toEqual(['1', '1'])
    const source = join(root, `${webapp}/WEB-INF/assets/css/a.scss`)
    writeFileSync(source, 'b')
    utimesSync(source, 1, 1)
    expect(await get()).toBe('2')
    await app.close()
  })

  for (const [env, status] of [
    ['production', 404],
    ['staging', 404],
    ['development', 200],
  ] as const) {
    it(`in ${env} responds with ${status}, and with 200 when overridden`, async () => {
      class Always extends AssetsController {
        override get isDisabledInProduction() {
          return false
        }
        override get isDisabledInStaging() {
          return false
        }
      }
      const statuses = []
      for (const controller of [new AssetsController(), new Always()]) {
        const app = await new FwServer({
          root: temporaryFolder({ 'package.json': '{}', ...files }),
          configuration: Configuration.from(
            {
              secretKeyBase: ['DZb2p0xw3RkT9uVnQmYc7sLhEa1JgXo5'],
              server: { hosts: ['localhost'] },
            },
            new FwEnv(env),
          ),
        })
          .mount(controller)
          .start()
        statuses.push((await new TestClient(app.fetch).get('/assets/js/app.js')).status)
        await app.close()
      }
      expect(statuses).toEqual([status, 200])
    })
  }
})

describe('the entries of a bundler', () => {
  class Pages extends FwController {
    path() {
      return (this.ctx.viewHelper as Fw).assetPath(this.params.get('name')!)
    }
    tags() {
      return String((this.ctx.viewHelper as Fw).assetTags(this.params.get('name')!))
    }
  }
  const pages = routes(Pages, (r) => ({
    path: r.get('/path', 'path'),
    tags: r.get('/tags', 'tags'),
  }))
  const manifest = {
    'src/app.ts': {
      file: 'app-1a2b3c4d.js',
      css: ['app-5e6f7a8b.css'],
      imports: ['_shared.js'],
    },
    '_shared.js': {
      file: 'shared-9c8d7e6f.js',
      css: ['shared.css'],
      imports: ['src/app.ts'],
    },
    'src/app.css': { file: 'style "1".css' },
  }
  const get = async (path: string, name: string, built: unknown = manifest) => {
    const app = await serve([pages], {
      files:
        built === undefined
          ? {}
          : { [`${webapp}/assets/.vite/manifest.json`]: JSON.stringify(built) },
      configuration: { contextPath: '/shop' },
    })
    return (await app.get(`/shop${path}`, { query: { name } })).body
  }

  it('are resolved by the manifest, below the context path', async () => {
    expect(await get('/path', 'src/app.ts')).toBe('/shop/assets/app-1a2b3c4d.js')
    expect(await get('/path', 'logo.svg')).toBe('/shop/assets/logo.svg')
  })

  it('get tags for scripts, styles and imports', async () => {
    expect(await get('/tags', 'src/app.ts')).toBe(
      '<link rel="stylesheet" href="/shop/assets/shared.css">' +
        '<link rel="stylesheet" href="/shop/assets/app-5e6f7a8b.css">' +
        '<link rel="modulepreload" href="/shop/assets/shared-9c8d7e6f.js">' +
        '<script type="module" src="/shop/assets/app-1a2b3c4d.js"></script>',
    )
    expect(await get('/tags', 'src/app.css')).toBe(
      '<link rel="stylesheet" href="/shop/assets/style%20%221%22.css">',
    )
  })

  it('work without a manifest', async () => {
    expect(await get('/path', 'css/application.css', undefined)).toBe(
      '/shop/assets/css/application.css',
    )
  })

  it('come from the development server of the bundler, which the policy permits', async () => {
    const root = temporaryFolder({ [`${webapp}/assets/logo.svg`]: '<svg/>' })
    class ServePages extends FwLifeCycle {
      override initFwApp(ctx: ServletContext): void {
        pages.mount(ctx)
      }
    }
    const application = await startApplication(new ServePages(), {
      root,
      configuration: Configuration.from({}),
      assetServer: 'http://127.0.0.1:5173',
    })
    onTestFinished(() => application.close())
    const client = new TestClient(new App(application).fetch)
    const get = (path: string, name: string) => client.get(path, { query: { name } })
    expect((await get('/path', 'logo.svg')).body).toBe('/assets/logo.svg')
    expect((await get('/path', 'src/app.ts')).body).toBe('http://127.0.0.1:5173/src/app.ts')
    const { body, headers } = await get('/tags', 'src/app.ts')
    const policy = headers.get('content-security-policy') ?? ''
    const [, nonce = ''] = /nonce="([^"]+)"/.exec(body) ?? []
    expect(body).toBe(
      `<meta property="csp-nonce" nonce="${nonce}">` +
        '<script type="module" src="http://127.0.0.1:5173/@vite/client"></script>' +
        '<script type="module" src="http://127.0.0.1:5173/src/app.ts"></script>',
    )
    expect(policy).toContain(`script-src 'self' http://127.0.0.1:5173 'nonce-${nonce}'`)
    expect(policy).toContain("connect-src 'self' http://127.0.0.1:5173 ws://127.0.0.1:5173")
  })

  it('stop the start when the manifest is invalid', async () => {
    await expect(get('/path', 'x', { a: 1 })).rejects.toMatchObject({
      code: 'app.manifest-invalid',
    })
  })
})
