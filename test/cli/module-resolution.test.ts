/** While an application's modules load, each folder resolves a specifier once. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/serve.ts'

const loader = resolve(import.meta.dirname, '../../src/tools/cli/load-application.ts')
const modules = {
  'package.json': '{ "type": "module", "imports": { "#label": "./src/main/label.ts" } }',
  'src/main/label.ts': "export const label = 'main'",
  'src/main/old/label.ts': "export const label = 'old'",
  'src/main/old/package.json': '{ "type": "module", "imports": { "#label": "./label.ts" } }',
  'src/main/one.ts': "export * as near from './label.ts'\nexport * as mapped from '#label'",
  'src/main/two.ts': "export * as near from './label.ts'\nexport * as mapped from '#label'",
  'src/main/old/one.ts': "export * as near from './label.ts'\nexport * as mapped from '#label'",
  'src/main/bootstrap.ts': `
import * as one from './one.ts'
import * as two from './two.ts'
import * as old from './old/one.ts'
export const names = [one, two, old].map(({ near, mapped }) => [near.label, mapped.label])
export const missing = []
for (const attempt of [1, 2])
  await import('./missing.ts').catch(({ code }) => missing.push(attempt, code))`,
  // Node calls the hooks that were registered last first, so this one counts only what the loader of the application asks for.
  'load.mjs': `
import { registerHooks } from 'node:module'
const asked = {}
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.endsWith('#label') || specifier.endsWith('/label.ts')) asked[specifier] = (asked[specifier] ?? 0) + 1
    return next(specifier, context)
  },
})
const { importBootstrap } = await import(${JSON.stringify(loader)})
const { names, missing } = await importBootstrap(import.meta.dirname)
const during = { ...asked }
await import('./src/main/label.ts')
console.log(JSON.stringify({ names, missing, during, after: asked }))`,
}

test('each folder resolves a specifier once, as its own, and only while the modules load', () => {
  const root = temporaryFolder()
  for (const [name, text] of Object.entries(modules)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  const args = ['--conditions=fwjs-source', '--disable-warning=ExperimentalWarning']
  const output = execFileSync(process.execPath, [...args, join(root, 'load.mjs')])
  expect(JSON.parse(output.toString())).toEqual({
    names: [
      ['main', 'main'],
      ['main', 'main'],
      ['old', 'old'],
    ],
    missing: [1, 'ERR_MODULE_NOT_FOUND', 2, 'ERR_MODULE_NOT_FOUND'],
    during: { './label.ts': 2, '#label': 2 },
    after: { './label.ts': 2, '#label': 2, './src/main/label.ts': 1 },
  })
})
