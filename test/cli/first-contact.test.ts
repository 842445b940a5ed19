/** The first minute: an old Node, a closed pipe, an empty PORT. */
import { parse } from 'acorn'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { listenPort } from '../../src/tools/cli/load-application.ts'
import { fwCommand, visibleEnvironment } from '../support/environment.ts'

const repository = resolve(import.meta.dirname, '../..')
const main = join(repository, 'src/tools/cli/main.ts')

/** A module that makes Node report another version. */
const pretend = (version: string): string =>
  `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"${version}"}})`

describe('an unsupported Node', () => {
  test.each(['20.20.2', '22.17.1', '18.0.0'])('%s gets one line with the remedy', (version) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', pretend(version), ...fwCommand, 'run'],
      { cwd: repository, env: visibleEnvironment(), encoding: 'utf8' },
    )
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^fw: Node \S+ is too old: Fw needs Node 22\.18 or newer\. .*\n$/)
    expect(stderr).toContain(version)
    expect(stderr).toContain('https://nodejs.org')
  })

  test('reaches the version check: the executable imports nothing before it, and has no recent syntax', () => {
    const program = parse(readFileSync(main, 'utf8'), {
      ecmaVersion: 2022,
      sourceType: 'module',
      allowHashBang: true,
    })
    const kinds = program.body.map(({ type }) => type)
    expect(kinds).not.toContain('ImportDeclaration')
    expect(kinds).toContain('IfStatement')
  })
})

test('a reader that closes the pipe early is no failure', async () => {
  const child = spawn(process.execPath, [...fwCommand, 'help'], { env: visibleEnvironment() })
  let stderr = ''
  child.stderr.on('data', (text) => (stderr += String(text)))
  child.stdout.destroy()
  const [code] = (await once(child, 'close')) as [number | null]
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

describe('the port', () => {
  afterEach(() => void vi.unstubAllEnvs())

  test('an empty variable or option counts as absent', () => {
    vi.stubEnv('FW_PORT', '')
    vi.stubEnv('PORT', '')
    expect(listenPort(undefined)).toBe(8080)
    vi.stubEnv('PORT', '4000')
    expect(listenPort('')).toBe(4000)
    expect(listenPort('0')).toBe(0)
  })
})
