/** The launcher: which Node it selects, what it caches, when it installs. .ci/run tests the real download. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LauncherBench } from './support/launcher-bench.ts'

let bench: LauncherBench
beforeEach(() => {
  bench = new LauncherBench()
})
afterEach(() => bench[Symbol.dispose]())

describe('selecting Node', () => {
  beforeEach(() => bench.stamp())

  test.each(['22.18.0', '24.21.0', '26.0.0'])('%s on PATH is used', (version) => {
    bench.node(version)
    expect(bench.start(['routes', '--json'])).toMatchObject({ status: 0, stderr: '' })
  })

  test('the application’s command gets the arguments unchanged', () => {
    bench.node('24.21.0')
    const { stdout } = bench.start(['g', 'a b', '*'])
    expect(stdout).toBe('node 24.21.0: node_modules/fwjs/dist/tools/cli/main.js g a b *\n')
  })

  test('the type stripping warning is disabled on Node 22 only', () => {
    bench.node('22.19.0')
    expect(bench.start(['run']).stdout).toContain('--disable-warning=ExperimentalWarning')
    bench.node('24.21.0')
    expect(bench.start(['run']).stdout).not.toContain('--disable-warning')
  })

  test.each(['20.20.2', '22.17.9', '9.0.0'])('%s is not used', (version) => {
    bench.node(version)
    bench.npm('exit 1')
    expect(bench.start()).toMatchObject({ status: 1, stdout: '' })
  })

  test('a supported Node later on PATH is used instead of an older one', () => {
    bench.node('20.20.2')
    const later = join(bench.folder, 'later')
    bench.node('24.1.0', later)
    const { stdout } = bench.start(['run'], { PATH: `${bench.bin}:${later}` })
    expect(stdout).toMatch(/^node 24\.1\.0:/)
  })

  test('FW_NODE takes precedence over PATH, and an unsupported one is an error', () => {
    bench.node('24.0.0')
    const mine = bench.node('26.1.0', join(bench.folder, 'mine'))
    expect(bench.start(['run'], { FW_NODE: mine }).stdout).toMatch(/^node 26\.1\.0:/)
    const old = bench.node('20.1.0', join(bench.folder, 'old'))
    const refused = bench.start(['run'], { FW_NODE: old })
    expect(refused.status).toBe(1)
    expect(refused.stderr).toContain('is not Node 22.18 or newer')
  })

  test('without any Node, one line explains how to install it', () => {
    const { status, stderr } = bench.start()
    expect(status).toBe(1)
    expect(stderr).toBe(
      'fw: Node 22.18 or newer is needed. Install Node 24 from https://nodejs.org\n',
    )
  })

  test('with an old Node and no npm, one line explains how to install both', () => {
    bench.node('20.1.0')
    const { status, stderr } = bench.start()
    expect(status).toBe(1)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stderr).toContain('no npm on PATH')
  })

  test('the command replaces the launcher’s process, so it gets signals and sets the exit code', () => {
    bench.program('node', '[ "$1" = --version ] && echo v24.0.0 && exit; echo $$; exit 7')
    const { pid, status, stdout } = bench.start()
    expect([status, stdout]).toEqual([7, `${pid}\n`])
  })
})

describe('downloading Node', () => {
  beforeEach(() => {
    bench.stamp()
    bench.node('20.20.2')
  })

  test('it is cached and reported in one line, and the second start prints nothing', () => {
    bench.pin(bench.registry('24.21.0'))
    const first = bench.start(['run'])
    expect(first.stdout).toMatch(/^node 24\.21\.0:/)
    expect(first.stderr).toMatch(
      /^fw: Node 20\.20\.2 is too old: fetching \S+ \S+ from npm into .*, once \(about 50 MB\)\n$/,
    )
    const second = bench.start(['run'])
    expect(second).toMatchObject({ status: 0, stderr: '', stdout: first.stdout })
    expect(bench.npmCalls()).toHaveLength(1)
    expect(
      readdirSync(join(bench.cache, 'fw')).filter((name) => name.startsWith('partial')),
    ).toEqual([])
  })

  test('it is first on PATH, so that npm runs on it', () => {
    bench.pin(bench.registry('24.21.0'))
    bench.start()
    bench.npm('mkdir -p node_modules; node --version > under')
    bench.write('package-lock.json', '{ "packages": { "node_modules/x": {} } }')
    bench.start()
    expect(bench.read('under')).toBe('v24.21.0\n')
  })

  test('a file with another hash is neither run nor cached', () => {
    bench.registry('24.21.0')
    const { status, stderr, stdout } = bench.start(['run'])
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain('does not have the pinned sha512')
    const kept = readdirSync(join(bench.cache, 'fw'), { recursive: true, withFileTypes: true })
    expect(kept.filter((entry) => entry.isFile())).toEqual([])
  })

  test('a Node that does not run on this system is not cached', () => {
    const sum = bench.registry('24.21.0; exit 1; echo ')
    bench.pin(sum)
    const { status, stderr } = bench.start(['run'])
    expect(status).toBe(1)
    expect(stderr).toContain('does not run on this system')
  })

  test('a failed download explains what to do', () => {
    bench.npm('echo "npm error network" >&2; exit 1')
    const { status, stderr } = bench.start(['run'])
    expect(status).toBe(1)
    expect(stderr).toContain('npm error network\nfw: npm could not fetch')
  })
})

describe('dependencies', () => {
  beforeEach(() => {
    bench.node('24.21.0')
    bench.npm()
  })

  test('are installed when node_modules is missing, with npm’s output on stderr', () => {
    rmSync(bench.path('node_modules'), { recursive: true })
    bench.npm(
      'mkdir -p node_modules/fwjs/dist/tools/cli; : > node_modules/fwjs/dist/tools/cli/main.js; echo added 3 packages',
    )
    const { status, stderr, stdout } = bench.start(['routes', '--json'])
    expect(status).toBe(0)
    expect(stderr).toBe(
      'fw: installing the dependencies (npm ci); the first time, this can take two minutes\nadded 3 packages\n',
    )
    expect(stdout).not.toContain('added')
  })

  test('are not installed again by the second start', () => {
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

  /** Makes the installation older than what a test writes then: times of files differ only after some milliseconds. */
  const ageInstallation = () => utimesSync(bench.path('node_modules/.fw-lock.json'), 0, 0)

  test('are installed when package.json gets another dependency', () => {
    const dependencies = { x: '1.0.0' }
    bench.write('package-lock.json', JSON.stringify({ packages: { '': { dependencies } } }))
    bench.write('package.json', JSON.stringify({ name: 'shop', dependencies }))
    bench.start()
    ageInstallation()
    bench.write('package.json', JSON.stringify({ name: 'shop', version: '2.0.0', dependencies }))
    bench.start()
    expect(bench.npmCalls()).toEqual([expect.stringMatching(/^npm ci /)])
    ageInstallation()
    bench.write('package.json', JSON.stringify({ dependencies: { ...dependencies, y: '2.0.0' } }))
    bench.start()
    expect(bench.npmCalls()).toEqual([expect.anything(), expect.stringMatching(/^npm install /)])
  })

  test.each([{ CI: 'true' }, { NODE_ENV: 'production' }, { FW_ENV: 'production' }])(
    'are those of the lockfile with %j, also if package.json has others',
    (env) => {
      bench.write('package-lock.json', JSON.stringify({ packages: { '': {} } }))
      bench.start()
      ageInstallation()
      bench.write('package.json', JSON.stringify({ dependencies: { x: '1.0.0' } }))
      bench.npm('echo "npm error EUSAGE" >&2; exit 1')
      const failed = bench.start(['run'], env)
      expect(failed).toMatchObject({ status: 1, stdout: '' })
      expect(failed.stderr).toContain('npm error EUSAGE\nfw: npm ci failed')
      bench.npm()
      expect(bench.start(['run'], { CI: 'false' }).status).toBe(0)
      expect(bench.npmCalls().at(-1)).toMatch(/^npm install /)
    },
  )

  test('are not installed again after npm was run by hand', () => {
    const packages = { 'node_modules/x': { version: '1.0.0', integrity: 'sha512-a' } }
    const optional = { 'node_modules/other-system': { version: '1.0.0', optional: true } }
    bench.write(
      'package-lock.json',
      JSON.stringify({ packages: { '': {}, ...packages, ...optional } }),
    )
    bench.write('node_modules/.package-lock.json', JSON.stringify({ packages }))
    expect(bench.start().stderr).toBe('')
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
  ])('are installed when node_modules contains %s', (_what, present) => {
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

  test('a failed installation stops the start, explains what to do and is repeated', () => {
    bench.npm('echo "npm error E404" >&2; exit 1')
    const failed = bench.start(['run'])
    expect(failed).toMatchObject({ status: 1, stdout: '' })
    expect(failed.stderr).toContain('npm error E404\nfw: npm ci failed')
    bench.npm()
    expect(bench.start(['run']).status).toBe(0)
  })

  test('two concurrent launchers install once', async () => {
    bench.npm('until [ -f go ]; do sleep 0.05; done; mkdir -p node_modules')
    const both = [bench.spawn(['run']), bench.spawn(['run'])]
    await Promise.race(both.map((one) => one.waitForStderr('waiting for it')))
    bench.write('go', '')
    expect(await Promise.all(both.map((one) => one.ended))).toEqual([0, 0])
    expect(bench.npmCalls()).toHaveLength(1)
  })

  test('the lock of a killed launcher is replaced', () => {
    mkdirSync(bench.path('.fw'))
    symlinkSync('999999999', bench.path('.fw/install.lock'))
    expect(bench.start(['run']).status).toBe(0)
    expect(bench.npmCalls()).toHaveLength(1)
    expect(existsSync(bench.path('.fw/install.lock'))).toBe(false)
  })

  test('without fwjs, one line explains how to add it, without a name that npm would fetch', () => {
    rmSync(bench.path('node_modules/fwjs'), { recursive: true })
    const { status, stderr } = bench.start(['run'])
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining('Add the line "fwjs" that fw new has written'),
    ])
    expect(stderr).not.toMatch(/npm \S+ fwjs/)
  })

  test('an fwjs that was packed without its build is named', () => {
    rmSync(bench.path('node_modules/fwjs/dist'), { recursive: true })
    bench.write('node_modules/fwjs/package.json', '{}')
    expect(bench.start(['run']).stderr).toContain('was packed before it was built')
  })
})

