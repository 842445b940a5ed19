/**
 * The pictures of the tutorial and of the site's first page: made in the application of the tutorial, and compared with those of
 * docs/images. A picture is out of date if the page has other texts or another style sheet; `PICTURES=write` makes them again.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import {
  findGenerator,
  generateApplication,
  openProject,
  writeFiles,
} from '../../src/tools/generate.ts'
import { emptyFolder, linkSources } from '../generate/folder.ts'
import { startBrowserAndExample } from '../support/browser-and-example.ts'
import { ExampleProcess } from '../support/example.ts'
import { applyBlock, readBlocks, type PageBlock } from '../support/page-walk.ts'
import { firstScaffold } from '../../src/tools/docs/recording.ts'

const isWriting = process.env['PICTURES'] === 'write'
const folder = join(import.meta.dirname, '../../docs/images')
const list = join(folder, 'recording.json')
const viewport = { width: 720, height: 500 }
const names = ['items', 'overlap', 'availability', 'invoice', 'error']
/** The largest size of a picture in bytes. */
const maxSize = 60_000

const root = emptyFolder()
/** What the pictures show: the text of each page, and the output of each command. */
const seen: Record<string, string> = {}

const style = () =>
  createHash('sha256')
    .update(readFileSync(join(root, 'src/main/webapp/assets/css/application.css')))
    .digest('hex')
    .slice(0, 16)

/** Replaces what differs from run to run: folders, ids and numbers. */
const normalize = (text: string): string =>
  text
    .replaceAll(root, 'rental')
    .replaceAll(/(?<![\w-])(?=[\w-]*[A-Z\d_-])[\w-]{16}(?![\w-])/g, 'ID')
    .replaceAll(/-[a-z\d]+\.test\.ts/g, '-ID.test.ts')
    .replaceAll(/\d+/g, '0')
    .replaceAll(/[^\S\n]+$/gm, '')

/** Runs a command of the tutorial, and returns its output. */
async function run(...args: string[]): Promise<string> {
  const child = new ExampleProcess([...args, '--app', root])
  expect([await child.ended, child.output]).toEqual([{ code: 0, signal: null }, child.output])
  return child.output
}

/** Generates what a command of the tutorial generates, without its output. */
function generateAs(command: string): void {
  const [, type = '', rest = ''] = /^\.\/fw g (\w+) ([\s\S]*)$/.exec(command) ?? []
  const words = [...rest.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!)
  writeFiles(root, findGenerator(type).plan(openProject(root), words, {}).files)
}

const blocks = readBlocks('docs/tutorial.md')
const end = blocks.findIndex(({ text }) => text.startsWith('./fw g authentication'))
beforeAll(async () => {
  writeFiles(root, generateApplication({ name: 'rental', fwjs: '0.1.0' }))
  linkSources(root)
  seen['scaffold'] = await run('g', ...firstScaffold.split(' '))
  const commands = ({ text }: PageBlock) =>
    text.split(/^(?=\.\/fw )/m).map((command) => command.trim())
  for (const block of blocks.slice(2, end))
    if (block.language !== 'sh') applyBlock(root, block)
    else
      for (const command of commands(block))
        if (!command.endsWith(firstScaffold)) generateAs(command)
}, 60_000)
const served = startBrowserAndExample(root)

async function take(page: Page, name: string): Promise<void> {
  // The error page ends in data of the request, whose SQL is no matter of the picture.
  seen[name] = (await page.locator('body').innerText()).split('\nStack\n')[0]!
  if (!isWriting) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`) })
}

async function save(page: Page, path: string, fields: Readonly<Record<string, string>>) {
  await page.goto(`${path}/new`)
  for (const [label, value] of Object.entries(fields)) {
    const field = page.getByLabel(label, { exact: true })
    const isSelect = (await field.locator('xpath=self::select').count()) > 0
    await (isSelect ? field.selectOption({ label: value }) : field.fill(value))
  }
  await page.getByRole('button', { name: 'Save' }).click()
}

/** Visits the pages of the tutorial, and breaks one of them. */
async function record(page: Page): Promise<void> {
  for (const [name, price] of [
    ['Canoe', '28'],
    ['Kayak', '24.50'],
    ['Tandem', '32'],
  ] as const)
    await save(page, '/items', { Name: name, Price: price })
  await page.goto('/items')
  await take(page, 'items')
  await save(page, '/customers', { Name: 'Bob', Email: 'bob@example.com' })
  const booking = { Item: 'Canoe', Customer: 'Bob', Starts: '2030-05-01', Ends: '2030-05-03' }
  await save(page, '/bookings', booking)
  await save(page, '/bookings', { ...booking, Starts: '2030-05-03', Ends: '2030-05-09' })
  await page.getByText('overlaps another record').first().waitFor()
  await take(page, 'overlap')
  await page.goto('/availability?starts=2030-05-03&ends=2030-05-04')
  await take(page, 'availability')
  await page.goto('/bookings/1/invoice')
  await take(page, 'invoice')
  const file = join(root, 'src/main/controller/bookings-controller.ts')
  const action = 'if (booking === undefined) return this.haltWithBody(404)\n'
  const mistake = `${action}    const price = (booking as any).price.toFixed(2)\n`
  writeFileSync(file, readFileSync(file, 'utf8').replace(action, mistake))
  await expect
    .poll(async () => (await page.goto('/bookings/1/invoice'))?.status(), { timeout: 30_000 })
    .toBe(500)
  await take(page, 'error')
  seen['from-error'] = await run('test:from-error')
}

test(
  'the pictures of docs/images show the application of the tutorial',
  { timeout: 180_000 },
  async () => {
    const context = await served.browser.newContext({ baseURL: served.url, viewport })
    await record(await context.newPage())
    await context.close()
    seen['style'] = style()
    if (isWriting)
      writeFileSync(list, `${JSON.stringify(seen, undefined, 2).replaceAll(root, '../rental')}\n`)
    const shown = JSON.parse(readFileSync(list, 'utf8')) as Record<string, string>
    const comparable = (texts: Readonly<Record<string, string>>) =>
      Object.fromEntries(
        Object.entries(texts).map(([name, text]) => [
          name,
          normalize(text).replaceAll('../rental', 'rental'),
        ]),
      )
    // After a change of the pages: PICTURES=write npx vitest run --project browser test/browser/pictures.test.ts
    expect(comparable(seen)).toEqual(comparable(shown))
  },
)

test('the first command is that of the tutorial, and the pictures are small', () => {
  expect(blocks[2]!.text).toContain(`./fw g ${firstScaffold}\n`)
  const sizes = names.map((name) => statSync(join(folder, `${name}.png`)).size)
  expect(sizes.filter((size) => size > maxSize)).toEqual([])
})
