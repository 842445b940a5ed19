/** loadConfiguration: files, environments, variables and includes. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { readKeyFile, readKeyFiles, useParsedKeyFiles, writeParsedKeyFiles } from './key-file.ts'
import { loadConfiguration } from './load-configuration.ts'
import type { ConfigurationSource } from './load-configuration.ts'
import { ConfigurationError } from './configuration-error.ts'
import { parseKeyFile } from './parse-key-file.ts'

vi.mock('./parse-key-file.ts', { spy: true })

const base = mkdtempSync(join(tmpdir(), 'fw-config-'))
let root: string

beforeEach(() => {
  root = mkdtempSync(join(base, 'app-'))
})
afterAll(() => rmSync(base, { recursive: true }))

function write(path: string, text: string | Uint8Array): void {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

function application(text: string): void {
  write('src/main/resources/application.yml', text)
}

function load(source: Partial<ConfigurationSource> = {}) {
  return loadConfiguration({ root, environment: {}, ...source })
}

function faults(source: Partial<ConfigurationSource> = {}): string[] {
  try {
    load(source)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return error.problems.map(({ origin, text }) =>
      origin === undefined ? text : `${origin.line}:${origin.column} ${text}`,
    )
  }
  throw new Error('the configuration was accepted')
}

test('without a file the configuration is empty', () => {
  expect(load().keys()).toEqual([])
  expect(load().string('a.b')).toBeUndefined()
})

test("the environment's section overrides the root", () => {
  application('a: { x: 1, y: 1 }\ntest.a.y: 2\nproduction: { a: { y: 3 } }')
  expect(load({ env: 'test' }).value('a')).toMatchObject({ x: 1, y: 2 })
  expect(load({ env: 'production' }).value('a')).toMatchObject({ x: 1, y: 3 })
  expect(load({ env: 'development' }).value('a')).toMatchObject({ x: 1, y: 1 })
})

test('short and long names of an environment select the same section; others are left out', () => {
  application('prod: { x: 1 }\nstaging: { x: 2 }')
  expect(load({ env: 'production' }).int('x')).toBe(1)
  expect(load({ env: 'prod' }).int('x')).toBe(1)
  expect(load({ env: 'qa' }).int('x')).toBe(2)
  expect(load({ env: 'prod' }).keys()).toEqual(['x'])
})

test('the environment is FW_ENV, else APP_ENV, else NODE_ENV, else development', () => {
  application('test: { x: test }\nproduction: { x: production }\nstaging: { x: staging }')
  const variables = { FW_ENV: 'test', APP_ENV: 'qa', NODE_ENV: 'production' }
  expect(load({ environment: variables }).string('x')).toBe('test')
  expect(load({ environment: { ...variables, FW_ENV: '' } }).string('x')).toBe('staging')
  expect(load({ environment: { NODE_ENV: 'production' } }).env.isProduction()).toBe(true)
  expect(load().env.isDevelopment()).toBe(true)
  expect(load().env.name).toBe('development')
})

test('the error has a code', () => {
  expect(() => load({ file: 'nowhere.yml' })).toThrow(
    expect.objectContaining({ name: 'ConfigurationError', code: 'config.invalid' }),
  )
})

test('an unknown environment needs a section with its name', () => {
  expect(faults({ env: 'prodution' })).toEqual([
    'the environment "prodution" of FW_ENV is unknown, because src/main/resources/application.yml has no section of that name; did you mean production?',
  ])
  application('x: 1\npreview: { x: 2 }')
  expect(load({ env: 'preview' }).int('x')).toBe(2)
  expect(load({ env: 'preview' }).keys()).toEqual(['x'])
})

test('variables and defaults are expanded', () => {
  application(
    'a: ${HOST}:${PORT:-8080}\nb: ${NONE:-}\nc: $${HOST}\nd: ${NONE:-${HOST}}\ne: [x, "${HOST}"]\nf: $1 {x}',
  )
  const configuration = load({ environment: { HOST: 'h' } })
  expect(configuration.string('a')).toBe('h:8080')
  expect(configuration.has('b')).toBe(false)
  expect(configuration.string('c')).toBe('${HOST}')
  expect(configuration.string('d')).toBe('h')
  expect(configuration.stringSeq('e')).toEqual(['x', 'h'])
  expect(configuration.string('f')).toBe('$1 {x}')
})

test('defaults may be nested eight levels deep', () => {
  const nested = (levels: number): string => '${NONE:-'.repeat(levels) + 'x' + '}'.repeat(levels)
  application(`a: "${nested(8)}"`)
  expect(load().string('a')).toBe('x')
  application(`a: "${nested(9)}"`)
  expect(faults()).toEqual(['1:4 `${…}` is nested too deeply'])
})

test('a variable is not expanded again', () => {
  application('a: ${X}')
  expect(load({ environment: { X: '${X}' } }).string('a')).toBe('${X}')
})

test('all missing variables are problems, but not those of other environments', () => {
  application('a: ${A}\nb:\n  c: "${B"\nproduction: { d: "${D}" }\ne: ${toString}\nf: ${1}')
  expect(faults({ env: 'test' })).toEqual([
    '1:4 the environment variable A is not set; set it, or write ${A:-default}',
    '3:6 `${` has no `}`; write `$${` for a literal `${`',
    '5:4 the environment variable toString is not set; set it, or write ${toString:-default}',
    '6:4 `${…}` must contain the name of an environment variable',
  ])
})

test('a file overrides the files it includes; later includes override earlier ones', () => {
  application('include: [one.yml, ../two.yml]\nx: own')
  write('src/main/resources/one.yml', 'x: one\ny: one\nz: one')
  write('src/main/two.yml', 'y: two\ninclude: three.yml')
  write('src/main/three.yml', 'w: three\ny: three')
  const configuration = load()
  expect(configuration.keys().sort()).toEqual(['w', 'x', 'y', 'z'])
  expect(['w', 'x', 'y', 'z'].map((key) => configuration.string(key))).toEqual([
    'three',
    'own',
    'two',
    'one',
  ])
})

test('an include that is missing, circular or not a path is a problem', () => {
  application('a: 1\ninclude: nowhere.yml')
  expect(faults()[0]).toMatch(/^2:10 the included file .*nowhere\.yml does not exist$/)
  application('include: application.yml')
  expect(faults()).toEqual(['1:10 application.yml includes itself'])
  application('include: { a: 1 }')
  expect(faults()[0]).toMatch(/`include` takes the path of a file/)
})

test('.env files are read in development and tests only; process variables override them', () => {
  application('x: ${X:-none}')
  write('.env', 'X=dotenv')
  expect(load().string('x')).toBe('dotenv')
  expect(load({ env: 'production' }).string('x')).toBe('none')
  expect(load({ environment: { X: 'process' } }).string('x')).toBe('process')
  write('.env.local', 'X=local')
  expect(load().string('x')).toBe('local')
  expect(load({ env: 'test' }).string('x')).toBe('dotenv')
  write('.env.test', 'X=of-test')
  expect(load({ env: 'test' }).string('x')).toBe('of-test')
  expect(process.env['X']).toBeUndefined()
})

test('a file that is named must exist; it overrides that of FW_CONFIG_FILE', () => {
  expect(faults({ file: 'other.yml' })).toEqual(['the file other.yml does not exist'])
  write('other.yml', 'x: 1')
  write('site.yml', 'x: 2\ny: 2')
  const configuration = load({ file: 'other.yml', environment: { FW_CONFIG_FILE: 'site.yml' } })
  expect([configuration.int('x'), configuration.int('y')]).toEqual([1, 2])
})

test('a file that is not UTF-8, and a folder instead of a file, are problems', () => {
  application('x: 1')
  write('src/main/resources/application.yml', new Uint8Array([0x61, 0x3a, 0x20, 0xff]))
  expect(faults()).toEqual(['1:1 is not UTF-8'])
  mkdirSync(join(root, 'folder.yml'))
  expect(faults({ file: 'folder.yml' })).toEqual(['1:1 cannot be read (EISDIR)'])
})

test('readKeyFiles lists files by suffix, and the problems of all of them', () => {
  write('messages.yml', 'a: 1')
  write('messages_ja.yaml', 'a: 2')
  write('message.yml', 'a: 3')
  expect([...readKeyFiles(root, 'messages').keys()]).toEqual(['', 'ja'])
  expect(readKeyFiles(join(root, 'nowhere'), 'messages').size).toBe(0)
  write('messages_de.yml', 'a: "')
  write('messages_fr.yml', 'b: "')
  expect(() => readKeyFiles(root, 'messages')).toThrow(/messages_de.yml:1:5[^]*messages_fr.yml:1:5/)
})

test('an unchanged file is read as fw check parsed it, a changed one is parsed', () => {
  application('a: { b: 1, c: .inf }\nempty:')
  write('src/main/resources/broken.yml', 'a: "')
  writeParsedKeyFiles(root, join(root, 'src/main/resources'))
  onTestFinished(() => useParsedKeyFiles(join(root, 'nowhere')))
  const file = join(root, 'src/main/resources/application.yml')
  const parsed = readKeyFile(file)
  useParsedKeyFiles(root)
  vi.mocked(parseKeyFile).mockClear()
  expect(readKeyFile(file)).toEqual(parsed)
  expect(parseKeyFile).not.toHaveBeenCalled()
  expect(() => readKeyFile(join(root, 'src/main/resources/broken.yml'))).toThrow('broken.yml:1:5')
  application('a: { b: 2 }')
  expect(load().int('a.b')).toBe(2)
})

test('an unchanged file is parsed once, a changed one is parsed again', () => {
  application('a: 1')
  const file = join(root, 'src/main/resources/application.yml')
  expect(readKeyFile(file)).toBe(readKeyFile(file))
  application('a: 2')
  expect(load().int('a')).toBe(2)
})
