/** LiveReload: adds its script to pages, and sends an event for each change. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import {
  HttpResponse,
  openBodyReader,
  type HttpRequest,
  type StreamedBody,
} from '../../runtime/http.ts'
import { fetchHandler } from '../../runtime/server.ts'
import { LiveReload } from './live-reload.ts'

function site(
  body: HttpResponse['body'] = '<body><h1>Hi</h1></body>',
  type = 'text/html; charset=utf-8',
) {
  const root = mkdtempSync(join(tmpdir(), 'fw-reload-'))
  const views = join(root, 'src/main/webapp/WEB-INF/views')
  mkdirSync(views, { recursive: true })
  const reload = new LiveReload([views])
  onTestFinished(() => {
    reload.close()
    rmSync(root, { recursive: true, force: true })
  })
  const handle = reload.wrap(() => {
    const response = new HttpResponse(200, body)
    response.headers.set('Content-Type', type)
    response.headers.set('ETag', '"x"')
    return response
  })
  const fetch = fetchHandler(handle)
  const get = (path: string, headers = {}) =>
    fetch(new Request(`http://localhost${path}`, { headers }))
  return { reload, views, get }
}

test('a page loads the script, and loses the ETag of the original', async () => {
  const page = await site().get('/')
  expect(await page.text()).toMatch(
    /^<body><h1>Hi<\/h1><script src="\/_fw\/reload\.js\?since=[\da-f]+-0" defer><\/script><\/body>$/,
  )
  expect(page.headers.get('etag')).toBeNull()
})

test('a page without a body element gets the script at its end', async () => {
  expect(await (await site('<p>x').get('/')).text()).toMatch(/^<p>x<script [^>]+><\/script>$/)
})

test.each([
  ['{"a":1}', 'application/json'],
  ['', 'text/html'],
])('%j of type %s stays as it is', async (body, type) => {
  expect(await (await site(body, type).get('/')).text()).toBe(body)
})

test.each([
  ['<li>x</li>', 'empty', false],
  ['<li>x</li>', 'document', true],
  ['<li>x</li>', 'iframe', true],
  ['\n<!DOCTYPE html><li>x</li>', 'empty', true],
  ['<body><li>x</li></body>', 'empty', true],
])('%j, asked for as %s: whether it has the script is %s', async (body, destination, has) => {
  const page = await site(body).get('/', { 'sec-fetch-dest': destination })
  expect((await page.text()).includes('<script')).toBe(has)
  expect(page.headers.get('etag')).toBe(has ? null : '"x"')
})

test('a page with several copies of the script opens one stream', async () => {
  const code = await (await site().get('/_fw/reload.js')).text()
  const opened: string[] = []
  class EventSource {
    constructor(url: string) {
      opened.push(url)
    }
  }
  const document = { currentScript: { src: 'http://localhost/_fw/reload.js?since=a-1' } }
  const page = createContext({ document, URL, EventSource, window: {} })
  for (const _time of [1, 2]) runInContext(code, page)
  expect(opened).toEqual(['/_fw/reload?since=a-1'])
})

test('the script reloads on an event of the stream', async () => {
  const answer = await site().get('/_fw/reload.js')
  expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(await answer.text()).toContain('new EventSource(`/_fw/reload?since=')
})

const since = async (get: (path: string) => Promise<Response>): Promise<string> =>
  /since=([\da-f-]+)/.exec(await (await get('/')).text())![1]!

async function listen(get: (path: string) => Promise<Response>, state: string) {
  const answer = await get(`/_fw/reload?since=${state}`)
  const stream = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  expect((await stream.read()).value).toBe('retry: 200\n: open\n\n')
  return stream
}

test('a change of a template is one event; close ends the stream', async () => {
  const { get, views, reload } = site()
  const stream = await listen(get, await since(get))
  const event = stream.read()
  writeFileSync(join(views, 'index.html.ssp'), '<h1>One</h1>')
  expect((await event).value).toBe('data: reload\n\n')
  const end = stream.read()
  reload.close()
  expect((await end).done).toBe(true)
})

test('a page that disconnects ends its wait', async () => {
  const handle = site().reload.wrap(() => new HttpResponse(200))
  const answer = await handle({ method: 'GET', target: '/_fw/reload?since=x' } as HttpRequest)
  const events = openBodyReader(answer.body as StreamedBody)
  for (const chunk of ['retry: 200\n: open\n\n', 'data: reload\n\n'])
    expect(String((await events.next()).value)).toBe(chunk)
  const waiting = events.next()
  events.close()
  expect((await waiting).done).toBe(true)
})

test('the stream of a page that does not read ends, and a new one has the newest mistakes', async () => {
  const { reload } = site()
  const handle = reload.wrap(() => new HttpResponse(200))
  const local = { method: 'GET', target: '/_fw/reload?since=x', remoteAddress: '127.0.0.1' }
  const request = { ...local, host: 'localhost', header: () => undefined } as unknown as HttpRequest
  const read = async () => {
    const events = openBodyReader((await handle(request)).body as StreamedBody)
    return async () => String((await events.next()).value)
  }
  const next = await read()
  const texts = [await next(), await next()]
  for (let at = 0; at < 40; at++)
    reload.show([{ file: `f${at}`, line: 1, column: 1, message: 'm' }] as never)
  while (texts.at(-1) !== 'undefined') texts.push(await next())
  // The two that were read, those that were unread, and the end.
  expect(texts).toHaveLength(2 + 16 + 1)
  const again = await read()
  expect([await again(), await again(), await again()][2]).toContain('f39')
})

test('a page rendered before a change, or by an earlier server, reloads at once', async () => {
  const { get, views } = site()
  const before = await since(get)
  const first = await listen(get, before)
  const event = first.read()
  writeFileSync(join(views, 'index.html.ssp'), '<h1>One</h1>')
  await event
  for (const state of [before, '0123456789ab-0']) {
    const late = await listen(get, state)
    expect((await late.read()).value).toBe('data: reload\n\n')
  }
})
