/** `fw build` fills the compile cache: a first start compiles nothing. */
import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/serve.ts'

const repository = resolve(import.meta.dirname, '../..')
const bootstrap = `
import { FwLifeCycle } from 'fwjs'
setInterval(() => {}, 1000)
export class Bootstrap extends FwLifeCycle {
  override initFwApp(): void {}
}
`

test('after fw build, a start takes the code of the application from the cache', () => {
  const root = temporaryFolder({
    'package.json': '{"type":"module"}',
    'tsconfig.json': '{"files":["src/main/bootstrap.ts"]}',
    'src/main/bootstrap.ts': bootstrap,
    'src/main/resources/messages.yml': 'hello: Hello\n',
  })
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
  const run = (...args: string[]) =>
    spawnSync(process.execPath, ['--conditions=fwjs-source', ...args], {
      cwd: root,
      encoding: 'utf8',
      env: {
        ...process.env,
        NODE_COMPILE_CACHE: join(root, 'cache'),
        NODE_DEBUG_NATIVE: 'COMPILE_CACHE',
      },
    })
  const readBootstrap = /reading cache from \S+ for ESM \S+bootstrap\.ts.*\.\.\. (\w+)/
  const load = `await import('./src/main/bootstrap.ts'); process.exit()`
  const resultOfLoad = () => readBootstrap.exec(run('--eval', load).stderr)?.[1]
  run(join(repository, 'src/tools/cli/main.ts'), 'build')
  expect(resultOfLoad()).toBe('success')
})
