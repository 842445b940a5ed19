/** What `fw doctor` finds, thing by thing, in folders where it is wrong. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { doctor } from './doctor.ts'
import { lookAtDatabase } from './doctor-database.ts'
import { lookAtDisk, lookAtGit, lookAtPort, lookAtTypes } from './doctor-folder.ts'
import { lookAtCopies, lookAtNode, lookAtPackages } from './doctor-packages.ts'
import { lookAtProduction, lookAtSettings } from './doctor-settings.ts'
import type { Finding } from './finding.ts'

const templates = resolve(import.meta.dirname, '../../templates/application')
let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fw-doctor-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true, force: true })
})

function write(path: string, content: string | object): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  writeFileSync(join(root, path), text)
}
const told = (found: readonly Finding[]) => found.map(({ state, text }) => `${state}: ${text}`)

describe('packages', () => {
  test('Node is measured against Fw and the application', () => {
    expect(told(lookAtNode(root, '24.1.0'))).toEqual(['ok: Node 24.1.0'])
    expect(told(lookAtNode(root, '22.17.9'))[0]).toContain('22.18.0 or newer is needed')
    write('package.json', { engines: { node: '>=26' } })
    expect(told(lookAtNode(root, '24.1.0'))[0]).toContain('problem: Node 24.1.0 is too old: 26')
  })

  test('what is installed is compared with the lockfile', () => {
    expect(lookAtPackages(root)[0]).toMatchObject({ state: 'warning' })
    const packages = {
      '': {},
      'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
      'node_modules/b': { version: '1.0.0', optional: true },
    }
    write('package-lock.json', { packages })
    expect(lookAtPackages(root)[0]).toMatchObject({ state: 'problem', mend: 'npm ci' })
    const installed = { 'node_modules/a': packages['node_modules/a'] }
    write('node_modules/.package-lock.json', { packages: installed })
    expect(lookAtPackages(root)[0]).toMatchObject({ state: 'ok' })
    write('node_modules/.package-lock.json', {
      packages: { 'node_modules/a': { version: '1.0.1' }, 'node_modules/c': {} },
    })
    expect(told(lookAtPackages(root))[0]).toMatch(/problem: .*: a, c$/)
  })

  test('the application has one fwjs, the one that runs', () => {
    write('package.json', '{}')
    expect(lookAtCopies(root)[0]).toMatchObject({ state: 'problem', mend: 'npm install fwjs' })
    mkdirSync(join(root, 'node_modules'))
    symlinkSync(resolve(import.meta.dirname, '../..'), join(root, 'node_modules/fwjs'))
    expect(told(lookAtCopies(root))).toEqual(['ok: one fwjs'])
    const twice = { 'node_modules/fwjs': {}, 'node_modules/x/node_modules/fwjs': {} }
    write('node_modules/.package-lock.json', { packages: twice })
    expect(told(lookAtCopies(root))[0]).toContain('fwjs is there 2 times')
  })

  test('a command of another fwjs than the application has is told', () => {
    write('package.json', '{}')
    write('node_modules/fwjs/package.json', '{}')
    expect(told(lookAtCopies(root))[0]).toContain('the application imports')
  })
})

describe('settings', () => {
  const settings = (text: string) => write('src/main/resources/application.yml', text)

  test('every problem is told with its place', () => {
    settings('limits: { body: many }\nserver: { maxHeaders: 0 }\n')
    expect(told(lookAtSettings(root))).toEqual([
      expect.stringMatching(/^problem: src\/main\/resources\/application\.yml:1:\d+ limits\.body/),
      expect.stringMatching(/^problem: src\/main\/resources\/application\.yml:2:\d+ server\.maxHe/),
    ])
    settings('')
    expect(lookAtSettings(root)).toHaveLength(1)
    expect(lookAtSettings(root)[0]).toMatchObject({ state: 'ok' })
  })

  test('what production lacks is a warning elsewhere, and a problem there', () => {
    settings('')
    expect(lookAtProduction(root)).toMatchObject([
      { state: 'warning', mend: expect.stringContaining('fw secret') as string },
      { state: 'warning', text: expect.stringContaining('server.hosts') as string },
    ])
    vi.stubEnv('FW_ENV', 'production')
    expect(lookAtProduction(root)).toEqual([])
    expect(lookAtSettings(root)).toMatchObject([
      { state: 'problem', mend: expect.stringContaining('fw secret') as string },
      { state: 'problem', mend: expect.stringContaining('host names') as string },
    ])
    settings(`secretKeyBase: ${'x'.repeat(32)}\nserver: { hosts: example.com }\n`)
    vi.stubEnv('FW_ENV', 'test')
    expect(told(lookAtProduction(root))).toEqual(['ok: production has its secret and its hosts'])
  })
})

describe('database', () => {
  beforeEach(() => vi.stubEnv('DATABASE_URL', ''))
  const folder = 'db: { default: { folder: db/data } }\n'

  test('none, one that no start has made yet, one that a process has', async () => {
    expect(told(await lookAtDatabase(root))).toEqual(['ok: the application uses none'])
    write('src/main/resources/application.yml', folder)
    expect(told(await lookAtDatabase(root))[0]).toContain('made in db/data by the first start')
    write('db/data.lock', `${process.ppid} - ${hostname()}\n`)
    expect(told(await lookAtDatabase(root))[0]).toContain(`in use by the process ${process.ppid}`)
  })

  test('a lock left behind, its version, pending migrations and the clock', async () => {
    write('src/main/resources/application.yml', folder)
    write('db/migration/V1__create_notes.sql', 'create table notes (id int)')
    write('db/data.lock', `999999999 - ${hostname()}\n`)
    mkdirSync(join(root, 'db/data'))
    expect(told(await lookAtDatabase(root))).toEqual([
      'warning: db/data.lock was left by the process 999999999, which is gone',
      expect.stringMatching(/^ok: embedded PostgreSQL \d/),
      'warning: pending: 1 create_notes',
      "ok: the database's clock and this one agree",
    ])
  })

  test('in production pending migrations are a problem, and an embedded database a doubt', async () => {
    vi.stubEnv('FW_ENV', 'production')
    write('src/main/resources/application.yml', 'db: { default: { folder: memory } }\n')
    write('db/migration/V1__create_notes.sql', 'create table notes (id int)')
    expect(told(await lookAtDatabase(root)).slice(0, 2)).toEqual([
      expect.stringMatching(/^warning: embedded PostgreSQL .* does not wait for the disk/),
      'problem: pending: 1 create_notes',
    ])
  })

  test('a further server that is not there', async () => {
    const reports = 'reports: { url: "postgres://postgres@127.0.0.1:1/none" }'
    write(
      'src/main/resources/application.yml',
      `db: { default: { folder: db/data }, ${reports} }\n`,
    )
    expect(await lookAtDatabase(root)).toMatchObject([
      { state: 'ok' },
      {
        state: 'problem',
        text: expect.stringMatching(/^reports: /) as string,
        mend: 'Start the server, or correct db.reports.url.',
      },
    ])
  })

  test('a server that is not there', async () => {
    vi.stubEnv('DATABASE_URL', 'postgres://postgres@127.0.0.1:1/none')
    expect(await lookAtDatabase(root)).toMatchObject([
      { state: 'problem', mend: expect.stringContaining('DATABASE_URL') as string },
    ])
  })
})

describe('folder', () => {
  test('git ignores secrets and data, and .env is not committed', () => {
    vi.stubEnv('GIT_CONFIG_GLOBAL', '/dev/null')
    expect(told(lookAtGit(root))).toEqual(['ok: the folder is in no git repository'])
    const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: root })
    git('init', '--quiet')
    write('.env', 'SECRET=1')
    write('.env.test.local', 'SECRET=2')
    git('add', '.env', '.env.test.local')
    expect(told(lookAtGit(root))).toEqual([
      'problem: git does not ignore .env',
      'problem: git does not ignore .env.local',
      'problem: git does not ignore .env.development.local',
      'warning: git does not ignore db/data/',
      'warning: git does not ignore .fw/',
      'warning: git does not ignore node_modules/',
      'problem: .env is committed',
      'problem: .env.test.local is committed',
    ])
    git('rm', '--quiet', '--cached', '.env', '.env.test.local')
    cpSync(join(templates, 'gitignore.tpl'), join(root, '.gitignore'))
    expect(lookAtGit(root)).toMatchObject([{ state: 'ok' }])
  })

  test('a port in use, and one that is free', async () => {
    const server = createServer()
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    const { port } = server.address() as AddressInfo
    expect(await lookAtPort(port)).toMatchObject([
      { state: 'warning', mend: expect.stringContaining('fw run --port') as string },
    ])
    await new Promise((closed) => server.close(closed))
    // That one may have been taken meanwhile; 0 is whichever is free.
    expect(await lookAtPort(0)).toMatchObject([{ state: 'ok' }])
  })

  test('disk, and types where there is no compiler', async () => {
    expect(told(await lookAtDisk(root))[0]).toMatch(/MiB of disk are free$/)
    expect(await lookAtTypes(root)).toMatchObject([{ state: 'warning', mend: 'npm install' }])
  })
})

test('the command tells programs all of it, and ends with 1 when there is a problem', async () => {
  let out = ''
  vi.stubEnv('DATABASE_URL', '')
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => (out += String(text)) !== '')
  write('src/main/bootstrap.ts', '')
  write('package.json', '{}')
  try {
    await doctor({ app: root, json: true })
    expect(process.exitCode).toBe(1)
  } finally {
    process.exitCode = undefined
    vi.restoreAllMocks()
  }
  const { ok, findings } = JSON.parse(out) as { ok: boolean; findings: readonly Finding[] }
  expect(ok).toBe(false)
  expect([...new Set(findings.map(({ topic }) => topic))]).toEqual([
    'node',
    'packages',
    'fwjs',
    'configuration',
    'production',
    'database',
    'types',
    'git',
    'disk',
    'port',
  ])
})
