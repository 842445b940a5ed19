/** The checks of `fw doctor`, in folders with mistakes. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { emptyDatabaseOn, hasTestServer } from '../../runtime/db/test-server.fixture.ts'
import { doctor } from './doctor.ts'
import {
  checkCookies,
  checkCopies,
  checkDisk,
  checkGit,
  checkNode,
  checkPackages,
  checkPort,
  checkProduction,
  checkProxies,
  checkSessions,
  checkSettings,
  checkTypes,
  type Finding,
} from './doctor-checks.ts'
import { checkDatabase } from './doctor-database.ts'

const hasServer = await hasTestServer()
const templates = resolve(import.meta.dirname, '../../../templates/application')
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
const lines = (found: readonly Finding[]) => found.map(({ state, text }) => `${state}: ${text}`)

describe('packages', () => {
  test('Node is compared with the engines of Fw and the application', () => {
    expect(lines(checkNode(root, '24.1.0'))).toEqual(['ok: Node 24.1.0'])
    expect(lines(checkNode(root, '22.17.9'))[0]).toContain('22.18.0 or newer is needed')
    write('package.json', { engines: { node: '>=26' } })
    expect(lines(checkNode(root, '24.1.0'))[0]).toContain('problem: Node 24.1.0 is too old: 26')
  })

  test('installed packages are compared with the lockfile', () => {
    expect(checkPackages(root)[0]).toMatchObject({ state: 'warning' })
    const packages = {
      '': {},
      'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
      'node_modules/b': { version: '1.0.0', optional: true },
    }
    write('package-lock.json', { packages })
    expect(checkPackages(root)[0]).toMatchObject({ state: 'problem', mend: 'npm ci' })
    const installed = { 'node_modules/a': packages['node_modules/a'] }
    write('node_modules/.package-lock.json', { packages: installed })
    expect(checkPackages(root)[0]).toMatchObject({ state: 'ok' })
    write('node_modules/.package-lock.json', {
      packages: { 'node_modules/a': { version: '1.0.1' }, 'node_modules/c': {} },
    })
    expect(lines(checkPackages(root))[0]).toMatch(/problem: .*: a, c$/)
  })

  test('in production, packages for development may be absent, and an occupied port is the application', async () => {
    const packages = {
      '': {},
      'node_modules/a': { version: '1.0.0' },
      'node_modules/b': { version: '1.0.0', dev: true },
    }
    write('package-lock.json', { packages })
    const installed = { 'node_modules/a': packages['node_modules/a'] }
    write('node_modules/.package-lock.json', { packages: installed })
    expect(checkPackages(root)[0]).toMatchObject({ state: 'problem' })
    vi.stubEnv('FW_ENV', 'production')
    expect(checkPackages(root)[0]).toMatchObject({ state: 'ok' })
    expect(await checkTypes(root)).toMatchObject([{ state: 'ok' }])
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    expect(await checkPort(port)).toMatchObject([{ state: 'ok' }])
    server.close()
  })

  test('the application must import the fwjs that runs, and only one', () => {
    write('package.json', '{}')
    expect(checkCopies(root)[0]).toMatchObject({
      state: 'problem',
      mend: expect.stringContaining('npm install. If package.json lacks the line "fwjs"') as string,
    })
    mkdirSync(join(root, 'node_modules'))
    symlinkSync(resolve(import.meta.dirname, '../../..'), join(root, 'node_modules/fwjs'))
    expect(lines(checkCopies(root))).toEqual(['ok: one fwjs'])
    const twice = { 'node_modules/fwjs': {}, 'node_modules/x/node_modules/fwjs': {} }
    write('node_modules/.package-lock.json', { packages: twice })
    expect(lines(checkCopies(root))[0]).toContain('fwjs is installed 2 times')
  })

  test('a command of another fwjs than the application imports is a problem', () => {
    write('package.json', '{}')
    write('node_modules/fwjs/package.json', '{}')
    expect(lines(checkCopies(root))[0]).toContain('the application imports')
  })
})

describe('settings', () => {
  const settings = (text: string) => write('src/main/resources/application.yml', text)

  test('every problem names its file, line and column', () => {
    settings('limits: { body: many }\nserver: { maxHeaders: 0 }\n')
    expect(lines(checkSettings(root))).toEqual([
      expect.stringMatching(/^problem: src\/main\/resources\/application\.yml:1:\d+ limits\.body/),
      expect.stringMatching(/^problem: src\/main\/resources\/application\.yml:2:\d+ server\.maxHe/),
    ])
    settings('')
    expect(checkSettings(root)).toHaveLength(1)
    expect(checkSettings(root)[0]).toMatchObject({ state: 'ok' })
  })

  test('a setting missing for production is a warning in other environments, a problem there', () => {
    settings('')
    expect(checkProduction(root)).toMatchObject([
      { state: 'warning', mend: expect.stringContaining('fw secret') as string },
      { state: 'warning', text: expect.stringContaining('server.hosts') as string },
    ])
    vi.stubEnv('FW_ENV', 'production')
    expect(checkProduction(root)).toEqual([])
    expect(checkSettings(root)).toMatchObject([
      { state: 'problem', mend: expect.stringContaining('fw secret') as string },
      { state: 'problem', mend: expect.stringContaining('host names') as string },
    ])
    const secret = 'DZb2p0xw3RkT9uVnQmYc7sLhEa1JgXo5'
    settings(`secretKeyBase: ${secret}\nserver: { hosts: example.com }\n`)
    vi.stubEnv('FW_ENV', 'test')
    expect(lines(checkProduction(root))).toEqual(['ok: production has its secret and its hosts'])
  })

  test('valid settings that are probably mistakes are warnings', () => {
    settings(`secretKeyBase: ${'x'.repeat(32)}\nserver: { hosts: a.example }\n`)
    const guessable = 'secretKeyBase is guessable: generate a random one with fw secret.'
    expect(lines(checkSettings(root))[1]).toBe(`warning: ${guessable}`)
    expect(lines(checkProduction(root))[1]).toBe(`warning: production: ${guessable}`)
  })
})

describe('database', () => {
  beforeEach(() => vi.stubEnv('DATABASE_URL', ''))
  const folder = 'db: { default: { folder: db/data } }\n'

  test('no database, a folder before the first start, a folder that a process uses', async () => {
    expect(lines(await checkDatabase(root))).toEqual(['ok: the application uses none'])
    write('src/main/resources/application.yml', folder)
    expect(lines(await checkDatabase(root))[0]).toContain('created in db/data by the first start')
    write('db/data.lock', `${process.ppid} - ${hostname()}\n`)
    expect(lines(await checkDatabase(root))[0]).toContain(`in use by the process ${process.ppid}`)
  })

  test('an abandoned lock, the version, pending migrations and the clock', async () => {
    write('src/main/resources/application.yml', folder)
    write('db/migration/V1__create_notes.sql', 'create table notes (id int)')
    write('db/data.lock', `999999999 - ${hostname()}\n`)
    mkdirSync(join(root, 'db/data'))
    expect(lines(await checkDatabase(root))).toEqual([
      'warning: db/data.lock was left by the process 999999999, which no longer runs',
      expect.stringMatching(/^ok: embedded PostgreSQL \d/),
      'warning: pending: 1 create_notes',
      "ok: the database's clock and this one agree",
    ])
  })

  test('in production pending migrations are a problem, an embedded database is a warning', async () => {
    vi.stubEnv('FW_ENV', 'production')
    write('src/main/resources/application.yml', 'db: { default: { folder: memory } }\n')
    write('db/migration/V1__create_notes.sql', 'create table notes (id int)')
    expect(lines(await checkDatabase(root)).slice(0, 2)).toEqual([
      expect.stringMatching(/^warning: embedded PostgreSQL .* does not wait for the disk/),
      'problem: pending: 1 create_notes',
    ])
  })

  test.skipIf(!hasServer)(
    'what the embedded database has and the server lacks: newer SQL, and extensions of migrations',
    async () => {
      const { url, drop } = await emptyDatabaseOn('doctor')
      onTestFinished(drop)
      vi.stubEnv('DATABASE_URL', url)
      write(
        'db/migration/V1__extend.sql',
        'create extension plpgsql;\ncreate extension if not exists "no-such-one";',
      )
      const [version, pending, missing] = lines(await checkDatabase(root))
      const major = Number(/PostgreSQL (\d+)/.exec(version!)![1])
      expect(version!.includes('unlike the embedded database it lacks')).toBe(major < 18)
      expect(version!.includes('uuidv7()')).toBe(major < 18)
      expect(pending).toMatch('pending: 1 extend')
      expect(missing).toBe(
        'problem: the server does not offer the extension no-such-one, which V1__extend.sql creates',
      )
    },
  )

  test('an additional server that does not run', async () => {
    const reports = 'reports: { url: "postgres://postgres@127.0.0.1:1/none" }'
    write(
      'src/main/resources/application.yml',
      `db: { default: { folder: db/data }, ${reports} }\n`,
    )
    expect(await checkDatabase(root)).toMatchObject([
      { state: 'ok' },
      {
        state: 'problem',
        text: expect.stringMatching(/^reports: /) as string,
        mend: expect.stringMatching(/^Start the server, or correct host and port/) as string,
      },
    ])
  })

  test('a server that does not run', async () => {
    vi.stubEnv('DATABASE_URL', 'postgres://postgres@127.0.0.1:1/none')
    expect(await checkDatabase(root)).toMatchObject([
      { state: 'problem', mend: expect.stringContaining('DATABASE_URL') as string },
    ])
  })
})

describe('folder', () => {
  test('git ignores secrets and data, and .env is not committed', () => {
    vi.stubEnv('GIT_CONFIG_GLOBAL', '/dev/null')
    expect(lines(checkGit(root))).toEqual(['ok: the folder is in no git repository'])
    const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: root })
    git('init', '--quiet')
    write('.env', 'SECRET=1')
    write('.env.test.local', 'SECRET=2')
    git('add', '.env', '.env.test.local')
    expect(lines(checkGit(root))).toEqual([
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
    expect(checkGit(root)).toMatchObject([{ state: 'ok' }])
  })

  test('a port in use, and one that is free', async () => {
    const server = createServer()
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    const { port } = server.address() as AddressInfo
    expect(await checkPort(port)).toMatchObject([
      { state: 'warning', mend: expect.stringContaining('fw run --port') as string },
    ])
    await new Promise((closed) => server.close(closed))
    // Another process may have taken that port; for 0 the system chooses a free one.
    expect(await checkPort(0)).toMatchObject([{ state: 'ok' }])
  })

  test('free disk space; types without a compiler are a warning', async () => {
    expect(lines(await checkDisk(root))[0]).toMatch(/MiB of disk are free$/)
    expect(await checkTypes(root)).toMatchObject([{ state: 'warning', mend: 'npm install' }])
  })
})

test('--json prints every finding, and the exit code is 1 when there is a problem', async () => {
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
    'cookies',
    'database',
    'types',
    'git',
    'disk',
    'port',
  ])
})

test('proxies: none is a warning, for addresses there is none', () => {
  const configure = (yaml: string) => {
    vi.stubEnv('FW_ENV', 'production')
    write('src/main/resources/application.yml', `server:\n  hosts: [example.com]\n${yaml}`)
    return checkProxies(root).map(({ state }) => state)
  }
  const secret = `secretKeyBase: ${'0123456789abcdef'.repeat(3)}\n`
  expect(configure(secret)).toEqual(['warning'])
  expect(configure(`  trustedProxies: [10.0.0.0/8]\n${secret}`)).toEqual(['ok'])
})

test('cookies: each environment gets its answer, invalid settings none', () => {
  const check = (env: string, yaml: string) => {
    vi.stubEnv('FW_ENV', env)
    write('src/main/resources/application.yml', yaml)
    return lines(checkCookies(root))
  }
  const secret = `secretKeyBase: ${'0123456789abcdef'.repeat(3)}\nserver: { hosts: a.example }\n`
  const secure =
    'ok: cookies are Secure: serve pages over https, because forms and logins fail over http'
  expect(check('production', secret)).toEqual([secure])
  expect(check('staging', '')).toEqual([secure])
  expect(check('development', '')).toEqual([
    'ok: cookies of development are not Secure, so that pages over http work',
  ])
  expect(check('staging', 'cookies: { secure: false }')).toEqual([
    'ok: cookies of staging are not Secure, so that pages over http work',
  ])
  expect(check('staging', 'cookies: { secure: 7 }')).toEqual([])
})

describe('sessions in production', () => {
  const settings = `server: { hosts: example.com }\nsecretKeyBase: ${'0123456789abcdef'.repeat(3)}\n`
  /** The findings for an application with these lines of `initFwApp`. */
  const check = (init: string) => {
    vi.stubEnv('FW_ENV', 'production')
    vi.stubEnv('DATABASE_URL', '')
    write('package.json', '{ "type": "module" }')
    write('src/main/resources/application.yml', settings)
    write(
      'src/main/bootstrap.ts',
      `import { FwController, FwLifeCycle, FwSessionInitializer, SealedCookieStore, microServlet, routes } from 'fwjs'
       class Pages extends FwController {
         index() {
           return 'index'
         }
       }
       export class Bootstrap extends FwLifeCycle {
         initFwApp(ctx) {
           ${init}
         }
       }
       const pages = routes(Pages, (r) => ({ index: r.get('/', 'index') }))
       const micro = microServlet((r) => ({ index: r.get('/', () => 'index') }))`,
    )
    symlinkSync(resolve(import.meta.dirname, '../../../node_modules'), join(root, 'node_modules'))
    return checkSessions(root)
  }

  test('in the memory of a process are a warning', async () => {
    expect(await check('pages.mount(ctx)')).toMatchObject([
      {
        state: 'warning',
        text: expect.stringContaining('memory of one process') as string,
        mend: expect.stringContaining('FwSessionInitializer') as string,
      },
    ])
  })

  test('in another store are correct', async () => {
    const sealed = 'new FwSessionInitializer(({ keys }) => new SealedCookieStore(keys)).mount(ctx)'
    expect(lines(await check(`${sealed}; pages.mount(ctx)`))).toEqual([
      'ok: sessions are in SealedCookieStore',
    ])
  })

  test('that no route uses need no store', async () => {
    expect(lines(await check('micro.mount(ctx)'))).toEqual(['ok: no route uses a session'])
  })

  test('of an application that does not start are a problem', async () => {
    expect(lines(await check("throw new Error('no broker')"))).toEqual([
      'problem: the application does not start: no broker',
    ])
  })

  test('are not checked with settings that production would refuse', async () => {
    vi.stubEnv('FW_ENV', 'production')
    write('src/main/resources/application.yml', '')
    expect(await checkSessions(root)).toEqual([])
  })
})
