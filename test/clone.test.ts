/**
 * The first hour: every command of README, of getting started and of the tutorial, from a copy of the repository to applications
 * that run, test, build and deploy without it. `FW_TEST_CLONE=empty` installs the packages of the clone, too, with an empty
 * cache of npm, and starts with the older Node of this machine, if there is one.
 */
import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { visibleEnvironment } from './support/environment.ts'
import { PageTerminal } from './support/page-terminal.ts'
import { readBlocks, type PageBlock } from './support/page-walk.ts'
import { canStartPostgres, PostgresServer } from './support/postgres-server.ts'

const repository = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'fw-clone-'))
const clone = join(folder, 'clone')
const isEmpty = process.env['FW_TEST_CLONE'] === 'empty'
const app = join(folder, 'shop')

const ownFolder = dirname(process.execPath)
const otherFolders = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((name) => name !== ownFolder && !name.includes('node_modules'))
/** PATH with the Node of this process first. */
const ownPath = [ownFolder, ...otherFolders].join(delimiter)
/** PATH of a new user: without the Node of this process, if the cache must be empty and there is another Node. */
const userPath =
  isEmpty && otherFolders.some((name) => existsSync(join(name, 'node')))
    ? otherFolders.join(delimiter)
    : ownPath

/** The environment of a new user: an empty home folder, and a Node on PATH. */
function environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    ...visibleEnvironment(),
    PATH: userPath,
    HOME: join(folder, 'home'),
    XDG_CACHE_HOME: join(folder, 'home/.cache'),
    CHROMIUM: '',
    CI: '',
    npm_config_cache: isEmpty ? join(folder, 'home/.npm') : npmCache,
    npm_config_prefer_offline: 'true',
    ...more,
  }
}
const npmCache = spawnSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).stdout.trim()

/** Runs a line of a shell, and returns its output. */
function run(line: string, cwd: string, more: Readonly<Record<string, string>> = {}): string {
  const options = { cwd, encoding: 'utf8', env: environment(more), timeout: 280_000 } as const
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], options)
  expect(status, `${line}\n${stdout}${stderr}`).toBe(0)
  return `${stdout}${stderr}`
}

/** Copies the files that git would contain after a commit of the working tree. */
function copyRepository(): void {
  const { stdout } = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: repository, encoding: 'utf8' },
  )
  for (const file of stdout.split('\0').filter((name) => name !== ''))
    if (existsSync(join(repository, file))) cpSync(join(repository, file), join(clone, file))
}

/** Links the installed packages of the repository, and records them as installed from the lockfile. */
function linkPackages(): void {
  const modules = join(clone, 'node_modules')
  mkdirSync(modules)
  for (const name of readdirSync(join(repository, 'node_modules')))
    if (name === '.bin' || !name.startsWith('.'))
      symlinkSync(
        name === 'fwjs' ? clone : join(repository, 'node_modules', name),
        join(modules, name),
      )
  cpSync(join(clone, 'package-lock.json'), join(modules, '.fw-lock.json'))
}

/** A terminal that ends its servers with the test. */
function openTerminal(cwd: string, more: Readonly<Record<string, string>> = {}): PageTerminal {
  const terminal = new PageTerminal({ cwd, env: environment(more), replace: useServer })
  onTestFinished(() => terminal.stop())
  return terminal
}

/** The address of the server in the tutorial. */
const shownServer = 'postgres://postgres@127.0.0.1:5432/'
let server: PostgresServer | undefined
const useServer = (command: string) =>
  command.replaceAll(shownServer, () => server!.url.replace(/[^/]*$/, ''))

const statusOf = async (url: string | undefined, path = '/') =>
  (await fetch(`${url}${path}`)).status

/** Runs `work` while the clone has another name, because an application must work without it. */
async function withoutClone(work: () => Promise<void> | void): Promise<void> {
  const away = `${clone}-away`
  renameSync(clone, away)
  try {
    await work()
  } finally {
    renameSync(away, clone)
  }
}

beforeAll(async () => {
  mkdirSync(clone)
  mkdirSync(join(folder, 'home'))
  copyRepository()
  if (!isEmpty) linkPackages()
  if (canStartPostgres) server = await PostgresServer.start()
}, 600_000)
afterAll(async () => {
  server?.remove()
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
}, 60_000)

