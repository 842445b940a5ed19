/**
 * Tests that the data of an application survives restarts, crashes and stops: over HTTP, with the application as a
 * process.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { type AddressInfo, createServer as createNetServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  copyStartedExample,
  ExampleProcess,
  isLocked,
  removeExample,
  runExample,
} from '../support/example.ts'
import {
  emptyDatabaseOn,
  hasTestServer,
  testServerUrl,
} from '../../src/runtime/db/test-server.fixture.ts'
import { ExampleVisitor } from '../support/example-visitor.ts'

const hasServer = await hasTestServer()
let root: string
let begun: ExampleProcess[]

beforeEach(async () => {
  begun = []
  root = await copyStartedExample()
})
afterEach(async () => {
  await Promise.all(begun.map((one) => one.end('SIGKILL')))
  await removeExample(root)
})

async function run(env: Readonly<Record<string, string>> = {}) {
  const started = await runExample(root, env)
  begun.push(started.process)
  return { ...started, visitor: new ExampleVisitor(started.url) }
}

function tryToRun(env: Readonly<Record<string, string>> = {}, port = '0') {
  const child = new ExampleProcess(['run', '--app', root, '--port', port], { env })
  begun.push(child)
  return child
}

const member = (name: string) => ({ name, birthday: '2000-01-02', countryId: '' })

describe('the data folder', () => {
  test('has one process: a second `fw run` is refused with the pid of the first, which keeps running; rows survive a restart', async () => {
    const first = await run()
    await first.visitor.get('/members/new')
    expect(await first.visitor.post('/members', member('Ann'))).toMatchObject({ status: 302 })

    const second = tryToRun()
    expect(await second.ended).toEqual({ code: 1, signal: null })
    expect(second.output).toMatch(
      new RegExp(
        `^fw: The database folder \\S+ is in use by the process ${first.process.pid}\\. .*\\n$`,
      ),
    )

    expect(await first.visitor.all('/members', 'tbody a')).toEqual(['Ann'])
    expect(await first.process.end('SIGTERM')).toEqual({ code: 0, signal: null })
    expect(isLocked(root)).toBe(false)

    const again = await run()
    expect(await again.visitor.all('/members', 'tbody a')).toEqual(['Ann'])
  })

  test('loses no acknowledged row when the process is killed while it writes', async () => {
    const acknowledged: string[] = []
    const { process: server, url } = await run()
    const visitors = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const visitor = new ExampleVisitor(url)
        await visitor.get('/members/new')
        return visitor
      }),
    )
    let killed = false
    const writing = visitors.map(async (visitor, at) => {
      for (let n = 0; !killed; n += 1) {
        const name = `writer ${at} row ${n}`
        const answer = await visitor.post('/members', member(name)).catch(() => undefined)
        if (answer === undefined) return
        expect(answer.status).toBe(302)
        acknowledged.push(name)
        // The process is killed when a response has arrived and the requests of other writers are in flight.
        if (acknowledged.length === 100) {
          killed = true
          await server.end('SIGKILL')
        }
      }
    })
    await Promise.all(writing)
    expect(acknowledged.length).toBeGreaterThanOrEqual(100)

    const again = await run()
    const kept = new Set(await again.visitor.all('/members', 'tbody a'))
    expect(acknowledged.filter((name) => !kept.has(name))).toEqual([])
  })
})

describe('a stop', () => {
  test('by SIGTERM answers the requests in flight, accepts no further ones, and exits with 0', async () => {
    const { process: server, url, visitor } = await run()
    await visitor.get('/members/new')
    // Send only the head, so that the request stays in flight until the test sends the body.
    const slow = request(new URL('/members', url), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': 1 },
    })
    const answered = new Promise<number>((resolve, reject) => {
      slow.once('response', (response) => resolve(response.statusCode!))
      slow.once('error', reject)
    })
    answered.catch(() => {})
    slow.flushHeaders()
    // When the server has responded to a later request, it has received the first one as well.
    await visitor.get('/members')
    const ended = server.end('SIGTERM')
    await server.waitForOutput(/closing/)
    await expect(visitor.get('/members')).rejects.toThrow(/ECONNREFUSED|ECONNRESET/)
    slow.end('x')
    expect(await answered).toBe(403)
    expect(await ended).toEqual({ code: 0, signal: null })
  })

  test('by SIGINT, as of Ctrl-C, exits with 0', async () => {
    const { process: server } = await run()
    expect(await server.end('SIGINT')).toEqual({ code: 0, signal: null })
    expect(isLocked(root)).toBe(false)
  })
})

describe('a start that fails', () => {
  const refusals: readonly (readonly [string, string, RegExp])[] = [
    [
      'no url',
      'localhost/members',
      /^fw: DATABASE_URL is not the address of a PostgreSQL server\. .*\n$/,
    ],
    [
      'no server there',
      'postgres://postgres@127.0.0.1:1/members',
      /^fw: The database cannot be reached: .*127\.0\.0\.1:1 \(ECONNREFUSED\)\. Start the server, or correct host and port in DATABASE_URL\. \(db\.unavailable\)\n$/,
    ],
    [
      'no such host',
      'postgres://postgres@no.such.host.invalid/members',
      /^fw: The database cannot be reached: .*no\.such\.host\.invalid .*host name.*\n$/,
    ],
  ]
  test.each(refusals)(
    'with a DATABASE_URL that is %s prints one line and exits with 1',
    async (_name, url, expected) => {
      const child = tryToRun({ DATABASE_URL: url })
      expect(await child.ended).toEqual({ code: 1, signal: null })
      expect(child.output).toMatch(expected)
    },
  )

  test('with a DATABASE_URL of a silent server ends within a time limit', async () => {
    const silent = createNetServer().listen(0, '127.0.0.1')
    await new Promise((listening) => silent.once('listening', listening))
    const { port } = silent.address() as AddressInfo
    try {
      const DATABASE_URL = `postgres://postgres@127.0.0.1:${port}/members`
      writeFileSync(
        join(root, 'src/main/resources/application.yml'),
        'db:\n  default:\n    acquireTimeout: 500ms\n',
      )
      const child = tryToRun({ DATABASE_URL })
      expect(await child.ended).toEqual({ code: 1, signal: null })
      expect(child.output).toMatch(/^fw: The database cannot be reached: .*\n$/)
    } finally {
      silent.close()
    }
  })

  test.runIf(hasServer)(
    'with a DATABASE_URL that names no database of the server prints the command that creates it and ends with 1',
    async () => {
      const url = new URL(testServerUrl)
      url.pathname = '/no_such_database'
      const child = tryToRun({ DATABASE_URL: url.href })
      expect(await child.ended).toEqual({ code: 1, signal: null })
      expect(child.output).toMatch(
        /^fw: The database cannot be reached: .*"no_such_database".* this command \(db\.unavailable\):\n {2}\.\/fw db:create\n$/,
      )
    },
  )

  test('on a port in use prints one line, exits with 1 and unlocks the data folder', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((listening) => taken.once('listening', listening))
    const { port } = taken.address() as AddressInfo
    try {
      const child = tryToRun({}, String(port))
      expect(await child.ended).toEqual({ code: 1, signal: null })
      expect(child.output).toBe(
        `fw: Cannot listen on 127.0.0.1:${port}: another process listens there. Stop it, or choose another port with --port, FW_PORT or PORT. (server.listen-failed)\n`,
      )
      expect(isLocked(root)).toBe(false)
    } finally {
      taken.close()
    }
  })
})

test('the first start creates the database, and each start applies the pending migrations once', async () => {
  rmSync(join(root, 'db/data'), { recursive: true })
  const { process: server, visitor } = await run()
  expect(await visitor.all('/members', '.empty')).toHaveLength(1)
  await server.end()

  const later = "insert into members (name, birthday) values ('Zoe', '1999-12-31');\n"
  writeFileSync(join(root, 'db/migration/V20260102000000__add_zoe.sql'), later)
  const second = await run()
  expect(await second.visitor.all('/members', 'tbody a')).toEqual(['Zoe'])
  await second.process.end()

  const third = await run()
  expect(await third.visitor.all('/members', 'tbody a')).toEqual(['Zoe'])
})

test.runIf(hasServer)(
  'with a DATABASE_URL the same application runs on that server, two processes at once, and makes no data folder',
  async () => {
    rmSync(join(root, 'db/data'), { recursive: true })
    const { url, drop } = await emptyDatabaseOn('example')
    try {
      const env = { DATABASE_URL: url }
      // Both processes find pending migrations; only one of them applies them.
      const [one, other] = await Promise.all([run(env), run(env)])
      await one.visitor.get('/members/new')
      expect(await one.visitor.post('/members', member('Ann'))).toMatchObject({ status: 302 })
      await one.process.end('SIGKILL')
      expect(await other.visitor.all('/members', 'tbody a')).toEqual(['Ann'])
      expect(await other.process.end()).toEqual({ code: 0, signal: null })
      expect(existsSync(join(root, 'db/data'))).toBe(false)
    } finally {
      await drop()
    }
  },
)
