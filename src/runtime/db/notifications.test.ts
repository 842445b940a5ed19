/** LISTEN and NOTIFY on both engines: commit and rollback, lost connections, slow listeners, the end. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { silentLogger } from '../base.ts'
import type { Database } from './database.ts'
import { connectListener } from './listen-connection.ts'
import { readServerAddress } from './server-address.ts'
import { Notifications } from './notifications.ts'
import { openDatabase } from './open-database.ts'
import type { PostgresSettings } from './settings.ts'
import { engines, servers, type TestEngine } from './engines.fixture.ts'

async function open(engine: TestEngine, logger = silentLogger) {
  const { database, settings, close } = await engine.open({ logger })
  onTestFinished(close)
  return { database, settings }
}

const next = async (payloads: AsyncGenerator<string, void>) => (await payloads.next()).value

describe('a listener that waits', () => {
  const listening = async () => {
    const notifications = new Notifications(undefined, silentLogger)
    const payloads = notifications.listen('rows')
    await next(payloads)
    return { notifications, payloads }
  }

  test('gets equal payloads of one packet once', async () => {
    const { notifications, payloads } = await listening()
    const waiting = next(payloads)
    for (const payload of ['one', 'one', 'two']) notifications.deliver('rows', payload)
    expect([await waiting, await next(payloads)]).toEqual(['one', 'two'])
    const last = payloads.next()
    await payloads.return()
    expect(await last).toEqual({ done: true, value: undefined })
  })

  test('may wait several times: the payloads come in order', async () => {
    const { notifications, payloads } = await listening()
    const waiting = [next(payloads), next(payloads), next(payloads)]
    for (const payload of ['one', 'two']) notifications.deliver('rows', payload)
    await waiting[1]
    notifications.deliver('rows', 'three')
    expect(await Promise.all(waiting)).toEqual(['one', 'two', 'three'])
  })

  test('ends with an error that its reader throws into it', async () => {
    const { payloads } = await listening()
    await expect(payloads.throw(new Error('no'))).rejects.toThrow('no')
    expect((await payloads.next()).done).toBe(true)
  })
})

describe.each(engines)('$name', (engine) => {
  test('many listeners at once cause no warning of the driver', async () => {
    const warnings: Error[] = []
    const warn = (warning: Error): void => void warnings.push(warning)
    process.on('warning', warn)
    onTestFinished(() => void process.off('warning', warn))
    const { database } = await open(engine)
    const controller = new AbortController()
    const first = database.listen('first', controller.signal)
    expect(await next(first)).toBe('')
    const pages = Array.from({ length: 20 }, (_, at) =>
      database.listen(`page ${at}`, controller.signal),
    )
    expect(await Promise.all(pages.map(next))).toEqual(pages.map(() => ''))
    controller.abort()
    for (const page of [first, ...pages]) expect((await page.next()).done).toBe(true)
    expect(warnings).toEqual([])
  })

  test('a listener gets an empty text first, then the payloads in order', async () => {
    const { database } = await open(engine)
    const own = database.listen('rows "quoted"')
    expect(await next(own)).toBe('')
    const other = database.listen('other')
    expect(await next(other)).toBe('')
    await database.notify('rows "quoted"', 'one')
    await database.notify('other', 'elsewhere')
    await database.notify('rows "quoted"', 'two')
    expect([await next(own), await next(own)]).toEqual(['one', 'two'])
    expect(await next(other)).toBe('elsewhere')
  })

  test('a transaction notifies after its commit, and not after a rollback', async () => {
    const { database } = await open(engine)
    const payloads = database.listen('rows')
    await next(payloads)
    const failing = database.transaction(async () => {
      await database.notify('rows', 'rolled back')
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await database.transaction(async () => {
      await database.transaction(() => database.notify('rows', 'committed'))
      await database
        .transaction(async () => {
          await database.notify('rows', 'undone')
          throw new Error('savepoint')
        })
        .catch(() => {})
    })
    await database.notify('rows', 'last')
    expect([await next(payloads), await next(payloads)]).toEqual(['committed', 'last'])
  })

  test('an aborted signal, a return and the close of the database end the listening', async () => {
    const { database } = await open(engine)
    const controller = new AbortController()
    const aborted = database.listen('rows', controller.signal)
    const returned = database.listen('rows')
    const closed = database.listen('rows')
    for (const each of [aborted, returned, closed]) expect(await next(each)).toBe('')
    const waiting = aborted.next()
    controller.abort()
    expect(await waiting).toEqual({ done: true, value: undefined })
    expect(await returned.return()).toEqual({ done: true, value: undefined })
    expect((await database.listen('rows', controller.signal).next()).done).toBe(true)
    const last = closed.next()
    await database.close()
    expect((await last).done).toBe(true)
  })

  test('after the close nothing listens', async () => {
    const { database } = await open(engine)
    await database.close()
    expect(await database.listen('rows').next()).toEqual({ done: true, value: undefined })
  })

  test('an impossible channel is refused, and others work', async () => {
    const { database } = await open(engine)
    const longest = 'x'.repeat(63)
    const payloads = database.listen(longest)
    await next(payloads)
    for (const channel of ['', `${longest}x`, 'ä'.repeat(32), 'a\0b'])
      expect(() => database.listen(channel)).toThrow(
        expect.objectContaining({ code: 'db.parameter-invalid' }),
      )
    await database.notify(longest, 'one')
    expect(await next(payloads)).toBe('one')
  })

  test('a slow listener gets one empty text in place of those that it missed', async () => {
    const { database } = await open(engine)
    const payloads = database.listen('rows')
    await next(payloads)
    const all = 'select pg_notify($1, n::text) from generate_series(1, 1500) n'
    const watching = database.listen('rows')
    await next(watching)
    if (engine.name === 'postgres') await database.query({ sql: all, parameters: ['rows'] })
    else for (let n = 1; n <= 1500; n++) await database.notify('rows', String(n))
    await database.notify('rows', 'end')
    const seen: (string | undefined)[] = []
    // The other listener reads at once.
    while (seen.at(-1) !== 'end') seen.push((await next(watching)) ?? 'end')
    expect(await next(payloads)).toBe('')
    expect(Number(await next(payloads))).toBeGreaterThan(1000)
  })
})

describe.skipIf(servers.length === 0)('a server', () => {
  const [server] = servers

  test('passes notifications on to other processes', async () => {
    const { database, settings } = await open(server!)
    const elsewhere = await openDatabase(settings)
    onTestFinished(() => elsewhere.close())
    const payloads = elsewhere.listen('rows')
    await next(payloads)
    await database.notify('rows', 'from afar')
    expect(await next(payloads)).toBe('from afar')
  })

  test('whose connection is lost is listened to again, after an empty text and a line in the log', async () => {
    const messages: string[] = []
    const log = (_fields: unknown, message: string) => void messages.push(message)
    const { database } = await open(server!, { ...silentLogger, info: log, warn: log })
    const payloads = database.listen('rows')
    await next(payloads)
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen "rows"' and datname = current_database()`
    const { rows } = await database.query({ sql: end, parameters: [] })
    expect(rows).toHaveLength(1)
    expect(await next(payloads)).toBe('')
    await database.notify('rows', 'again')
    expect(await next(payloads)).toBe('again')
    expect(messages).toEqual([
      'cannot listen for notifications: tries again',
      'listens for notifications again',
    ])
  })

  const sessionsOf = async (database: Database, query: string) => {
    const sql = 'select pid from pg_stat_activity where query = $1 and datname = current_database()'
    return (await database.query<{ pid: number }>({ sql, parameters: [query] })).rows
  }

  test('gets UNLISTEN for a channel without listeners, and notifies those of others', async () => {
    const { database } = await open(server!)
    const payloads = database.listen('rows')
    await next(payloads)
    const others = database.listen('others')
    await next(others)
    await others.return()
    await expect.poll(() => sessionsOf(database, 'unlisten "others"')).toHaveLength(1)
    await database.notify('rows', 'one')
    expect(await next(payloads)).toBe('one')
  })

  test('closes the connection when nothing listens any more', async () => {
    const { database } = await open(server!)
    const payloads = database.listen('rows')
    await next(payloads)
    await payloads.return()
    const listening = `select count(*)::int as n from pg_stat_activity where query = 'listen "rows"' and datname = current_database()`
    await expect
      .poll(
        async () => (await database.query<{ n: number }>({ sql: listening, parameters: [] })).rows,
      )
      .toEqual([{ n: 0 }])
  })

  test('that never closes the connection does not delay the close', async () => {
    const { settings } = await open(server!)
    const target = new URL((settings as PostgresSettings).url)
    const upstreamAddress = {
      host: target.hostname,
      port: Number(target.port),
      allowHalfOpen: true,
    }
    const relay = createServer({ allowHalfOpen: true }, (client) => {
      const upstream = connect(upstreamAddress)
      client.pipe(upstream, { end: false }).pipe(client, { end: false })
      client.on('error', () => {}).on('close', () => upstream.destroy())
    })
    await once(relay.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void relay.close())
    target.host = `127.0.0.1:${(relay.address() as AddressInfo).port}`
    const options = { acquireTimeout: 5000, applicationName: 'fw' }
    const events = { onNotification: () => {}, onLost: () => {} }
    const address = readServerAddress(target.href)
    const connection = await connectListener({ address, ...options }, events)
    await connection.listen('rows')
    await connection.close()
  })

  test('behind a pooler is refused', async () => {
    const { settings } = await open(server!)
    const pooled = await openDatabase({ ...settings, kind: 'postgres', prepare: false } as never)
    onTestFinished(() => pooled.close())
    expect(() => pooled.listen('rows')).toThrow(
      expect.objectContaining({ code: 'db.listen-pooled' }),
    )
  })
})

test('a server that cannot be used keeps no connection of a listener', async () => {
  const server = createServer((client) => {
    client.on('error', () => {})
    // A request for a mechanism of SASL that no client has.
    const mechanism = Buffer.from('OTHER\0\0')
    const head = Buffer.from([0x52, 0, 0, 0, 8 + mechanism.length, 0, 0, 0, 10])
    client.once('data', () => client.write(Buffer.concat([head, mechanism])))
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const connected = once(server, 'connection')
  const address = readServerAddress(
    `postgres://a:b@127.0.0.1:${(server.address() as AddressInfo).port}/x`,
  )
  const events = { onNotification: () => {}, onLost: () => {} }
  const settings = { address, acquireTimeout: 5000, applicationName: 'fw' }
  await expect(connectListener(settings, events)).rejects.toThrow()
  const [client] = (await connected) as [Socket]
  if (!client.closed) await once(client, 'close')
})
