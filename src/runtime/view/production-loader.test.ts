/** How an application in production loads its generated modules. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ProductionLoader } from './production-loader.ts'
import { projectPaths } from './project.ts'

const root = mkdtempSync(join(tmpdir(), 'fw-views-'))
afterAll(() => {
  rmSync(root, { recursive: true, force: true })
  Reflect.deleteProperty(globalThis, 'viewImports')
})

test('one after another, because many at once take several times the memory', async () => {
  const paths = projectPaths({ root })
  const views = join(paths.generated, 'views')
  mkdirSync(views, { recursive: true })
  const counting = `
    const counts = (globalThis.viewImports ??= { running: 0, most: 0 })
    counts.most = Math.max(counts.most, ++counts.running)
    await new Promise((next) => setImmediate(next))
    counts.running--
    export const version = ''`
  for (const name of ['a', 'b', 'c']) writeFileSync(join(views, `${name}.html.ssp.js`), counting)
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
  const loader = new ProductionLoader(paths)
  await loader.load()
  expect(loader.files()).toHaveLength(3)
  expect(globalThis).toMatchObject({ viewImports: { running: 0, most: 1 } })
})
