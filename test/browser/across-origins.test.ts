/** A page of another origin uses an API with a bearer token in a real browser: a listed origin, every origin, a refused one. */
import { timingSafeEqual } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FwLifeCycle, type ServletContext } from '../../src/runtime/app.ts'
import { HttpError, silentLogger } from '../../src/runtime/base.ts'
import { Configuration } from '../../src/runtime/config.ts'
import { FwApiController, mix, routes } from '../../src/runtime/controller.ts'
import { cors, JsonParamsFeature, type CorsOptions } from '../../src/runtime/feature.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { createApp, type App, type Mountable } from '../../src/runtime/server.ts'
import { startChromium } from '../../src/tools/testing/chromium.ts'
// Registers the template compiler.
import '../../src/view.ts'

const secret = Buffer.from('Bearer a-token-of-a-test')
const created: string[] = []

/** An API below `path` that needs the token for every request. */
function tasksApi(path: `/${string}`, options: CorsOptions): Mountable {
  class Tasks extends mix(FwApiController, cors(options), JsonParamsFeature) {
    static {
      this.before((c) => {
        const given = Buffer.from(c.request.header('authorization') ?? '')
        if (given.length === secret.length && timingSafeEqual(given, secret)) return
        c.response.headers.set('WWW-Authenticate', 'Bearer')
        throw new HttpError(401, 'feature.forged-request', 'The token is not valid.')
      })
    }
    create() {
      const { text } = this.params.permit({ text: ParamType.String })
      created.push(`${path} ${text}`)
      this.response.headers.set('X-Count', created.length)
      return { text }
    }
    list() {
      return created
    }
  }
  return routes(Tasks, (r) => ({
    create: r.put(`${path}/:id`, 'create'),
    list: r.get(path, 'list'),
  }))
}

let root: string
let app: App
let pages: Server
let browser: Browser
let api: string
/** The page's origins: the listed one, and another one of the same server. */
let listed: string
let other: string

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'fw-origins-'))
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  pages = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end('<!doctype html><title>Page</title>')
  })
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve))
  const { port } = pages.address() as AddressInfo
  listed = `http://app.localhost:${port}`
  other = `http://other.localhost:${port}`
  class Boot extends FwLifeCycle {
    override initFwApp(ctx: ServletContext): void {
      tasksApi('/api/listed', { origins: [listed], exposedHeaders: ['X-Count'] }).mount(ctx)
      tasksApi('/api/open', { origins: '*', exposedHeaders: ['X-Count'] }).mount(ctx)
    }
  }
  app = await createApp(Boot, {
    root,
    logger: silentLogger,
    database: false,
    configuration: Configuration.from({ server: { hosts: ['api.localhost'] } }),
  })
  api = `http://api.localhost:${(await app.listen(0)).port}`
  browser = await startChromium()
})

afterAll(async () => {
  await browser?.close()
  await app?.close()
  pages?.close()
  rmSync(root, { recursive: true, force: true })
})

interface Answer {
  readonly status: number
  readonly count: string | null
  readonly body: unknown
}

/** Sends a request by `fetch` in a page of the origin; the text of the error if the browser refuses it. */
async function send(
  origin: string,
  url: string,
  { method = 'PUT', token = secret.toString(), text = 'Read' } = {},
): Promise<Answer | string> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await page.goto(origin)
    return await page.evaluate(
      async (request) => {
        try {
          const response = await fetch(request.url, {
            method: request.method,
            headers: { Authorization: request.token, 'Content-Type': 'application/json' },
            ...(request.method === 'GET' ? {} : { body: JSON.stringify({ text: request.text }) }),
          })
          const count = response.headers.get('x-count')
          return { status: response.status, count, body: (await response.json()) as unknown }
        } catch (error) {
          return String(error)
        }
      },
      { url, method, token, text },
    )
  } finally {
    await context.close()
  }
}

const refused = 'TypeError: Failed to fetch'

describe('a page of another origin', () => {
  test.each([
    ['/api/listed', () => listed],
    ['/api/open', () => listed],
    ['/api/open', () => other],
  ])('uses the API below %s with its token', async (path, origin) => {
    const before = created.length
    const answer = await send(origin(), `${api}${path}/1`, { text: `at ${path}` })
    expect(answer).toEqual({ status: 200, count: `${before + 1}`, body: { text: `at ${path}` } })
    const list = await send(origin(), `${api}${path}`, { method: 'GET' })
    expect(list).toMatchObject({ status: 200, body: created })
  })

  test('reads the errors of the API, 401, 400, 404 and 405', async () => {
    for (const path of ['/api/listed', '/api/open']) {
      const wrong = await send(listed, `${api}${path}/1`, { token: 'Bearer wrong' })
      expect(wrong).toMatchObject({ status: 401, body: { status: 401 } })
      const empty = await send(listed, `${api}${path}/1`, { text: null as never })
      expect(empty).toMatchObject({ status: 400, body: { code: 'params.invalid' } })
      const missing = await send(listed, `${api}${path}/1/2`, { method: 'GET' })
      expect(missing).toMatchObject({ status: 404, body: { status: 404 } })
      const other405 = await send(listed, `${api}${path}/1`, { method: 'GET' })
      expect(other405).toMatchObject({ status: 405, body: { status: 405 } })
    }
  })

  test('that is not listed is refused before the action, and cannot read anything', async () => {
    const before = [...created]
    expect(await send(other, `${api}/api/listed/1`, { text: 'stolen' })).toBe(refused)
    expect(await send(other, `${api}/api/listed`, { method: 'GET' })).toBe(refused)
    expect(created).toEqual(before)
  })
})
