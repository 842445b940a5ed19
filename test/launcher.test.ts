/** The launcher: which Node it takes, what it keeps, when it installs. The real download is made by .ci/run. */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LauncherBench } from './support/launcher-bench.ts'

let bench: LauncherBench
beforeEach(() => {
  bench = new LauncherBench()
})
afterEach(() => bench[Symbol.dispose]())

describe('which Node', () => {
  beforeEach(() => bench.stamp())

  test.each(['22.18.0', '24.21.0', '26.0.0'])('takes %s from PATH', (version) => {
    bench.node(version)
    expect(bench.start(['routes', '--json'])).toMatchObject({ status: 0, said: '' })
  })

  test('runs the application’s command with the arguments as they are', () => {
    bench.node('24.21.0')
    const { out } = bench.start(['g', 'a b', '*'])
    expect(out).toBe('node 24.21.0: node_modules/fwjs/dist/cli/main.js g a b *\n')
  })

  test('quiets the type stripping warning on Node 22 only', () => {
    bench.node('22.19.0')
    expect(bench.start(['run']).out).toContain('--disable-warning=ExperimentalWarning')
    bench.node('24.21.0')
    expect(bench.start(['run']).out).not.toContain('--disable-warning')
  })

  test.each(['20.20.2', '22.17.9', '9.0.0'])('does not take %s', (version) => {
    bench.node(version)
    bench.npm('exit 1')
    expect(bench.start()).toMatchObject({ status: 1, out: '' })
  })

  test('passes over an older Node to a fitting one further down PATH', () => {
    bench.node('20.20.2')
    const later = join(bench.folder, 'later')
    bench.node('24.1.0', later)
    const { out } = bench.start(['run'], { PATH: `${bench.bin}:${later}` })
    expect(out).toMatch(/^node 24\.1\.0:/)
  })

  test('FW_NODE is taken before PATH, and refused when it does not fit', () => {
    bench.node('24.0.0')
    const mine = bench.node('26.1.0', join(bench.folder, 'mine'))
    expect(bench.start(['run'], { FW_NODE: mine }).out).toMatch(/^node 26\.1\.0:/)
    const old = bench.node('20.1.0', join(bench.folder, 'old'))
    const refused = bench.start(['run'], { FW_NODE: old })
    expect(refused.status).toBe(1)
    expect(refused.said).toContain('is not Node 22.18 or newer')
  })

  test('without any Node one line says how to get one', () => {
    const { status, said } = bench.start()
    expect(status).toBe(1)
    expect(said).toBe(
      'fw: Node 22.18 or newer is needed. Install Node 24 from https://nodejs.org\n',
    )
  })

  test('with an old Node and no npm one line says how to get both', () => {
    bench.node('20.1.0')
    const { status, said } = bench.start()
    expect(status).toBe(1)
    expect(said.trim().split('\n')).toHaveLength(1)
    expect(said).toContain('no npm on PATH')
  })

  test('becomes the command, so that signals reach it and its exit code stands', () => {
    bench.program('node', '[ "$1" = --version ] && echo v24.0.0 && exit; echo $$; exit 7')
    const { pid, status, out } = bench.start()
    expect([status, out]).toEqual([7, `${pid}\n`])
  })
})

describe('fetching Node', () => {
  beforeEach(() => {
    bench.stamp()
    bench.node('20.20.2')
  })

  test('keeps it in the cache, says so in one line, and is silent the second time', () => {
    bench.pin(bench.registry('24.21.0'))
    const first = bench.start(['run'])
    expect(first.out).toMatch(/^node 24\.21\.0:/)
    expect(first.said).toMatch(
      /^fw: Node 20\.20\.2 is too old: fetching \S+ \S+ from npm into .*, once\n$/,
    )
    const second = bench.start(['run'])
    expect(second).toMatchObject({ status: 0, said: '', out: first.out })
    expect(bench.npmCalls()).toHaveLength(1)
    expect(
      readdirSync(join(bench.cache, 'fw')).filter((name) => name.startsWith('partial')),
    ).toEqual([])
  })

  test('puts it first on PATH, so that npm runs under it', () => {
    bench.pin(bench.registry('24.21.0'))
    bench.start()
    bench.npm('mkdir -p node_modules; node --version > under')
    bench.write('package-lock.json', '{ "packages": { "node_modules/x": {} } }')
    bench.start()
    expect(bench.read('under')).toBe('v24.21.0\n')
  })

  test('a file that is not the pinned one is not run, and nothing of it is kept', () => {
    bench.registry('24.21.0')
    const { status, said, out } = bench.start(['run'])
    expect([status, out]).toEqual([1, ''])
    expect(said).toContain('sha512 differs')
    const kept = readdirSync(join(bench.cache, 'fw'), { recursive: true, withFileTypes: true })
    expect(kept.filter((entry) => entry.isFile())).toEqual([])
  })

  test('a Node that does not run on this system is not kept', () => {
    const sum = bench.registry('24.21.0; exit 1; echo ')
    bench.pin(sum)
    const { status, said } = bench.start(['run'])
    expect(status).toBe(1)
    expect(said).toContain('does not run on this system')
  })

  test('a failed download says what to do', () => {
    bench.npm('echo "npm error network" >&2; exit 1')
    const { status, said } = bench.start(['run'])
    expect(status).toBe(1)
    expect(said).toContain('npm error network\nfw: npm could not fetch')
  })
})