describe('README', () => {
  test('leads to the example, and to an application of one’s own', async () => {
    const [example, own] = readBlocks('README.md').filter(({ language }) => language === 'sh')
    const terminal = openTerminal(clone)
    // The second command, `./fw test`, would run this test again.
    await terminal.run(example!.text.split('\n')[0]!)
    const said = await terminal.run(own!.text)
    expect(said).toContain('Packing this clone of Fw')
    expect(terminal.cwd).toBe(app)
    for (const url of terminal.urls) expect([url, await statusOf(url)]).toEqual([url, 200])
    expect(terminal.urls).toHaveLength(2)
  }, 280_000)

  test('the application is built and serves in production, without the clone', () =>
    withoutClone(async () => {
      // Production allows the embedded database only if the settings name its folder.
      appendFileSync(
        join(app, 'src/main/resources/application.yml'),
        '  db:\n    default:\n      folder: db/data\n',
      )
      run('./fw build', app)
      const secret = run('./fw secret', app).trim()
      const terminal = openTerminal(app, { SECRET_KEY_BASE: secret, HOSTS: 'localhost' })
      await terminal.run('./fw start --host 127.0.0.1')
      expect(await statusOf(terminal.urls[0], '/up')).toBe(200)
      expect(await statusOf(terminal.urls[0])).toBe(200)
    }))

  test('installs in the image from the files that the Dockerfile copies first', () => {
    const image = join(folder, 'image')
    mkdirSync(image)
    const [before = '', install = ''] = readFileSync(join(app, 'Dockerfile'), 'utf8').split(
      /^RUN (npm ci.*)$/m,
    )
    for (const [, pattern, to] of before.matchAll(/^COPY (\S+) (\S+)$/gm)) {
      const target = join(image, to!)
      for (const file of globSync(pattern!, { cwd: app }))
        cpSync(join(app, file), to!.endsWith('/') ? join(target, file) : target, {
          recursive: true,
        })
    }
    run(install, image, { PATH: ownPath })
    expect(run('node_modules/.bin/fw --version', image, { PATH: ownPath })).toMatch(/^\d/)
  })

  test('the application creates another one, which contains the same files of fwjs', () =>
    withoutClone(() => {
      run('./fw new ../blog', app)
      const list = (root: string) =>
        run(`tar -tzf vendor/${readdirSync(join(root, 'vendor'))[0]!}`, root)
          .split('\n')
          .sort()
      expect(list(join(folder, 'blog'))).toEqual(list(app))
    }))
})

test('getting started leads to an application with a resource, whose check and tests pass', async () => {
  const terminal = openTerminal(clone)
  await terminal.walk('docs/getting-started.md', ({ language }) => language === 'sh')
  expect(await statusOf(terminal.urls[0], '/members.json')).toBe(200)
  expect(await statusOf(terminal.urls[0], '/reports')).toBe(200)
}, 600_000)

/** Logs in as the manager whom the tutorial creates in production. Returns the status, which is a redirect for the right password. */
async function logInAsManager(url: string): Promise<number> {
  const fields = { email: 'ann@example.com', password: 'the tide comes in at noon' }
  const headers = { 'sec-fetch-site': 'same-origin' }
  const body = new URLSearchParams(fields)
  return (await fetch(`${url}/login`, { method: 'POST', redirect: 'manual', headers, body })).status
}

test('the tutorial leads to a rental desk in production, and the guides extend it; its check and tests pass', async () => {
  const terminal = openTerminal(clone)
  const needsServer = ({ text }: PageBlock) => /DATABASE_URL|fw start|FW_ENV=production/.test(text)
  await terminal.walk('docs/tutorial.md', (block) => server !== undefined || !needsServer(block))
  const [development, production] = terminal.urls
  const list = async () => (await fetch(`${development}/items.json`)).status
  expect([await statusOf(development), await list()]).toEqual([200, 401])
  if (server !== undefined) expect(await logInAsManager(production!)).toBe(303)
  await terminal.stop()
  await openTerminal(join(folder, 'rental')).walk('docs/guides.md')
}, 1_200_000)
