/** Applications over unusual schemas: they are generated and checked, their tests pass, and their baseline loses nothing. */
import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const script = join(import.meta.dirname, '../../scripts/try-schema.ts')

test.each(
  globSync(join(import.meta.dirname, 'schemas/*.sql'))
    .toSorted()
    .map((file) => [basename(file), file]),
)(
  '%s',
  (name, file) => {
    // reverse.test.ts runs all tests of the festival.
    const tests = name === 'festival.sql' ? '3' : '30'
    const args = ['--conditions=fwjs-source', script, file, '--tests', tests]
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(stdout).toMatch(
      /^reverse: \d+ files .*\ncheck: no mistakes\ntest: \d+ resources pass\nbaseline: \d+ equal rows of catalogs\n$/,
    )
  },
  480_000,
)
