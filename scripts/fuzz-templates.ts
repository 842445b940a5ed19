/**
 * Fuzzes the template compiler with the given number of random templates: `node --conditions=fwjs-source
 * scripts/fuzz-templates.ts --seed 1 --templates 20000 --renders 150 [--pages 2000]`.
 */
import { parseArgs } from 'node:util'
import { startChromium } from '../src/tools/testing/chromium.ts'
import { fuzzTemplates } from '../test/fuzz/random-templates.ts'
import type { Render } from '../test/view/evaluate.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    templates: { type: 'string', default: '1000' },
    renders: { type: 'string', default: '150' },
    pages: { type: 'string', default: '0' },
  },
})
const limit = Number(values.pages)
const call = 'top.ran()'
const payloads = [
  `"><img src=x onerror=${call}>`,
  `'><img src=x onerror=${call}>`,
  `</script><script>${call}</script>`,
  `</title></textarea></style><script>${call}</script>`,
  `";${call};//`,
  `';${call};//`,
  `/;${call}//`,
  `\`;${call}//`,
  `\n;${call}//`,
  `*/${call}/*`,
  `--><svg onload=${call}>`,
  `javascript:${call}`,
  ` onfocus=${call} autofocus `,
  call,
]

/** Pages to load in Chromium: the first `limit` random templates, each rendered with one payload. */
const pages: string[] = []
function keepPage(_template: string, render: Render): void {
  if (pages.length >= limit) return
  const q = payloads[pages.length % payloads.length]!
  pages.push(render({ q, c: pages.length % 2 === 0, xs: [1, 2] }))
}

const begun = performance.now()
const result = fuzzTemplates(
  Number(values.seed),
  Number(values.templates),
  Number(values.renders),
  keepPage,
)
const { differences, ...counts } = result
console.log({
  seed: values.seed,
  ...counts,
  seconds: Math.round((performance.now() - begun) / 1000),
})
for (const difference of differences) console.log(difference)

/** Loads each page in Chromium. Returns the pages whose payload called `ran`, which escaping should prevent. */
async function runPages(): Promise<string[]> {
  const browser = await startChromium()
  try {
    const page = await browser.newPage()
    await page.addInitScript('window.ran = () => { window.count = (window.count ?? 0) + 1 }')
    const ran: string[] = []
    await page.goto('about:blank')
    for (const html of [...pages, `<script>${call}</script>`]) {
      await page.evaluate('window.count = 0')
      await page.setContent(html, { waitUntil: 'domcontentloaded' })
      await page.evaluate(
        "for (const one of document.querySelectorAll('*')) for (const type of ['click', 'mouseover', 'focus', 'error', 'load']) one.dispatchEvent(new Event(type))",
      )
      const count = await page.evaluate<number>(
        'new Promise((done) => setTimeout(() => done(window.count)))',
      )
      if (count > 0) ran.push(html)
    }
    if (ran.pop() !== `<script>${call}</script>`)
      throw new Error('the browser runs no script at all')
    return ran
  } finally {
    await browser.close()
  }
}

if (limit > 0) {
  const ran = await runPages()
  console.log({ pages: pages.length, ran: ran.length })
  for (const html of ran) console.log(html)
  if (ran.length > 0) process.exitCode = 1
}
if (differences.length > 0) process.exitCode = 1
