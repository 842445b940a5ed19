/** More than fifty XSS payloads in every context of a template: none of them runs in Chromium. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createViewEngine, renderView } from '../../src/runtime/view.ts'
import { generateViews } from '../../src/templates/compile.ts'
import { startChromium } from '../../src/tools/testing/chromium.ts'
import { testProject, type TestProject } from '../view/project.ts'

/** The call of every payload. */
const call = 'top.ran()'

const payloads: readonly string[] = [
  `<script>${call}</script>`,
  `"><script>${call}</script>`,
  `'><script>${call}</script>`,
  `</script><script>${call}</script>`,
  `</SCRIPT\n><script>${call}//`,
  `</style><script>${call}</script>`,
  `</title><script>${call}</script>`,
  `</textarea><script>${call}</script>`,
  `--><script>${call}</script>`,
  `--!><script>${call}</script>`,
  `]]><script>${call}</script>`,
  `<img src=x onerror="${call}">`,
  `"><img src=x onerror="${call}">`,
  `<svg onload="${call}">`,
  `<svg><script>${call}</script></svg>`,
  `<svg><animate onbegin="${call}" attributeName=x dur=1s>`,
  `<body onload="${call}">`,
  `<details open ontoggle="${call}">x`,
  `<input autofocus onfocus="${call}">`,
  `<video><source onerror="${call}">`,
  `<iframe srcdoc="<script>${call}</script>"></iframe>`,
  `<iframe src="javascript:${call}"></iframe>`,
  `<object data="javascript:${call}"></object>`,
  `<math><mtext></mtext><style><img src=x onerror="${call}"></style></math>`,
  `<noscript><p title="</noscript><img src=x onerror=${call}>">`,
  `<template><script>${call}</script></template><img src=x onerror="${call}">`,
  `" onmouseover="${call}" autofocus onfocus="${call}`,
  `' onmouseover='${call}' autofocus onfocus='${call}`,
  `x onfocus=${call} autofocus tabindex=1`,
  `\` onfocus=${call} autofocus`,
  `x\fonfocus=${call}\fautofocus`,
  `/onfocus=${call}/autofocus`,
  `onfocus`,
  `srcdoc`,
  `javascript:${call}`,
  `JaVaScRiPt:${call}`,
  `java\tscript:${call}`,
  `\u0001javascript:${call}`,
  `java\nscript:${call}`,
  `&#106;avascript:${call}`,
  `javascript&colon;${call}`,
  `data:text/html,<script>${call}</script>`,
  `vbscript:${call}`,
  `//x:javascript:${call}`,
  `";${call};"`,
  `';${call};'`,
  `\\";${call};//`,
  `\\';${call};//`,
  `\${${call}}`,
  `*/${call}/*`,
  `\u2028${call}//`,
  `\n${call}\n//`,
  `</scr\0ipt><script>${call}</script>`,
  `<!--<script>${call}`,
  `x/;${call}//`,
  `[${call}]`,
  `expression(${call})`,
  `url(javascript:${call})`,
  `red;}</style><script>${call}</script>`,
  `x, javascript:${call} 1x`,
  `0;url=javascript:${call}`,
  `x'-(${call})-'`,
  `x"-(${call})-"`,
  `\ud800"><script>${call}</script>`,
  `+ADw-script+AD4-${call}+ADw-/script+AD4-`,
  `{{constructor.constructor('${call}')()}}`,
  `__proto__`,
  `&lt;script&gt;${call}&lt;/script&gt;`,
  `&quot;);${call};(&quot;`,
  `&apos;);${call};(&apos;`,
]

