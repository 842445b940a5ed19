/**
 * `fw run` generates `.fw` beside the application, checks types and templates after a save, and shows mistakes in the terminal
 * and above the pages.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { emptyFolder, fw, linkSources, newFolder, removeFolder } from '../generate/folder.ts'
import { runApplication } from '../support/running-application.ts'

/** The check has a low priority: beside other tests it takes long. */
const slow = 300_000
const wait = { timeout: 120_000, interval: 100 }

/** The events that a page gets, until the test ends. */
async function openPage(url: string): Promise<() => string> {
  const page = await (await fetch(url)).text()
  const since = /reload\.js\?since=([\w-]+)/.exec(page)![1]!
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  const stream = await fetch(`${url}/_fw/reload?since=${since}`, { signal: controller.signal })
  let events = ''
  const read = async (): Promise<void> => {
    for await (const chunk of stream.body!) events += Buffer.from(chunk).toString()
  }
  void read().catch(() => {})
  return () => events
}

test(
  'pages are served while the modules of templates are generated',
  async () => {
    const root = newFolder()
    onTestFinished(() => removeFolder(root))
    linkSources(root)
    const views = join(root, 'src/main/webapp/WEB-INF/views')
    // Reading a pipe without a writer never ends.
    execFileSync('mkfifo', [join(views, 'zzz.html.ssp')])
    const { url } = await runApplication(root)
    const generated = join(root, '.fw/views/root/index.html.ssp.ts')
    await expect.poll(() => existsSync(generated), wait).toBe(true)
    expect((await fetch(url)).status).toBe(200)
  },
  slow,
)

test(
  'a mistake in code or a template is printed with its line and shown until it is mended',
  async () => {
    const folder = emptyFolder()
    onTestFinished(() => removeFolder(folder))
    await fw(folder, 'new', 'shop', '--fwjs', '0.1.0')
    const root = join(folder, 'shop')
    linkSources(root)
    const { url, output } = await runApplication(root)
    const view = join(root, 'src/main/webapp/WEB-INF/views/root/index.html.ssp')
    const text = readFileSync(view, 'utf8')
    writeFileSync(view, `${text}<p>\${nowhere}</p>\n`)
    await expect.poll(output, wait).toMatch(/WARN +1 mistake in code or templates/)
    // The lines of the mistake are on another stream than the log, so they may be read later.
    await expect
      .poll(output, wait)
      .toMatch(
        /WEB-INF\/views\/root\/index\.html\.ssp:\d+:6 Cannot find name 'nowhere'\.[^]*<p>\$\{nowhere\}<\/p>\n[ |\d]*\^/,
      )
    writeFileSync(view, text)
    await expect.poll(output, wait).toMatch(/the mistakes are mended/)
    const events = await openPage(url)
    const test = join(root, 'src/test/mistake.ts')
    writeFileSync(test, 'export const count: number = "one"\n')
    await expect.poll(events, wait).toContain('"file":"src/test/mistake.ts","line":1,"column":14')
    writeFileSync(test, 'export const count: number = 1\n')
    await expect.poll(events, wait).toMatch(/data: \[\]\n\n$/)
  },
  slow,
)

test(
  '--no-check checks nothing',
  async () => {
    const folder = emptyFolder()
    onTestFinished(() => removeFolder(folder))
    await fw(folder, 'new', 'shop', '--fwjs', '0.1.0')
    const root = join(folder, 'shop')
    linkSources(root)
    const { output } = await runApplication(root, '--no-check')
    const bootstrap = join(root, 'src/main/bootstrap.ts')
    writeFileSync(
      bootstrap,
      `${readFileSync(bootstrap, 'utf8')}export const count: number = 'one'\n`,
    )
    await expect.poll(output, wait).toMatch(/restarted: src\/main\/bootstrap\.ts changed/)
    const changed = output()
    expect(changed).not.toContain('mistake')
  },
  slow,
)
