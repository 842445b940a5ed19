/** docs/data.md and docs/transactions.md: the joined code blocks of each page compile as one module. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Configuration, readSettings } from '../src/runtime/config.ts'
import { databaseSettingsSchema } from '../src/runtime/db.ts'
import { parseKeyFile } from '../src/runtime/config/parse-key-file.ts'

const repository = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'fw-docs-data-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const blocks = (page: string, language: string) => {
  const text = readFileSync(join(repository, 'docs', page), 'utf8')
  const pattern = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm')
  return [...text.matchAll(pattern)].map((found) => found[1]!)
}

const pages = ['data.md', 'transactions.md']

test('their code compiles', { timeout: 600_000 }, () => {
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const files = pages.map((page) => page.replace('.md', '.ts'))
  for (const [at, page] of pages.entries()) {
    expect(blocks(page, 'ts').length).toBeGreaterThan(2)
    writeFileSync(join(folder, files[at]!), blocks(page, 'ts').join('\n'))
  }
  const tsconfig = {
    extends: join(repository, 'test/support/tsconfig.app.json'),
    files,
    include: [],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  const tsc = join(repository, 'node_modules/.bin/tsc')
  expect(spawnSync(tsc, ['-p', folder], { encoding: 'utf8' }).stdout).toBe('')
})

test('their settings exist', () => {
  const [settings] = blocks('data.md', 'yaml')
  const { problems } = parseKeyFile(settings!, 'application.yml')
  expect(problems).toEqual([])
  const own = { db: { default: { poolSize: 10, acquireTimeout: '5s', slowQuery: '500ms' } } }
  expect(
    readSettings(Configuration.from(own), databaseSettingsSchema).db.get('default'),
  ).toMatchObject({
    poolSize: 10,
    slowQuery: 500,
    logValues: false,
  })
})
