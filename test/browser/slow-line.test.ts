/**
 * The largest upload arrives over a slow line, though it takes longer than the handler may. By default the limits are a tenth of
 * the default settings; with FW_TEST_UPLOAD=full they are the default settings.
 */
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { generate, linkSources, newFolder } from '../generate/folder.ts'
import { startBrowserAndExample } from '../support/browser-and-example.ts'

const isFull = process.env['FW_TEST_UPLOAD'] === 'full'
/** The time limit of a handler in milliseconds. */
const handlerTimeout = isFull ? 30_000 : 3_000
/** The rate of the line in bytes per second, and its latency in milliseconds. */
const rate = 200_000
const latency = 300

const root = newFolder()
beforeAll(() => {
  linkSources(root)
  generate(root, 'scaffold notes note title:String photo:attachment scan:attachment')
  const limits = `
upload:
  maxFileSize: 819KiB
  maxRequestSize: 1MiB
server:
  handlerTimeout: ${handlerTimeout}ms
`
  if (!isFull) appendFileSync(join(root, 'src/main/resources/application.yml'), limits)
})
const served = startBrowserAndExample(root)

/** Writes a file of this size, in which no two blocks are equal. */
function writeFile(name: string, size: number) {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at + 4 <= size; at += 4) bytes.writeUInt32LE(at, at)
  const path = join(root, name)
  writeFileSync(path, bytes)
  return { path, bytes }
}

test('the largest upload is stored', async () => {
  const page = await served.browser.newPage({ baseURL: served.url })
  await page.goto('/notes/new')
  const [photo, scan] = [page.locator('#photo'), page.locator('#scan')]
  const limitOf = async (name: string) => Number(await photo.getAttribute(`data-max-${name}`))
  const [maxFile, maxForm] = [await limitOf('file'), await limitOf('form')]
  const files = [
    writeFile('photo.bin', maxFile),
    // The request has other parts, too.
    writeFile('scan.bin', maxForm - maxFile - 4096),
  ] as const
  await photo.setInputFiles(files[0].path)
  await scan.setInputFiles(files[1].path)
  await page.getByLabel('Title').fill('Large')

  const session = await page.context().newCDPSession(page)
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency,
    uploadThroughput: rate,
    downloadThroughput: rate,
  })
  const begun = performance.now()
  page.setDefaultTimeout(240_000)
  const response = page.waitForResponse((one) => one.request().method() === 'POST')
  await page.getByRole('button', { name: 'Save' }).click()
  expect((await response).status()).toBe(302)
  const took = performance.now() - begun
  await session.detach()

  await page.getByText('The note was created.').waitFor()
  const expected = (1000 * (maxForm - 4096)) / rate
  expect(took).toBeGreaterThan(expected)
  expect(expected).toBeGreaterThan(1.5 * handlerTimeout)
  for (const [at, name] of ['photo.bin', 'scan.bin'].entries()) {
    const link = await page.getByRole('link', { name }).getAttribute('href')
    const stored = await (await page.request.get(link!)).body()
    expect(stored.equals(files[at]!.bytes)).toBe(true)
  }
  if (isFull) console.log({ maxFile, maxForm, took })
  await page.context().close()
})
