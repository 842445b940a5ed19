/** DevelopmentServer: a process that cannot be started, foreign messages on its channel, and parsed files of `.fw`. */
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { silentLogger, type Logger } from '../../src/runtime/base.ts'
import { generateSources } from '../../src/templates/compile.ts'
import { DevelopmentServer } from '../../src/tools/cli/development-server.ts'
import { temporaryFolder } from '../support/serve.ts'

const bootstrap = (answer: string, ...begin: readonly string[]) => `
import { FwLifeCycle, microServlet } from 'fwjs'
${begin.join('\n')}
const hello = microServlet((r) => ({ hello: r.get('/', () => '${answer}') }))
export class Bootstrap extends FwLifeCycle {
  initFwApp(ctx) {
    hello.mount(ctx)
  }
}
`

/** Runs the server in this process. */
async function developing(text: string, prepare: (root: string) => void = () => {}) {
  const files = {
    'package.json': '{"type":"module"}',
    'src/main/bootstrap.ts': text,
    'src/main/resources/messages.yml': 'hello: Hello\n',
  }
  const root = temporaryFolder(files)
  prepare(root)
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(root, 'node_modules'))
  const { execArgv } = process
  process.execArgv = ['--conditions=fwjs-source']
  let listening = ''
  const logger: Logger = {
    ...silentLogger,
    info: (_members, line) => void (listening = / on (http:\S+)/.exec(line)?.[1] ?? listening),
  }
  const server = new DevelopmentServer({ root, logger, print: () => {} })
  onTestFinished(async () => {
    await server.close()
    process.execArgv = execArgv
  })
  await server.start(0, '127.0.0.1')
  return {
    save: (code: string) => writeFileSync(join(root, 'src/main/bootstrap.ts'), code),
    ask: async () => {
      const answer = await fetch(listening, { headers: { accept: 'text/html' } })
      return answer.text()
    },
  }
}

test('a process that cannot be started shows the failure page; the next change starts it', async () => {
  const { execPath } = process
  onTestFinished(() => void (process.execPath = execPath))
  process.execPath = '/nowhere/node'
  const { ask, save } = await developing(bootstrap('first'))
  const page = await ask()
  expect(page).toContain('The application does not run.')
  expect(page).toContain('ended before it began: spawn /nowhere/node ENOENT')
  process.execPath = execPath
  save(bootstrap('second'))
  await expect.poll(ask).toMatch(/^second/)
  // An environment that exceeds the system's limit makes `fork` throw. A spare process may still take one change.
  process.env['FW_TOO_MUCH'] = 'x'.repeat(2 ** 21)
  onTestFinished(() => void delete process.env['FW_TOO_MUCH'])
  const again = (): Promise<string> => {
    save(bootstrap('third'))
    return ask()
  }
  await expect.poll(again, { interval: 200 }).toContain('spawn E2BIG')
  delete process.env['FW_TOO_MUCH']
  save(bootstrap('fourth'))
  await expect.poll(ask).toMatch(/^fourth/)
})

test('messages of the application itself are ignored', async () => {
  const messages = [
    "'ready'",
    '7',
    '{ ready: { about: 1 } }',
    '{ failed: {} }',
    "{ ask: 'open' }",
    "{ fw: 'x' }",
  ]
  const sends = messages.map((message) => `process.send(${message})`)
  const { ask } = await developing(bootstrap('served', ...sends))
  expect(await ask()).toMatch(/^served/)
})

test.each([
  ['parses messages that .fw does not contain', () => {}, 'true'],
  ['reads unchanged messages from .fw without the YAML parser', generateSources, 'false'],
])('%s', async (_title, prepare, answer) => {
  const asking =
    "${Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('/node_modules/yaml/'))}"
  const text = bootstrap(asking, "import { createRequire } from 'node:module'").replace(
    /'(\$\{.*\})'/,
    '`$1`',
  )
  const { ask } = await developing(text, prepare)
  expect(await ask()).toMatch(new RegExp(`^${answer}`))
})
