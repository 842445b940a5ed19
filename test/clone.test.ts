/**
 * README's commands, from a copy of the repository to an application that runs, tests, builds and deploys without the clone.
 * `FW_TEST_CLONE=empty` installs the packages of the clone, too, with an empty cache of npm.
 */
import { spawn, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { visibleEnvironment } from './support/environment.ts'

const repository = resolve(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), 'fw-clone-'))
const clone = join(folder, 'clone')
const isEmpty = process.env['FW_TEST_CLONE'] === 'empty'

/** The commands of README that create an application. */
const [create = '', enter = '', start = ''] =
  /^```sh\n(\.\/fw new [^`]*)^```$/m
    .exec(readFileSync(join(repository, 'README.md'), 'utf8'))?.[1]
    ?.split('\n') ?? []
const app = resolve(clone, enter.replace('cd ', ''))

const execute = (command: string, args: readonly string[], cwd: string) =>
  spawnSync(command, args, { cwd, encoding: 'utf8', env: environment(), timeout: 280_000 })

/** The environment of a new user: an empty home folder, and a Node on PATH. */
function environment(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = '' } = process.env
  return {
    ...visibleEnvironment(),
    PATH: `${dirname(process.execPath)}${delimiter}${PATH}`,
    HOME: join(folder, 'home'),
    XDG_CACHE_HOME: join(folder, 'home/.cache'),
    CHROMIUM: '',
    npm_config_cache: isEmpty ? join(folder, 'home/.npm') : npmCache,
    npm_config_prefer_offline: 'true',
    ...more,
  }
}
const npmCache = spawnSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).stdout.trim()

/** The output of the first command. */
let said = ''

/** Runs a line of a shell, and returns its output. */
function run(line: string, cwd: string): string {
  const { status, stdout, stderr } = execute('sh', ['-c', line], cwd)
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
      symlinkSync(join(repository, 'node_modules', name), join(modules, name))
  cpSync(join(clone, 'package-lock.json'), join(modules, '.fw-lock.json'))
}

/** Starts a server with `./fw`. Resolves to its address. The server ends with the test. */
async function serve(line: string, more: Readonly<Record<string, string>> = {}): Promise<string> {
  const child = spawn('sh', ['-c', `exec ${line} --port 0`], { cwd: app, env: environment(more) })
  const ended = new Promise((done) => child.once('close', done))
  onTestFinished(async () => {
    child.kill()
    await ended
  })
  let output = ''
  return new Promise((listening, failed) => {
    child.once('exit', () => failed(new Error(output)))
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        output += String(text)
        const port = /listening on http:\/\/\S+:(\d+)/.exec(output)?.[1]
        if (port !== undefined) listening(`http://127.0.0.1:${port}`)
      })
  })
}

beforeAll(() => {
  mkdirSync(clone)
  mkdirSync(join(folder, 'home'))
  copyRepository()
  if (!isEmpty) linkPackages()
  said = run(create, clone)
  // The application must work without the clone.
  rmSync(clone, { recursive: true, force: true })
}, 600_000)
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }), 60_000)

describe('an application of README’s commands', () => {
  test('runs', async () => {
    expect(said).toContain('Packing this clone of Fw')
    expect([create, enter, start]).toEqual(['./fw new ../shop', 'cd ../shop', './fw run'])
    const url = await serve(start)
    expect((await fetch(url)).status).toBe(200)
  }, 280_000)

  test('is built and serves in production', async () => {
    // Production allows the embedded database only if the settings name its folder.
    appendFileSync(
      join(app, 'src/main/resources/application.yml'),
      '  db:\n    default:\n      folder: db/data\n',
    )
    run('./fw build', app)
    const secret = run('./fw secret', app).trim()
    const url = await serve('./fw start --host 127.0.0.1', {
      SECRET_KEY_BASE: secret,
      HOSTS: '127.0.0.1',
    })
    expect((await fetch(`${url}/up`)).status).toBe(200)
    expect((await fetch(url)).status).toBe(200)
  })

  test('passes its check and its tests, with a generated resource', () => {
    run('./fw g scaffold members member name:String', app)
    expect(run('./fw check', app)).toContain('0 mistakes')
    expect(run('./fw test', app)).toMatch(/fail 0/)
  })

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
    run(install, image)
    expect(run('node_modules/.bin/fw --version', image)).toMatch(/^\d/)
  })

  test('creates another application, which contains the same files of fwjs', () => {
    run('./fw new ../blog', app)
    const list = (root: string) =>
      run(`tar -tzf vendor/${readdirSync(join(root, 'vendor'))[0]!}`, root)
        .split('\n')
        .sort()
    expect(list(join(folder, 'blog'))).toEqual(list(app))
  })
})
