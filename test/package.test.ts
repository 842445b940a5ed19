/** The published package: packs it, installs the tarball, imports every sub-path and inspects its content. */
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

interface Manifest {
  readonly version: string
  readonly exports: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}
interface LockEntry {
  readonly integrity?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly hasInstallScript?: boolean
}
interface Lockfile {
  readonly packages: Readonly<Record<string, LockEntry>>
}

const root = process.cwd()
const json = (...path: string[]): unknown => JSON.parse(readFileSync(join(...path), 'utf8'))
const manifest = json(root, 'package.json') as Manifest
const specifiers = Object.keys(manifest.exports).map((path) => path.replace(/^\./, 'fwjs'))
const modules = specifiers.filter((specifier) => !specifier.endsWith('.json'))

/** The maximum packed size in bytes. */
const sizeLimit = 1280 * 1024

const folder = mkdtempSync(join(tmpdir(), 'fwjs-package-'))
const built = join(folder, 'built')
const app = join(folder, 'app')
const tarball = join(built, `fwjs-${manifest.version}.tgz`)
const creator = join(built, `create-fwjs-${manifest.version}.tgz`)

/** Runs a program and returns its output; a failure includes the output. */
function run(command: string, args: readonly string[], cwd = root): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    timeout: 240_000, // npm may wait for a registry that does not answer
  })
  if (error !== undefined) throw error
  expect(`${status}`, `${command} ${args.join(' ')}\n${stdout}${stderr}`).toBe('0')
  return stdout
}

const tool = (name: string) => join(root, 'node_modules/.bin', name)

beforeAll(() => {
  run(process.execPath, ['scripts/package.ts', built])
  run('mkdir', ['-p', app])
  writeFileSync(
    join(app, 'package.json'),
    '{ "name": "shop", "private": true, "type": "module" }\n',
  )
  const flags = [
    '--ignore-scripts',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]
  run('npm', ['install', tarball, creator, ...flags], app)
}, 180_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000)

describe('installed from the tarball', () => {
  // Import sequentially, to attribute output and open resources to a sub-path.
  test('each sub-path can be imported without output or open resources', () => {
    const script = `
      const openResources = () => process.getActiveResourcesInfo().filter((name) => !/PipeWrap|TTYWrap/.test(name))
      for (const specifier of ${JSON.stringify(specifiers)}) {
        const attributes = specifier.endsWith('.json') ? { with: { type: 'json' } } : {}
        const names = Object.keys(await import(specifier, attributes))
        const started = openResources()
        if (names.length === 0 || started.length > 0) console.log(specifier, names.length, started)
      }
      process.stdout.write('all')`
    expect(run(process.execPath, ['--input-type=module', '--eval', script], app)).toBe('all')
  })

  test('only entry points can be imported', () => {
    const script = `await import('fwjs/base')`
    const args = ['--input-type=module', '--eval', script]
    const { stderr } = spawnSync(process.execPath, args, { cwd: app, encoding: 'utf8' })
    expect(stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED')
  })

  test('queries load the bundle of Kysely instead of its 255 files, and applications can use its own', () => {
    const script = `
      import { registerHooks } from 'node:module'
      let loaded = 0
      registerHooks({
        load: (url, context, next) => {
          if (url.includes('node_modules/kysely/')) loaded++
          return next(url, context)
        },
      })
      const { FwModel, model, ParamType } = await import('fwjs')
      const { openDatabase, useDatabase } = await import('fwjs/db')
      useDatabase(await openDatabase({ kind: 'pglite', folder: 'memory://' }))
      const Item = model('items', { id: ParamType.Long })
      const items = FwModel.kysely({ Item }).selectFrom('items')
      const own = items.select('id').compile().sql
      const before = loaded
      const { sql } = await import('kysely')
      console.log(before, loaded > 0, own, items.select(sql.lit(1).as('one')).compile().sql)
      process.exit()`
    expect(run(process.execPath, ['--input-type=module', '--eval', script], app).trim()).toBe(
      '0 true select "id" from "items" select 1 as "one" from "items"',
    )
  })

  test('the fw command prints its version', () => {
    expect(run(join(app, 'node_modules/.bin/fw'), ['--version'], app).trim()).toBe(manifest.version)
  })

  test('fw docs writes the whole documentation, without the tests of the repository', () => {
    run(join(app, 'node_modules/.bin/fw'), ['docs', '--output', 'site'], app)
    const files = readdirSync(join(app, 'site'))
    expect(files).toEqual(expect.arrayContaining(['index.html', 'search.json', 'minisearch.js']))
    expect(files.filter((name) => name.startsWith('source-'))).toEqual([])
    const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))
    for (const name of pages.map((page) => page.toLowerCase()))
      expect(files).toContain(name === 'readme.md' ? 'contents.html' : name.replace('.md', '.html'))
  })

  test('its types are valid in an application that checks libraries', () => {
    const lines = modules.map((specifier, at) => `export * as entry${at} from '${specifier}'\n`)
    writeFileSync(join(app, 'app.ts'), lines.join(''))
    const compilerOptions = {
      module: 'nodenext',
      target: 'esnext',
      lib: ['esnext'],
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    }
    writeFileSync(
      join(app, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: ['app.ts'] }),
    )
    const { stdout } = spawnSync(tool('tsc'), ['--project', app], { cwd: app, encoding: 'utf8' })
    const ours = stdout.split('\n').filter((line) => /^(app\.ts|node_modules\/fwjs\/)/.test(line))
    expect(ours).toEqual([])
  })
})

