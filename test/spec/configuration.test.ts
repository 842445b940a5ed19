/** Configuration values of the specification: read, checked and told of at the start. */
import { describe, expect, expectTypeOf, it, test } from 'vitest'
import { FwConfig, FwController, FwServer, routes, type FwEnv } from '../../src/index.ts'
import { loadConfiguration } from '../../src/runtime/config.ts'
import { serve, temporaryFolder } from '../support/serve.ts'
import { silentLogger } from '../../src/runtime/base.ts'

const application = 'src/main/resources/application.yml'

class Settings extends FwController {
  index() {
    return {
      text: FwConfig.stringConfigValue('post.from'),
      number: FwConfig.intConfigValue('post.port'),
      list: FwConfig.stringSeqConfigValue('post.to'),
      wait: FwConfig.durationConfigValue('post.wait'),
      absent: [
        FwConfig.stringConfigValue('post.nope'),
        FwConfig.intConfigValue('post.nope'),
        FwConfig.stringSeqConfigValue('post.nope'),
      ].every((value) => value === undefined),
      test: FwConfig.env.isTest(),
      production: FwConfig.env.isProduction(),
    }
  }
}
const settings = routes(Settings, (r) => ({ index: r.get('/', 'index') }))

/** Starts an application that has this file; gives what the start says. */
async function startWith(text: string, env = 'test', variables: Record<string, string> = {}) {
  const root = temporaryFolder({ 'package.json': '{ "type": "module" }', [application]: text })
  try {
    const configuration = loadConfiguration({ root, env, environment: variables })
    const app = await new FwServer({ root, configuration, logger: silentLogger }).start()
    await app.close()
    return []
  } catch (error) {
    const lines = (error as Error).message.split('\n')
    return lines.map((line) => line.replace(/^.*application\.yml/, 'application.yml').trim())
  }
}

test('values, by dotted key, and the environment', async () => {
  const post = { from: 'a@b.c', port: 25, to: ['x', 'y'], wait: '5s' }
  const app = await serve([settings], { configuration: { post } })
  expectTypeOf(FwConfig.env).toEqualTypeOf<FwEnv>()
  expect((await app.get('/')).json()).toEqual({
    text: 'a@b.c',
    number: 25,
    list: ['x', 'y'],
    wait: 5000,
    absent: true,
    test: true,
    production: false,
  })
})

describe('the start', () => {
  it('tells every problem of every room at once, with its line', async () => {
    const said = await startWith(`limits:
  bdoy: 1MiB
  body: 1Mb
server:
  handlerTimout: 5s
  keepAliveTimeout: 25d
  hosts: { a: b }
db:
  default:
    poolsize: 5
    acquireTimeout: 5000
    statementTimeout: 48h
    url: mysql://root:secret@db/x
csfr:
  trustedOrigins: x
`)
    expect(said).toEqual([
      'The configuration has 10 problems:',
      'application.yml:14:1  unknown key csfr; did you mean csrf?',
      'application.yml:2:9  unknown key limits.bdoy; did you mean limits.body?',
      'application.yml:3:9  limits.body is "1Mb"; it must be a size in bytes such as 512, 10KiB or 1MiB',
      'application.yml:5:18  unknown key server.handlerTimout; did you mean server.handlerTimeout?',
      'application.yml:7:3  server.hosts must be a list of strings',
      'application.yml:6:21  server.keepAliveTimeout is "25d"; it must be at most 2147483647ms',
      'application.yml:10:15  unknown key db.default.poolsize; did you mean db.default.poolSize?',
      'application.yml:13:10  db.default.url is [redacted]; it must look like postgres://user:password@host:5432/name',
      'application.yml:11:21  db.default.acquireTimeout is "5000"; it must be a duration such as 200ms, 5s, 1m, 2h or 7d',
      'application.yml:12:23  db.default.statementTimeout is "48h"; it must be at most 86400000ms',
    ])
  })

  it.each([
    ['a misspelt name', 'server: { maxHeader: 10 }', 'unknown key server.maxHeader'],
    ['a number that is none', 'server: { maxHeaders: ten }', 'server.maxHeaders is "ten"'],
    ['a number out of range', 'server: { maxConnections: 0 }', 'it must be at least 1'],
    ['a list for a number', 'limits: { body: [1MiB] }', 'limits.body must be a size'],
    [
      'a timer past what timers take',
      'server: { writeTimeout: 600h }',
      'must be at most 2147483647ms',
    ],
    ['a misspelt section', 'sever: { maxHeaders: 10 }', 'did you mean server?'],
    ['a variable that is not set', 'server: { maxHeaders: "${NOPE}" }', 'NOPE is not set'],
    ['a broken file', 'server: { maxHeaders: 10', 'application.yml:1:'],
  ])('refuses %s', async (_name, text, expected) => {
    const [first] = await startWith(text)
    expect(first).toContain(expected)
    expect(first).toMatch(/application\.yml:1:\d+/)
  })

  it('needs its secret and its hosts in production', async () => {
    expect(await startWith('', 'production')).toEqual([
      'The configuration has 2 problems:',
      'secretKeyBase is missing: At least 32 random bytes; required in production.',
      'server.hosts is missing: The accepted host names, with any port; `*.example.com` is every name below, `*` every name. Required in production.',
    ])
    const text = 'production: { secretKeyBase: "${KEY}", server: { hosts: "${HOSTS}" } }'
    const variables = { KEY: 'x'.repeat(32), HOSTS: 'a.example, b.example' }
    expect(await startWith(text, 'production', variables)).toEqual([])
  })
})
