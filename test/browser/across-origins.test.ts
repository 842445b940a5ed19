/** A page of another origin uses an API with a bearer token in a real browser: a listed origin, every origin, a refused one. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type App,
  createApp,
  FwLifeCycle,
  type Mountable,
  type ServletContext,
} from '../../src/runtime/app.ts'
import { silentLogger } from '../../src/runtime/base.ts'
import { Configuration } from '../../src/runtime/config.ts'
import { FwApiController, mix, routes } from '../../src/runtime/controller.ts'
import {
  authenticateBearer,
  cors,
  JsonParamsFeature,
  requireScopes,
  type CorsOptions,
} from '../../src/runtime/feature.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { startChromium } from '../../src/tools/testing/chromium.ts'
// Registers the template compiler.
import '../../src/view.ts'

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')
const writing = 'a-token-of-a-test-that-may-write'
const reading = 'a-token-of-a-test-that-may-read-only'
const scopes = new Map([
  [hashOf(writing), 'tasks:read tasks:write'],
  [hashOf(reading), 'tasks:read'],
])
const created: string[] = []

/** An API below `path` that needs the token for every request. */
function tasksApi(path: `/${string}`, options: CorsOptions): Mountable {
  class Tasks extends mix(
    FwApiController,
    cors({ ...options, exposedHeaders: ['X-Count', 'WWW-Authenticate'] }),
    authenticateBearer({
      find: (hash) => (scopes.has(hash) ? { scope: scopes.get(hash) } : undefined),
    }),
    requireScopes(['tasks:write'], { only: ['create'] }),
    JsonParamsFeature,
  ) {
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
      tasksApi('/api/listed', { origins: [listed] }).mount(ctx)
      tasksApi('/api/open', { origins: '*' }).mount(ctx)
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
  readonly challenge: string | null
  readonly count: string | null
  readonly body: unknown
}

/** Sends a request by `fetch` in a page of the origin; the text of the error if the browser refuses it. */
async function send(
  origin: string,
  url: string,
  { method = 'PUT', token = writing, text = 'Read' } = {},
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
            headers: {
              Authorization: `Bearer ${request.token}`,
              'Content-Type': 'application/json',
            },
            ...(request.method === 'GET' ? {} : { body: JSON.stringify({ text: request.text }) }),
          })
          const [count, challenge] = ['x-count', 'www-authenticate'].map((name) =>
            response.headers.get(name),
          ) as [string | null, string | null]
          const body = (await response.json()) as unknown
          return { status: response.status, count, challenge, body }
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
    expect(answer).toMatchObject({
      status: 200,
      count: `${before + 1}`,
      body: { text: `at ${path}` },
    })
    const list = await send(origin(), `${api}${path}`, { method: 'GET' })
    expect(list).toMatchObject({ status: 200, body: created })
  })

  test('reads the errors of the API, 401, 403, 400, 404 and 405', async () => {
    for (const path of ['/api/listed', '/api/open']) {
      const wrong = await send(listed, `${api}${path}/1`, { token: 'wrong' })
      expect(wrong).toMatchObject({
        status: 401,
        challenge: expect.stringContaining('error="invalid_token"'),
        body: { status: 401, code: 'feature.token-invalid' },
      })
      const limited = await send(listed, `${api}${path}/1`, { token: reading })
      expect(limited).toMatchObject({
        status: 403,
        challenge: expect.stringContaining('scope="tasks:write"'),
        body: { code: 'feature.scope-missing', missing: ['tasks:write'] },
      })
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