test('create-fwjs writes an application that contains the tarball', () => {
  run('npm', ['exec', '--offline', '--', 'create-fwjs', 'my-shop', '--fwjs', tarball], app)
  const { dependencies } = json(app, 'my-shop/package.json') as Manifest
  const copy = `vendor/fwjs-${manifest.version}.tgz`
  expect(dependencies).toEqual({ fwjs: `file:${copy}` })
  expect(readFileSync(join(app, 'my-shop', copy))).toEqual(readFileSync(tarball))
  expect(statSync(join(app, 'my-shop/fw')).mode & 0o111).not.toBe(0)
})

describe('the tarball', () => {
  const installed = join(app, 'node_modules/fwjs')

  test('contains only the built files, the launcher, templates and pages', () => {
    const files = readdirSync(installed, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1))
    const firsts = ['package.json', 'fw', 'README.md', 'LICENSE', 'CHANGELOG.md', 'SECURITY.md']
    const pages = new Set(firsts)
    const expected = (file: string) =>
      pages.has(file) ||
      /^templates\/(.*\.tpl|[a-z-]+\/passkeys\.js|openapi\/explorer\.(css|js)|docs\/[a-z-]+\.(css|js|svg)|deploy\/(grafana\.json|pgbouncer\.ini))$/.test(
        file,
      ) ||
      /^docs\/[a-z-]+\.md$/i.test(file) ||
      // The generated client contains its text.
      file === 'src/runtime/client/send-request.ts' ||
      (/^dist\/.*\.(js|d\.ts)$/.test(file) && !/\.(test|fixture)\./.test(file))
    expect(files.filter((file) => !expected(file))).toEqual([])
    expect(files).toContain('fw')
    expect(files).toContain('LICENSE')
  })

  test('contains only pages whose links are valid inside it', () => {
    const dead = globSync(['*.md', 'docs/*.md'], { cwd: installed }).flatMap((page) => {
      const text = readFileSync(join(installed, page), 'utf8').replaceAll(/^```[^]*?^```$/gm, '')
      return [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)/g)]
        .map((found) => found[1]!)
        .filter((to) => !existsSync(join(installed, dirname(page), to)))
        .map((to) => `${page}: ${to}`)
    })
    expect(dead).toEqual([])
    expect(readFileSync(join(installed, 'README.md'), 'utf8')).toContain('](docs/README.md)')
  })

  test('has a manifest without source condition, workspaces and tools', () => {
    const published = json(installed, 'package.json') as Record<string, unknown>
    expect(JSON.stringify(published)).not.toContain('fwjs-source')
    expect(Object.keys(published)).not.toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^(devDependencies|workspaces|scripts|private)$/),
      ]),
    )
  })

  test(`is smaller than ${sizeLimit / 1024} KiB`, () => {
    expect(statSync(tarball).size).toBeLessThan(sizeLimit)
  })

  test('passes publint', () => {
    expect(run(tool('publint'), ['run', tarball, '--strict', '--level', 'warning'])).toContain(
      'All good',
    )
  })

  test('passes attw', () => {
    const output = run(tool('attw'), [tarball, '--profile', 'esm-only', '--no-emoji', '--no-color'])
    expect(output).toContain('OK (ESM)')
  })
})

describe('the dependencies', () => {
  const { packages } = json(root, 'package-lock.json') as Lockfile
  const locked = Object.entries(packages).filter(([path]) => path.includes('node_modules/'))

  test('are pinned to exact versions', () => {
    const all = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(
      all.filter(([, version]) => !/^(?:npm:[\w@./-]+@)?\d+\.\d+\.\d+$/.test(version)),
    ).toEqual([])
  })

  test('have no install scripts', () => {
    expect(locked.filter(([, entry]) => entry.hasInstallScript === true)).toEqual([])
    expect(readFileSync(join(root, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m)
  })

  test('have a hash in the lockfile, and no registry', () => {
    const downloaded = locked.filter(([, entry]) => entry.link !== true)
    expect(
      downloaded.filter(([, entry]) => entry.integrity?.startsWith('sha512-') !== true),
    ).toEqual([])
    expect(locked.filter(([, entry]) => /^https?:/.test(entry.resolved ?? ''))).toEqual([])
  })
})
