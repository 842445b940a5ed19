/** Tests database URLs as hosters write them, and the remedies of those that fail, with local servers and a pooler. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/runtime/db.ts'
import { canStartPgbouncer, startPgbouncer } from '../support/pgbouncer.ts'
import { canStartPostgres, PostgresServer } from '../support/postgres-server.ts'

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function open(url: string, settings: object = {}) {
  const database = await openDatabase({
    kind: 'postgres',
    url,
    urlSetting: 'DATABASE_URL',
    poolSize: 1,
    ...settings,
  })
  onTestFinished(() => database.close())
  return database
}

const ask = async <Row>(url: string, sql: string, settings?: object): Promise<Row> => {
  const database = await open(url, settings)
  return (await database.query<Row & Record<string, unknown>>({ sql, parameters: [] }))
    .rows[0] as Row
}

const connected = `select current_user as user, current_setting('TimeZone') ~ 'UTC$' as utc,
  coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as encrypted`

/** The rows of the table of hosters in docs/data.md: the name, the URL, and what Fw does. */
const rows = readFileSync(new URL('../../docs/data.md', import.meta.url), 'utf8')
  .split('\n')
  .map((line) => /^\| (.+?) \| `(postgres(?:ql)?:[^`]+)` \| (.+?) \|$/.exec(line))
  .filter((match) => match !== null)
  .map(([, name = '', url = '', effect = '']) => [name, url, effect] as const)

describe.skipIf(!canStartPostgres || !hasOpenssl())('database URLs', () => {
  let server: PostgresServer
  let standby: PostgresServer
  let folder: string
  let certificate: string

  const port = (one = server) => new URL(one.url).port

  beforeAll(async () => {
    server = await PostgresServer.start()
    folder = mkdtempSync(join(tmpdir(), 'fw-urls-'))
    certificate = join(folder, 'ca.pem')
    writeFileSync(certificate, server.restartWithTls())
    const database = await openDatabase({ kind: 'postgres', url: server.url })
    const run = (sql: string) => database.query({ sql, parameters: [] })
    await run(`create role shop login password 'p@ss/w%rd'`)
    await run(`create role plain login`)
    const rules = [
      'local all all trust',
      'hostssl all shop 127.0.0.1/32 scram-sha-256',
      'host all,replication plain,postgres 127.0.0.1/32 trust',
    ]
    const [{ folder: data }] = (await run(`select current_setting('data_directory') as folder`))
      .rows as [{ folder: string }]
    await run(`copy (select unnest('{"${rules.join('","')}"}'::text[])) to '${data}/pg_hba.conf'`)
    await run('select pg_reload_conf()')
    await database.close()
    standby = await server.startStandby()
  }, 60_000)
  afterAll(() => {
    standby.remove()
    server.remove()
    rmSync(folder, { recursive: true })
  })

  /** Returns a URL of the table with the names of the local servers. */
  const local = (url: string, isEncrypted: boolean): string =>
    url
      .replace(/(?<=\/\/)[^@/]*@/, isEncrypted ? 'shop:p%40ss%2Fw%25rd@' : 'plain@')
      .replace(/host1:\d+,host2:\d+/, `127.0.0.1:${port(standby)},localhost:${port()}`)
      .replace(/(?<=@)host(?::\d+)?/, `localhost:${port()}`)
      .replace(/(?<=\/)[\w]+(?=\?|$)/, 'postgres')
      .replace('/cloudsql/project:region:instance', `${join(server.folder)}&port=${port()}`)
      .replace('/path/ca.pem', certificate)

  test('the table has the forms of ten hosters', () => {
    expect(rows.length).toBeGreaterThanOrEqual(10)
  })

  test.each(rows)('%s: %s connects with %s', async (_, url, effect) => {
    const isEncrypted = effect.includes('TLS')
    const row = await ask(local(url, isEncrypted), connected)
    expect(row).toEqual({
      user: isEncrypted ? 'shop' : 'plain',
      utc: true,
      encrypted: isEncrypted,
    })
  })

  const shop = (parameters: string, host = 'localhost') =>
    `postgres://shop:p%40ss%2Fw%25rd@${host}:${port()}/postgres?${parameters}`

  test.each([
    [
      'sslmode=verify-full',
      'localhost',
      /sslrootcert=\/path\/ca\.pem in DATABASE_URL, connect by a host name of the certificate, or .* sslmode=require/,
    ],
    [
      'sslmode=verify-full&sslrootcert=CA',
      '127.0.0.1',
      /connect by a host name of the certificate/,
    ],
    ['sslmode=verify-ca&sslrootcert=CA', '127.0.0.1', undefined],
    ['sslmode=require&sslrootcert=CA', '127.0.0.1', undefined],
    ['sslmode=prefer', '127.0.0.1', undefined],
    ['sslmode=disable', '127.0.0.1', /requires TLS: add sslmode=verify-full to DATABASE_URL/],
    ['', '127.0.0.1', /requires TLS: add sslmode=verify-full to DATABASE_URL/],
  ])('%s to %s', async (parameters, host, message) => {
    const url = shop(parameters.replace('CA', certificate), host)
    if (message === undefined) expect(await ask(url, connected)).toMatchObject({ encrypted: true })
    else await expect(ask(url, connected)).rejects.toThrow(message)
  })

  test('a server without TLS is used with prefer, and refused with require', async () => {
    const url = `postgres://postgres@127.0.0.1:${port(standby)}/postgres`
    expect(await ask(`${url}?sslmode=prefer`, connected)).toMatchObject({ encrypted: false })
    await expect(ask(`${url}?sslmode=require`, connected)).rejects.toThrow(
      /Write sslmode=disable in DATABASE_URL if the network is trusted/,
    )
  })

  test('channel_binding=require refuses a server that asks for no password', async () => {
    const url = `postgres://plain@localhost:${port()}/postgres?sslmode=require&channel_binding=require`
    await expect(ask(url, connected)).rejects.toThrow(/offers no channel binding/)
  })

  // Between client and server: it offers what the server offers, and then asks for the password in another way.
  test.each([
    ['in plain text', [3]],
    ['as MD5', [5, 1, 2, 3, 4]],
    ['in no way', [0]],
  ])('channel_binding=require gives nothing to a server that then asks %s', async (_, request) => {
    const message = (type: string, ...bytes: number[]) =>
      Buffer.from([type.charCodeAt(0), 0, 0, 0, bytes.length + 4, ...bytes])
    const offer = message('R', 0, 0, 0, 10, ...Buffer.from('SCRAM-SHA-256-PLUS\0\0'))
    const answer = message('R', 0, 0, 0, ...(request as [number]))
    const ready = request[0] === 0 ? message('Z', 73) : Buffer.alloc(0)
    let received = ''
    const secureContext = createSecureContext({
      cert: readFileSync(join(server.folder, 'data/server.crt')),
      key: readFileSync(join(server.folder, 'data/server.key')),
    })
    const impostor = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => {
        socket.write('S')
        const stream = new TLSSocket(socket, { isServer: true, secureContext })
        stream.on('error', () => {})
        stream.once('data', () => stream.write(offer))
        stream.on('data', (data) => {
          received += data.toString('latin1')
          if (data[0] !== 0) stream.write(Buffer.concat([answer, ready]))
        })
      })
    })
    impostor.listen(0, '127.0.0.1')
    await once(impostor, 'listening')
    onTestFinished(() => void impostor.close())
    const { port } = impostor.address() as AddressInfo
    const url = `postgres://ann:secret-word@127.0.0.1:${port}/x?sslmode=require&channel_binding=require`
    await expect(ask(url, connected)).rejects.toThrow(/offers no channel binding/)
    expect(received).toContain('SCRAM-SHA-256-PLUS')
    expect(received).not.toMatch(/secret-word|md5/)
  })

  test('as in libpq, a socket in a folder is not encrypted', async () => {
    const url = `postgres://plain@/postgres?host=${server.folder}&port=${port()}&sslmode=require`
    expect(await ask(url, connected)).toMatchObject({ encrypted: false })
  })

  test.each([
    ['any', true],
    ['standby', true],
    ['read-only', true],
    ['prefer-standby', true],
    ['read-write', false],
    ['primary', false],
  ])(
    'of two hosts, target_session_attrs=%s selects the standby: %s',
    async (attributes, isStandby) => {
      const hosts = isStandby && attributes !== 'any' ? [server, standby] : [standby, server]
      const list = hosts.map((one) => `127.0.0.1:${port(one)}`).join(',')
      const url = `postgres://postgres@${list}/postgres?target_session_attrs=${attributes}`
      expect(await ask(url, 'select pg_is_in_recovery() as standby')).toEqual({
        standby: isStandby,
      })
      // A standby accepts no LISTEN.
      if (isStandby) return
      const database = await open(url)
      const listening = database.listen('urls')
      expect(await listening.next()).toMatchObject({ value: '' })
      await listening.return()
    },
  )

  test('hosts that refuse connections are skipped, and all are named if none is left', async () => {
    const url = `postgres://postgres@127.0.0.1:1,127.0.0.1:${port()}/postgres`
    expect(await ask(url, connected)).toMatchObject({ user: 'postgres' })
    await expect(ask('postgres://postgres@127.0.0.1:1,127.0.0.1:2/x', connected)).rejects.toThrow(
      /127\.0\.0\.1:1.*127\.0\.0\.1:2/,
    )
    const noPrimary = `postgres://postgres@127.0.0.1:${port(standby)}/postgres?target_session_attrs=primary`
    await expect(ask(noPrimary, connected)).rejects.toThrow(/the server is not primary/)
  })

  test('options of the URL are added to the settings of Fw', async () => {
    const url = `${server.url}?options=-c%20search_path%3Dshop&application_name=mine`
    const sql = `select current_setting('search_path') as path, current_setting('DateStyle') as style, current_setting('application_name') as name`
    expect(await ask(url, sql)).toEqual({ path: 'shop', style: 'ISO, MDY', name: 'mine' })
  })

  test.skipIf(!canStartPgbouncer)(
    'a pooler that refuses settings names prepare: false',
    async () => {
      const pooler = await startPgbouncer(server.url, 1)
      onTestFinished(() => pooler.stop())
      await expect(ask(pooler.url, connected)).rejects.toThrow(
        /set db\.default\.prepare: false, or add pgbouncer=true to DATABASE_URL/,
      )
      expect(await ask(`${pooler.url}?pgbouncer=true`, connected)).toMatchObject({ utc: true })
    },
  )
})
