/** docs/accounts.md: its code compiles, and runs on the embedded database. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { attemptMigrationText } from '../src/runtime/accounts.ts'
import { sourceFlags } from './support/environment.ts'

const repository = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'fw-docs-accounts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const page = readFileSync(join(repository, 'docs', 'accounts.md'), 'utf8')
const code = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block]) => block!)

/** Uses each function and controller of the page, and prints the results. `fetch` is that of a service without breached passwords. */
const program = `
import { FwServer } from 'fwjs'
import { openDatabase, useDatabase } from 'fwjs/db'

globalThis.fetch = async () => new Response('')
const database = await openDatabase({ kind: 'pglite', folder: 'memory' })
useDatabase(database)
await database.query({ sql: ${JSON.stringify(attemptMigrationText().split(';')[0])}, parameters: [] })
const server = new FwServer({ root: import.meta.dirname, database }).mount(subscriptions).mount(login)
const app = await server.start()
const post = async (path: string, form: Record<string, string>) => {
  const headers = { 'sec-fetch-site': 'same-origin' }
  const request = new Request('http://localhost' + path, { method: 'POST', headers, body: new URLSearchParams(form) })
  const response = await app.fetch(request)
  return [response.status, response.headers.has('retry-after')]
}
const token = unsubscribeToken('ann@example.com')
console.log(JSON.stringify([await post('/unsubscribe', { token: 'x' }), subscribers.size]))
console.log(JSON.stringify([await post('/unsubscribe', { token }), subscribers.size]))
const download = downloadToken('7')
console.log((await findDownload(download))?.name)
files.set('7', { name: 'new.pdf', digest: 'beef' })
console.log(await findDownload(download))
await register('ann@example.com', 'correct horse battery staple')
const right = { email: 'Ann@example.com'.toLowerCase(), password: 'correct horse battery staple' }
console.log(JSON.stringify(await post('/login', right)))
const statuses = []
for (let at = 0; at < 5; at++) statuses.push((await post('/login', { ...right, password: 'wrong' }))[0])
console.log(statuses.join(' '), JSON.stringify(await post('/login', right)))
await app.close()
await database.close()
`

test('its code compiles, and does what it says', { timeout: 600_000 }, () => {
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'program.ts'), [...code, program].join('\n'))
  const base = join(repository, 'test/support/tsconfig.app.json')
  const tsconfig = { extends: base, files: ['program.ts'], include: [] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  const tsc = join(repository, 'node_modules/.bin/tsc')
  expect(spawnSync(tsc, ['-p', folder], { encoding: 'utf8' }).stdout).toBe('')
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...sourceFlags, join(folder, 'program.ts')],
    { cwd: folder, encoding: 'utf8', env: { PATH, NODE_COMPILE_CACHE, FW_ENV: 'test' } },
  )
  expect(stderr).toBe('')
  expect(
    stdout
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('{')),
  ).toEqual([
    '[[404,false],1]',
    '[[200,false],0]',
    'report.pdf',
    'undefined',
    '[200,false]',
    '401 401 401 401 401 [429,true]',
  ])
})
