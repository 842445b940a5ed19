/** readSettings: typed values, or every problem at once. */
import { expect, expectTypeOf, test } from 'vitest'
import { Configuration } from './configuration.ts'
import { FwEnv } from './environment.ts'
import { parseKeyFile } from './parse-key-file.ts'
import { ConfigurationError } from './configuration-error.ts'
import { defineSettings, readSettings, settingRows, type SettingsSchema } from './settings.ts'

const schema = defineSettings({
  server: {
    port: { kind: 'int', default: 8080, min: 0, max: 65_535, doc: 'Port to listen on' },
    name: { kind: 'string', doc: 'Shown name' },
    mode: { kind: 'string', oneOf: ['single', 'cluster'], default: 'single', doc: 'Processes' },
    timeouts: {
      headers: { kind: 'duration', default: 10_000, max: 60_000, doc: 'Wait for headers' },
    },
    methods: { kind: 'strings', oneOf: ['GET', 'POST'], doc: 'Methods' },
    headers: { kind: 'texts', doc: 'More headers' },
    limit: {
      kind: 'size',
      default: 1024,
      doc: 'Largest body',
      check: (n) => (n % 2 === 0 ? undefined : 'must be even'),
    },
  },
  db: {
    kind: 'each',
    doc: 'Databases',
    of: { url: { kind: 'string', required: true, doc: 'set it to the address' } },
  },
  sessions: {
    key: {
      kind: 'string',
      secret: true,
      required: (env) => env.isProduction(),
      doc: 'set it to 32 random bytes',
      check: (text) => (text.length < 32 ? 'must have 32 characters at least' : undefined),
    },
  },
})

function configurationOf(text: string, env = 'test'): Configuration {
  return new Configuration(parseKeyFile(text, 'a.yml').section, new FwEnv(env))
}

function faults(text: string, env?: string, of: SettingsSchema = schema): string[] {
  try {
    readSettings(configurationOf(text, env), of)
    return []
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    return error.message.split('\n  ')
  }
}

test('values and defaults are typed', () => {
  const settings = readSettings(
    configurationOf(
      'server: { port: 1, methods: "GET, POST", headers: { X-A.b: c }, timeouts.headers: 1s }\ndb.default.url: u',
    ),
    schema,
  )
  expect(settings.server).toEqual({
    port: 1,
    name: undefined,
    mode: 'single',
    timeouts: { headers: 1000 },
    methods: ['GET', 'POST'],
    headers: new Map([['X-A.b', 'c']]),
    limit: 1024,
  })
  expect(settings.db).toEqual(new Map([['default', { url: 'u' }]]))
  expectTypeOf(settings.server.port).toEqualTypeOf<number>()
  expectTypeOf(settings.server.name).toEqualTypeOf<string | undefined>()
  expectTypeOf(settings.server.mode).toEqualTypeOf<'single' | 'cluster'>()
  expectTypeOf(settings.server.methods).toEqualTypeOf<readonly ('GET' | 'POST')[] | undefined>()
  expectTypeOf(settings.server.timeouts.headers).toEqualTypeOf<number>()
  expectTypeOf(settings.db.get('default')!.url).toEqualTypeOf<string>()
  expectTypeOf(settings.sessions.key).toEqualTypeOf<string | undefined>()
  // @ts-expect-error no such setting
  void settings.server.prot
})

test('an empty configuration gives the defaults', () => {
  expect(readSettings(configurationOf(''), schema).server.port).toBe(8080)
})

test('every problem is listed with its origin', () => {
  const text = `server:
  prot: 1
  port: 70000
  mode: clutser
  timeouts: 5s
  methods: [GET, PSOT]
  headers: x
  limit: 3
  name: { a: 1 }
db:
  default: {}
  other: x
sessions.key: short
`
  expect(faults(text)).toEqual([
    'The configuration has 11 problems:',
    'a.yml:2:9  unknown key server.prot; did you mean server.port?',
    'a.yml:3:9  server.port is "70000"; it must be at most 65535',
    'a.yml:9:3  server.name must be a string, not a section',
    'a.yml:4:9  server.mode is "clutser"; it must be one of single, cluster; did you mean cluster?',
    'a.yml:5:13  server.timeouts must be a section with keys of its own',
    'a.yml:6:3  server.methods must be one of GET, POST; did you mean POST?',
    'a.yml:7:12  server.headers must be a section of names with strings',
    'a.yml:8:10  server.limit is "3"; it must be even',
    'a.yml:11:3  db.default.url is missing: set it to the address',
    'a.yml:12:10  db.other must be a section with keys of its own',
    'a.yml:13:15  sessions.key is [redacted]; it must have 32 characters at least',
  ])
})

test('a typo in name, kind or section cannot disable a limit', () => {
  expect(faults('server: { limitt: 1 }')[0]).toContain('did you mean server.limit?')
  expect(faults('server: { limit: 10Mb }')[0]).toContain('must be a size in bytes')
  expect(faults('server: { limit: [1] }')[0]).toContain('not a list')
  expect(faults('sever: { limit: 2 }')[0]).toContain('unknown key sever; did you mean server?')
  expect(faults('server: { zzz: 1 }')[0]).toContain(
    'known are headers, limit, methods, mode, name, port, timeouts',
  )
})

test("other keys at the root are the application's own", () => {
  expect(faults('mailer: { from: x }\nsevers: 1\nserver: { port: 1 }')).toEqual([])
})

test('a required setting without a value is reported with its place, and that of an empty section', () => {
  expect(faults('sessions:\n  key:', 'production')[0]).toMatch(
    /a\.yml:2:\d+ +sessions\.key has no value: set it/,
  )
  expect(faults('sessions:', 'production')[0]).toMatch(
    /a\.yml:1:\d+ +sessions\.key is missing: set it/,
  )
})

test('a setting may be required in some environments only', () => {
  expect(faults('', 'test')).toEqual([])
  expect(faults('', 'production')).toEqual([
    'The configuration cannot be used: sessions.key is missing: set it to 32 random bytes',
  ])
})

test('settingRows lists the settings for the documentation', () => {
  const rows = [...settingRows(schema)]
  expect(rows.map(({ key }) => key)).toContain('db.*.url')
  expect(rows[0]).toEqual({
    key: 'server.port',
    kind: 'int',
    doc: 'Port to listen on',
    default: 8080,
  })
})
