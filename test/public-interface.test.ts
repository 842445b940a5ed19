/** The public interface: every exported name is listed in docs/public-interface.md, and api/*.api.md records the types. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { publicEntryPoints } from '../scripts/entry-points.ts'
import { readSourceFiles } from './support/source-files.ts'

const files = readSourceFiles(process.cwd())

/** The names that an entry point exports; `export *` only from files that declare all of theirs. */
function exportedNames(path: string): string[] {
  const file = files.get(path)
  if (file === undefined) throw new Error(`${path} does not exist`)
  const reexported = file.reexports.flatMap(({ name, from }) =>
    name === '*' ? exportedNames(from) : [name],
  )
  return [...file.declared.map(({ name }) => name), ...reexported]
}

const exported = new Set(publicEntryPoints.flatMap((entry) => exportedNames(`src/${entry}.ts`)))

const page = readFileSync('docs/public-interface.md', 'utf8')
const firstColumn = [...page.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell]) => cell ?? '')
const listed = new Set(
  firstColumn.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? '')),
)

test('docs/public-interface.md lists exactly the exported names', () => {
  const missing = [...exported].filter((name) => !listed.has(name))
  const unknown = [...listed].filter((name) => !exported.has(name))
  expect({ missing, unknown }).toEqual({ missing: [], unknown: [] })
})

test('there are at most 290 public names', () => {
  expect(exported.size).toBeLessThanOrEqual(290)
})

test('the report of the public types is up to date', { timeout: 300_000 }, () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['scripts/api-report.ts', '--check'],
    { encoding: 'utf8' },
  )
  expect(stdout + stderr).toBe('')
  expect(status).toBe(0)
})
