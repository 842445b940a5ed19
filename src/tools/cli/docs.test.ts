/** `fw docs` writes the site to a folder. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { temporaryFolder } from '../../../test/support/serve.ts'
import { buildSite } from '../docs.ts'
import { serveDocs } from './docs.ts'

afterEach(() => void vi.restoreAllMocks())

test('writes every file of the site', async () => {
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const output = join(temporaryFolder(), 'new/site')
  await serveDocs({ port: '8081', host: '127.0.0.1', output })
  const site = buildSite()
  const written = readdirSync(output).map(
    (name) => [name, readFileSync(join(output, name))] as const,
  )
  const contents = [...site].map(([name, content]) => [name, Buffer.from(content)] as const)
  expect(new Map(written)).toEqual(new Map(contents))
  expect(printed).toHaveBeenCalledWith(`${site.size} files in ${output}\n`)
})