/** Every context that compiles; the test clicks and focuses elements that react to it. */
const contexts: readonly string[] = [
  '<p>${x}</p>',
  '<title>${x}</title>',
  '<textarea>${x}</textarea>',
  '<!-- ${x} -->',
  '<p title="${x}">a</p>',
  "<p title='${x}'>a</p>",
  '<input value=a${x}>',
  '<input value=${x}>',
  '<input ${x}>',
  '<p data-${x}="1">a</p>',
  '<p class="a ${x} b">a</p>',
  '<a href="${x}">a</a>',
  '<a href=${x}>a</a>',
  '<a href="/p/${x}/q">a</a>',
  '<a href="/p?q=${x}">a</a>',
  '<a href="/p#${x}">a</a>',
  '<form action="${x}"><button formaction="${x}">a</button></form>',
  '<iframe src="${x}"></iframe>',
  '<img src="${x}">',
  '<img srcset="${x}">',
  '<img srcset="/a.png 1x, ${x} 2x">',
  '<object data="${x}"></object>',
  '<embed src="${x}">',
  '<svg><a href="${x}"><text y="9">a</text></a></svg>',
  '<iframe srcdoc="${x}"></iframe>',
  '<meta http-equiv="refresh" content="100; url=${x}">',
  '<button onclick="hold(${x})">a</button>',
  `<button onclick="hold('\${x}')">a</button>`,
  '<button onclick=\'hold("${x}")\'>a</button>',
  '<button onclick=hold(${x})>a</button>',
  '<script>hold(${x})</script>',
  `<script>hold('\${x}')</script>`,
  '<script>hold("a${x}b")</script>',
  '<script>hold(/a${x}b/)</script>',
  '<script>hold({ a: ${{ x }} })</script>',
  '<script type="application/json" class="json">{"a": ${x}, "b": "${x}"}</script>',
  '<style>p { color: ${x} }</style>',
  '<style>p::before { content: "${x}" }</style>',
  '<p style="color: ${x}">a</p>',
  `<p style="background: url('\${x}')">a</p>`,
]

/** Several contexts share a page: a payload that escapes from one runs there or in another. */
const perPage = 8
const contextPages: readonly string[] = Array.from(
  { length: Math.ceil(contexts.length / perPage) },
  (_, at) => contexts.slice(at * perPage, (at + 1) * perPage).join('\n'),
)

const frame = (body: string): string =>
  `<!doctype html><html><head><meta charset="utf-8"><base href="/base/"><script>hold = () => {}; ran = () => parent.ran()</script></head><body>${body}</body></html>`

/** Loads a page for each payload in its own frame, then clicks, focuses and hovers every element. */
const harness = (frames: readonly string[]): string => `<!doctype html><meta charset="utf-8">
<script>count = 0; ran = () => { count++ }</script>${frames.map((src) => `<iframe src="${src}"></iframe>`).join('')}
<script>
provoke = () => {
  for (const frame of document.querySelectorAll('iframe')) {
    const page = frame.contentDocument
    if (page === null) continue
    for (const element of page.querySelectorAll('*')) {
      for (const type of ['mouseover', 'focus', 'toggle', 'error', 'load'])
        if (element.localName !== 'script') element.dispatchEvent(new Event(type))
      element.focus?.()
      if (element.localName === 'a') element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))
      else if (/^(button|input)$/.test(element.localName)) element.click()
    }
  }
}
</script>`

let browser: Browser
let server: Server
let project: TestProject
let origin: string
const pages = new Map<string, string>()

beforeAll(async () => {
  project = testProject()
  const all = [...contextPages, '${unescape(x)}']
  all.forEach((context, at) =>
    project.template(`views/c${at}.html.ssp`, `<%@val x: string %>\n${frame(context)}`),
  )
  const [error] = generateViews(project).errors
  if (error !== undefined) throw error
  const engine = createViewEngine({ ...project, mode: 'production' })
  await engine.load()
  for (const at of all.keys()) {
    const frames = payloads.map((_, of) => `/${at}/${of}`)
    pages.set(`/${at}`, harness(frames))
    for (const [of, x] of payloads.entries()) {
      const request = { view: `/c${at}`, values: { x }, helper: { cspNonce: '' } }
      pages.set(frames[of]!, await renderView(engine, request))
    }
  }
  server = createServer((request, response) => {
    const page = pages.get(request.url!)
    response.writeHead(page === undefined ? 404 : 200, {
      'Content-Type': 'text/html;charset=utf-8',
    })
    response.end(page)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  browser = await startChromium()
}, 120_000)

afterAll(async () => {
  await browser?.close()
  server?.closeAllConnections()
  server?.close()
  project?.remove()
})

/** Counts the payloads that ran with the contexts of a page. */
async function countRuns(at: number): Promise<number> {
  const page = await browser.newPage()
  try {
    await page.goto(`${origin}/${at}`, { waitUntil: 'load' })
    await page.evaluate('provoke()')
    // A script URL runs in a separate task.
    await page.evaluate('new Promise((done) => setTimeout(() => setTimeout(done)))')
    return await page.evaluate<number>('count')
  } finally {
    await page.close()
  }
}

test('unescaped payloads run: the harness detects them', async () => {
  expect(payloads.length).toBeGreaterThanOrEqual(50)
  expect(await countRuns(contextPages.length)).toBeGreaterThan(15)
})

test.each([...contextPages.keys()])('no payload runs in the contexts of page %i', async (at) => {
  expect(await countRuns(at)).toBe(0)
})
