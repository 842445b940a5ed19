/** `fw start` loads the runtime only: no template compiler, no tools, no packages that a request may never need. */
import { spawn } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test, vi } from 'vitest'
import { generateSources } from '../../src/templates/compile.ts'
import { temporaryFolder } from '../support/serve.ts'

const repository = resolve(import.meta.dirname, '../..')
const bootstrap = `
import { FwController, FwLifeCycle, routes } from 'fwjs'
class PagesController extends FwController {
  index() {
    return this.render('/index')
  }
}
const pages = routes(PagesController, (r) => ({ index: r.get('/', 'index') }))
export class Bootstrap extends FwLifeCycle {
  initFwApp(ctx) {
    pages.mount(ctx)
  }
}
`
/** Writes the URL of every loaded module to the file in \`LOADED\`. */
const recorder = `
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED, url + '\\n')
    return next(url, context)
  },
})
`

/** Starts the application in production, and resolves to the paths of its modules, relative to the repository. */
async function loadedModules(root: string): Promise<string[]> {
  const file = join(root, 'loaded.txt')
  const args = ['--conditions=fwjs-source', '--import', join(root, 'recorder.mjs')]
  const child = spawn(
    process.execPath,
    [...args, join(repository, 'src/tools/cli/main.ts'), 'start', '--port', '0'],
    {
      cwd: root,
      env: { ...process.env, FW_ENV: 'production', LOADED: file, DATABASE_URL: undefined },
    },
  )
  onTestFinished(() => void child.kill())
  let output = ''
  await new Promise<void>((listening, reject) => {
    child.once('exit', () => reject(new Error(output)))
    child.stderr.on('data', (text) => (output += String(text)))
    child.stdout.on('data', (text) => {
      output += String(text)
      if (output.includes('listening on')) listening()
    })
  })
  const urls = readFileSync(file, 'utf8').trim().split('\n')
  return urls
    .filter((url) => url.startsWith('file:'))
    .map((url) => fileURLToPath(url))
    .filter((path) => path.startsWith(repository))
    .map((path) => path.slice(repository.length + 1))
}

test('fw start loads no template compiler, no tools but its own, and no package that a start does not need', async () => {
  const root = temporaryFolder({
    'package.json': '{"type":"module"}',
    'recorder.mjs': recorder,
    'src/main/bootstrap.ts': bootstrap,
    'src/main/resources/application.yml': `secretKeyBase: ${'0123456789abcdef'.repeat(3)}\nserver: { hosts: localhost }\n`,
    'src/main/resources/messages.yml': 'hello: Hello\n',
    'src/main/webapp/WEB-INF/views/index.html.ssp': '<h1>${s.i18n.get("hello")}</h1>\n',
  })
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
  // As `fw build` does in this folder, without checking types.
  vi.spyOn(process, 'cwd').mockReturnValue(root)
  onTestFinished(() => void vi.restoreAllMocks())
  generateSources(root)
  const modules = await loadedModules(root)
  const own = modules.filter((path) => /^src\/(?:tools|templates)\b/.test(path))
  expect(own.toSorted()).toEqual([
    'src/tools/cli/commands.ts',
    'src/tools/cli/launch.ts',
    'src/tools/cli/load-application.ts',
    'src/tools/cli/main.ts',
    'src/tools/cli/program.ts',
    'src/tools/cli/start.ts',
    'src/tools/cli/version.ts',
  ])
  const packages = modules
    .map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1])
    .filter((name) => name !== undefined)
  expect([...new Set(packages)].toSorted()).toEqual([
    '@formatjs/fast-memoize',
    '@formatjs/icu-messageformat-parser',
    '@formatjs/icu-skeleton-parser',
    '@formatjs/intl-localematcher',
    'commander',
    'cookie',
    'intl-messageformat',
    'temporal-polyfill',
    'temporal-utils',
  ])
})