describe('progress', () => {
  /** Writes a fake sleep that ends the first ten seconds at once. */
  const passTenSeconds = () => {
    const real = readlinkSync(join(bench.bin, 'sleep'))
    rmSync(join(bench.bin, 'sleep'))
    const file = bench.path('passed')
    bench.program('sleep', `[ "$1" != 10 ] || [ -f ${file} ] && exec ${real} "$@"; : > ${file}`)
  }

  test('a long installation prints the packages that are installed', async () => {
    bench.node('24.21.0')
    for (const name of ['a', '@scope/b']) bench.write(`node_modules/${name}/package.json`, '{}')
    bench.npm('until [ -f go ]; do sleep 0.05; done')
    passTenSeconds()
    const started = bench.spawn(['run'])
    await started.waitForStderr('fw: 2 packages installed, 10 seconds so far\n')
    bench.write('go', '')
    expect(await started.ended).toBe(0)
  })

  test('a long download says so', async () => {
    bench.stamp()
    bench.node('20.20.2')
    bench.npm('until [ -f go ]; do sleep 0.05; done; exit 1')
    passTenSeconds()
    const started = bench.spawn(['run'])
    await started.waitForStderr('fw: still fetching, 10 seconds so far\n')
    bench.write('go', '')
    expect(await started.ended).toBe(1)
  })
})

