/** Commands that take seconds show their progress on a terminal. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { seedDatabase } from '../../src/tools/cli/database-commands.ts'
import { writeOpenApi } from '../../src/tools/cli/write-openapi.ts'

const source = JSON.stringify(resolve(import.meta.dirname, '../../src/index.ts'))
let shown: string
let out: string
let root: string

beforeEach(() => {
  ;[shown, out] = ['', '']
  root = mkdtempSync(join(tmpdir(), 'fw-long-work-'))
  const drawn = Promise.withResolvers<void>()
  // The work below waits until its progress has been drawn.
  vi.stubGlobal('drawn', drawn.promise)
  vi.stubEnv('DATABASE_URL', '')
  vi.stubEnv('CI', undefined)
  vi.stubEnv('TERM', 'xterm')
  const { isTTY } = process.stderr
  process.stderr.isTTY = true
  onTestFinished(() => void (process.stderr.isTTY = isTTY))
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => (out += String(text)) !== '')
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    shown += String(text)
    drawn.resolve()
    return true
  })
  write('package.json', '{ "type": "module" }')
  write('src/main/resources/application.yml', 'db: { default: { folder: memory } }\n')
  write(
    'src/main/bootstrap.ts',
    `import { FwLifeCycle } from ${source}
export class Bootstrap extends FwLifeCycle {
  async initFwApp() { await globalThis.drawn }
}\n`,
  )
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  rmSync(root, { recursive: true, force: true })
})

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

test('database commands show progress', async () => {
  write('db/seed.ts', 'export const seed = () => globalThis.drawn\n')
  await seedDatabase({ app: root })
  expect(shown).toMatch(/ seeding \d+ s.*\r\u001b\[K$/s)
  expect(out).toBe('ran db/seed.ts\n')
})

test('openapi shows progress', async () => {
  await writeOpenApi({ app: root })
  expect(shown).toMatch(/ describing the routes \d+ s.*\r\u001b\[K$/s)
  expect(JSON.parse(out)).toMatchObject({ openapi: expect.any(String) as string })
})
