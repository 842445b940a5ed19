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
  (_name, file) => {
    const args = ['--conditions=fwjs-source', script, file, '--tests', '30']
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect(stdout).toMatch(
      /^reverse: \d+ files .*\ncheck: no mistakes\ntest: \d+ resources pass\nbaseline: \d+ equal rows of catalogs\n$/,
    )
  },
  240_000,
)