test('fw new writes into the folder of the caller', () => {
  bench.node('24.21.0')
  bench.stamp()
  bench.program('node', `[ "$1" = --version ] && echo v24.0.0 && exit; echo "$PWD: $*"`)
  const { stdout } = bench.start(['new', 'shop'])
  expect(stdout).toBe(
    `${bench.folder}: ${bench.path('node_modules/fwjs/dist/tools/cli/main.js')} new shop\n`,
  )
})

describe('in the repository', () => {
  beforeEach(() => {
    bench.node('24.21.0')
    bench.write('package.json', '{\n  "name": "fwjs",\n}\n')
    bench.stamp()
  })

  const source = 'node 24.21.0: --conditions=fwjs-source src/tools/cli/main.ts'

  test('the command runs from its sources', () => {
    expect(bench.start(['--version']).stdout).toBe(`${source} --version\n`)
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
  ])('%s uses the example application', (command) => {
    const example = '--app examples/members'
    expect(bench.start([command, '-x']).stdout).toBe(`${source} ${command} -x ${example}\n`)
    expect(bench.start([command, '--app', 'x']).stdout).toBe(`${source} ${command} --app x\n`)
    expect(bench.start([command, '--app=x']).stdout).toBe(`${source} ${command} --app=x\n`)
    bench.write('src/main/bootstrap.ts', '')
    expect(bench.start([command]).stdout).toBe(`${source} ${command}\n`)
  })

  test('test runs all checks', () => {
    expect(bench.start(['test', 'src/http']).stdout).toBe(
      'node 24.21.0: scripts/test.ts src/http\n',
    )
  })

  test('package builds and packs', () => {
    expect(bench.start(['package', '../shop/vendor']).stdout).toBe(
      'node 24.21.0: scripts/package.ts ../shop/vendor\n',
    )
  })

  test('the launcher recognises this repository', () => {
    rmSync(bench.path('package.json'))
    symlinkSync(join(process.cwd(), 'package.json'), bench.path('package.json'))
    expect(bench.start(['--version']).stdout).toBe(`${source} --version\n`)
  })
})

test('a start without an application is an error', () => {
  rmSync(bench.path('package.json'))
  chmodSync(bench.path('fw'), 0o755)
  expect(bench.start(['run']).stderr).toContain('there is no package.json beside')
})