describe('dependencies', () => {
  beforeEach(() => {
    bench.node('24.21.0')
    bench.npm()
  })

  test('are installed when node_modules is missing, with npm’s words on stderr', () => {
    rmSync(bench.path('node_modules'), { recursive: true })
    bench.npm(
      'mkdir -p node_modules/fwjs/dist/cli; : > node_modules/fwjs/dist/cli/main.js; echo added 3 packages',
    )
    const { status, said, out } = bench.start(['routes', '--json'])
    expect(status).toBe(0)
    expect(said).toBe('fw: installing the dependencies (npm ci)\nadded 3 packages\n')
    expect(out).not.toContain('added')
  })

  test('are not touched by the second start', () => {
    bench.start()
    bench.start()
    expect(bench.npmCalls()).toHaveLength(1)
  })

  test('are installed again when the lockfile changes', () => {
    bench.start()
    bench.write('package-lock.json', '{ "packages": { "node_modules/x": { "version": "2.0.0" } } }')
    bench.start()
    expect(bench.npmCalls()).toHaveLength(2)
  })

  test('are left alone when npm was run by hand since', () => {
    const packages = { 'node_modules/x': { version: '1.0.0', integrity: 'sha512-a' } }
    const optional = { 'node_modules/other-system': { version: '1.0.0', optional: true } }
    bench.write(
      'package-lock.json',
      JSON.stringify({ packages: { '': {}, ...packages, ...optional } }),
    )
    bench.write('node_modules/.package-lock.json', JSON.stringify({ packages }))
    expect(bench.start().said).toBe('')
    expect(bench.npmCalls()).toEqual([])
  })

  test.each([
    ['another version', { 'node_modules/x': { version: '1.0.1' } }],
    ['another content', { 'node_modules/x': { version: '1.0.0', integrity: 'sha512-b' } }],
    [
      'a package too many',
      { 'node_modules/x': { version: '1.0.0' }, 'node_modules/y': { version: '1.0.0' } },
    ],
    ['a package too few', {}],
  ])('are installed when node_modules holds %s', (_what, present) => {
    const packages = { 'node_modules/x': { version: '1.0.0' } }
    bench.write('package-lock.json', JSON.stringify({ packages }))
    bench.write('node_modules/.package-lock.json', JSON.stringify({ packages: present }))
    bench.start()
    expect(bench.npmCalls()).toHaveLength(1)
  })

  test('are resolved with npm install when there is no lockfile yet', () => {
    rmSync(bench.path('package-lock.json'))
    bench.npm('mkdir -p node_modules; echo "{}" > package-lock.json')
    bench.start()
    bench.start()
    expect(bench.npmCalls()).toEqual([expect.stringMatching(/^npm install /)])
  })

  test('a failed install stops the start, says what to do and is tried again', () => {
    bench.npm('echo "npm error E404" >&2; exit 1')
    const failed = bench.start(['run'])
    expect(failed).toMatchObject({ status: 1, out: '' })
    expect(failed.said).toContain('npm error E404\nfw: npm ci failed')
    bench.npm()
    expect(bench.start(['run']).status).toBe(0)
  })

  test('two launchers at once install once', async () => {
    bench.npm('until [ -f go ]; do sleep 0.05; done; mkdir -p node_modules')
    const both = [bench.begin(['run']), bench.begin(['run'])]
    await Promise.race(both.map((one) => one.says('waiting for it')))
    bench.write('go', '')
    expect(await Promise.all(both.map((one) => one.ended))).toEqual([0, 0])
    expect(bench.npmCalls()).toHaveLength(1)
  })

  test('the lock of a launcher that died is taken over', () => {
    mkdirSync(bench.path('.fw'))
    symlinkSync('999999999', bench.path('.fw/install.lock'))
    expect(bench.start(['run']).status).toBe(0)
    expect(bench.npmCalls()).toHaveLength(1)
    expect(existsSync(bench.path('.fw/install.lock'))).toBe(false)
  })

  test('without fwjs among them one line says how to add it', () => {
    rmSync(bench.path('node_modules/fwjs'), { recursive: true })
    expect(bench.start(['run']).said).toContain('Add it: npm install fwjs')
  })
})

describe('in the repository', () => {
  beforeEach(() => {
    bench.node('24.21.0')
    bench.stamp()
    bench.write('package.json', '{\n  "name": "fwjs",\n}\n')
  })

  const source = 'node 24.21.0: --conditions=fwjs-source src/cli/main.ts'

  test('the command runs from its sources', () => {
    expect(bench.start(['--version']).out).toBe(`${source} --version\n`)
  })

  test.each([
    'run',
    'check',
    'routes',
    'console',
    'doctor',
    'openapi',
    'client',
    'test:from-error',
    'db:migrate',
  ])('%s means the example', (command) => {
    const example = '--app examples/members'
    expect(bench.start([command, '-x']).out).toBe(`${source} ${command} -x ${example}\n`)
    expect(bench.start([command, '--app', 'x']).out).toBe(`${source} ${command} --app x\n`)
    expect(bench.start([command, '--app=x']).out).toBe(`${source} ${command} --app=x\n`)
    bench.write('src/main/bootstrap.ts', '')
    expect(bench.start([command]).out).toBe(`${source} ${command}\n`)
  })

  test('test runs the whole of the checks', () => {
    expect(bench.start(['test', 'src/http']).out).toBe('node 24.21.0: scripts/test.ts src/http\n')
  })

  test('this repository is recognised', () => {
    rmSync(bench.path('package.json'))
    symlinkSync(join(process.cwd(), 'package.json'), bench.path('package.json'))
    expect(bench.start(['--version']).out).toBe(`${source} --version\n`)
  })
})

test('started where there is no application, it says so', () => {
  rmSync(bench.path('package.json'))
  chmodSync(bench.path('fw'), 0o755)
  expect(bench.start(['run']).said).toContain('there is no package.json beside')
})
