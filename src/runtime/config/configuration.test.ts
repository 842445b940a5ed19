/** Configuration and FwConfig read values by dotted key. */
import { inspect } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { Configuration } from './configuration.ts'
import { FwEnv } from './environment.ts'
import { FwConfig } from './fw-config.ts'

const configuration = Configuration.from({
  db: { default: { url: 'postgres://ann:pw@h/x', password: 'pw' } },
  'db.default.pool': 5,
  ratio: 1.5,
  debug: 'on',
  wait: '5s',
  limit: '1MiB',
  hosts: ['a', 'b'],
  ports: [1, 2],
  csv: 'a, b,,c',
  mixed: [1, 'x'],
  none: undefined,
})

afterEach(() => FwConfig.use(undefined))

test('readers convert values', () => {
  expect(configuration.string('db.default.pool')).toBe('5')
  expect(configuration.int('db.default.pool')).toBe(5)
  expect(configuration.double('ratio')).toBe(1.5)
  expect(configuration.boolean('debug')).toBe(true)
  expect(configuration.duration('wait')).toBe(5000)
  expect(configuration.size('limit')).toBe(1_048_576)
  expect(configuration.stringSeq('hosts')).toEqual(['a', 'b'])
  expect(configuration.stringSeq('csv')).toEqual(['a', 'b', 'c'])
})

test('readers return undefined for a key that is missing, empty, or of another kind', () => {
  for (const key of [
    'nope',
    'none',
    'db.nope.url',
    'ratio.x',
    'db',
    'db.default',
    '',
    '.',
    '__proto__',
    'toString',
  ]) {
    expect(configuration.string(key)).toBeUndefined()
  }
  expect(configuration.int('ratio')).toBeUndefined()
  expect(configuration.stringSeq('db')).toBeUndefined()
  expect(configuration.seq('mixed', 'int')).toBeUndefined()
  expect(configuration.has('none')).toBe(false)
})

test('a section is a configuration of its own', () => {
  const section = configuration.section('db.default')
  expect(section?.int('pool')).toBe(5)
  expect(section?.keys()).toEqual(['url', 'password', 'pool'])
  expect(configuration.section('ratio')).toBeUndefined()
  expect(() => section?.require('pool', 'boolean')).toThrow(
    'db.default.pool is "5", not true or false',
  )
})

test('require names the problem without the value of a secret', () => {
  expect(configuration.require('wait', 'duration')).toBe(5000)
  expect(() => configuration.require('nope', 'int')).toThrow(
    'nope is missing; it must be a whole number',
  )
  expect(() => configuration.require('db', 'int')).toThrow('db is not a whole number')
  expect(() => configuration.require('db.default.password', 'int')).toThrow(
    'password is [redacted], not a whole',
  )
  expect(() => configuration.require('db.default.url', 'int')).toThrow(
    '"postgres://[redacted]@h/x"',
  )
})

test('printing hides secrets', () => {
  for (const printed of [inspect(configuration, { depth: 9 }), JSON.stringify(configuration)]) {
    expect(printed).toContain('a, b,,c')
    expect(printed).not.toContain('pw')
  }
})

test('copies and clones have no secrets', () => {
  const values = { ...configuration }
  const raw = inspect(configuration, { customInspect: false, depth: 9 })
  const clone = inspect(structuredClone(configuration), { depth: 9 })
  for (const copy of [inspect(values, { depth: 9 }), clone, raw]) expect(copy).not.toContain('pw')
})

test('a key that plain values give twice is an error', () => {
  expect(() => Configuration.from({ 'a.b': 1, a: { b: 2 } })).toThrow('`a` was already given')
})

test('FwConfig.from makes a configuration of plain values', () => {
  const made = FwConfig.from({ 'limits.body': '1MiB' }, new FwEnv('production'))
  expect(made.size('limits.body')).toBe(1_048_576)
  expect(made.env.isProduction()).toBe(true)
  expect(FwConfig.from({}).env.isTest()).toBe(true)
})

test("FwConfig has the specification's accessors", () => {
  FwConfig.use(configuration)
  expect(FwConfig.stringConfigValue('db.default.password')).toBe('pw')
  expect(FwConfig.intConfigValue('db.default.pool')).toBe(5)
  expect(FwConfig.longConfigValue('db.default.pool')).toBe(5)
  expect(FwConfig.doubleConfigValue('ratio')).toBe(1.5)
  expect(FwConfig.booleanConfigValue('debug')).toBe(true)
  expect(FwConfig.durationConfigValue('wait')).toBe(5000)
  expect(FwConfig.sizeConfigValue('limit')).toBe(1_048_576)
  expect(FwConfig.stringSeqConfigValue('hosts')).toEqual(['a', 'b'])
  expect(FwConfig.intSeqConfigValue('ports')).toEqual([1, 2])
  expect(FwConfig.longSeqConfigValue('ports')).toEqual([1, 2])
  expect(FwConfig.doubleSeqConfigValue('ports')).toEqual([1, 2])
  expect(FwConfig.booleanSeqConfigValue('ports')).toBeUndefined()
  expect(FwConfig.getConfigValue('db.default')).toMatchObject({ pool: 5 })
  expect(FwConfig.stringConfigValue('nope')).toBeUndefined()
  expect(FwConfig.env.isTest()).toBe(true)
})

test('without FwConfig.use, the configuration of the working folder is read once', () => {
  expect(FwConfig.current).toBe(FwConfig.current)
  expect(FwConfig.env.isTest()).toBe(true)
})

test.each([
  [undefined, 'isDevelopment'],
  ['development', 'isDevelopment'],
  ['dev', 'isDevelopment'],
  ['test', 'isTest'],
  ['staging', 'isStaging'],
  ['qa', 'isStaging'],
  ['production', 'isProduction'],
  ['prod', 'isProduction'],
  ['Production', undefined],
] as const)('environment %s', (name, truth) => {
  const env = new FwEnv(name)
  for (const predicate of ['isDevelopment', 'isTest', 'isStaging', 'isProduction'] as const) {
    expect(env[predicate]()).toBe(predicate === truth)
  }
})
