/** Tests database URLs as hosters write them, and the remedies of those that fail, with local servers and a pooler. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, createServer as createTlsServer, TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
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
    await run(`create role certified login`)
    await run(`alter system set ssl_ca_file = 'server.crt'`)
    createClientCertificate()
    const rules = [
      'local all all trust',
      'hostssl all certified 127.0.0.1/32 cert',
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

  const serverFile = (name: string): string => join(server.folder, 'data', name)

  /** Creates the certificate of the role `certified`, with the server's as its authority, and its encrypted key. */
  function createClientCertificate(): void {
    const request = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -days 2'
    const authority = ['-CA', serverFile('server.crt'), '-CAkey', serverFile('server.key')]
    const files = ['-keyout', join(folder, 'client.key'), '-out', join(folder, 'client.crt')]
    const subject = ['-subj', '/CN=certified', '-passout', 'pass:secret']
    execFileSync('openssl', [...request.split(' '), ...authority, ...files, ...subject], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  }

  /** Starts a server that speaks TLS from the first byte, as PostgreSQL 17 does, and forwards to the server. */
  async function startTlsFront(protocols: readonly string[]) {
    const sockets: TLSSocket[] = []
    const options = {
      cert: readFileSync(serverFile('server.crt')),
      key: readFileSync(serverFile('server.key')),
      ...(protocols.length > 0 && { ALPNProtocols: [...protocols] }),
    }
    const front = createTlsServer(options, (client) => {
      sockets.push(client)
      const backend = connect(Number(port()), '127.0.0.1')
      client.pipe(backend).pipe(client)
      for (const socket of [client, backend]) socket.on('error', () => {})
    })
    front.on('tlsClientError', () => {})
    front.listen(0, '127.0.0.1')
    await once(front, 'listening')
    onTestFinished(() => void front.close())
    const url = `postgres://plain@localhost:${(front.address() as AddressInfo).port}/postgres?sslmode=verify-full&sslrootcert=${certificate}`
    return { url, sockets }
  }

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

  test('sslcert, sslkey and sslpassword prove the user, who is refused without them', async () => {
    const url = `postgres://certified@localhost:${port()}/postgres?sslmode=verify-full&sslrootcert=${certificate}`
    const files = `sslcert=${folder}/client.crt&sslkey=${folder}/client.key`
    // The second connection reads the key again, which pg hides in the settings of the first.
    for (const mode of ['verify-full', 'require'])
      expect(
        await ask(`${url.replace('verify-full', mode)}&${files}&sslpassword=secret`, connected),
      ).toMatchObject({ user: 'certified', encrypted: true })
    const database = await open(`${url}&${files}&sslpassword=secret`, { poolSize: 2 })
    const users = [1, 2].map(() =>
      database.transaction(() =>
        database.query({ sql: 'select current_user as user', parameters: [] }),
      ),
    )
    for (const { rows } of await Promise.all(users)) expect(rows).toEqual([{ user: 'certified' }])
    await expect(ask(url, connected)).rejects.toThrow(/requires a valid client certificate/)
  })

  test('sslnegotiation=direct begins with TLS, also for a cancel request', async () => {
    const { url, sockets } = await startTlsFront(['postgresql'])
    const database = await open(`${url}&sslnegotiation=direct`, { statementTimeout: 0 })
    const pid = async () =>
      (await database.query({ sql: 'select pg_backend_pid() as pid', parameters: [] })).rows
    const before = await pid()
    const observer = await open(server.url)
    const sql = `select 1 from pg_stat_activity where wait_event = 'PgSleep'`
    const sleeping = () =>
      vi.waitUntil(async () => (await observer.query({ sql, parameters: [] })).rows.length > 0)
    const client = new AbortController()
    const work = database.transaction(
      async () => {
        const slow = database.query({ sql: 'select pg_sleep(3600)', parameters: [] })
        void sleeping().then(() => client.abort(new Error('client gone')))
        await slow
      },
      { signal: client.signal },
    )
    await expect(work).rejects.toThrow('client gone')
    expect(await pid()).toEqual(before)
    expect(sockets.length).toBeGreaterThan(1)
    expect(new Set(sockets.map(({ alpnProtocol }) => alpnProtocol))).toEqual(
      new Set(['postgresql']),
    )
    await expect(ask(url, connected)).rejects.toThrow(/cannot be reached/)
  })

  test('sslnegotiation=direct refuses a server that does not confirm the protocol', async () => {
    const { url } = await startTlsFront([])
    await expect(ask(`${url}&sslnegotiation=direct`, connected)).rejects.toThrow(
      /does not confirm the protocol \(sslnegotiation=direct\)/,
    )
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
