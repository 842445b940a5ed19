/** Tests a PostgreSQL server that stops, hangs and returns while the application runs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../src/runtime/controller.ts'
import { currentDatabase } from '../../src/runtime/db.ts'
import { loggedCodes, emptyDatabase, eventually, serveData, TxFirst } from '../support/data-app.ts'
import { canStartPostgres, PostgresServer } from '../support/postgres-server.ts'

const sql = (text: string) => currentDatabase().query({ sql: text, parameters: [] })

describe.skipIf(!canStartPostgres)('an application whose server', () => {
  let server: PostgresServer
  let url: string

  beforeAll(async () => {
    server = await PostgresServer.start()
    const own = await emptyDatabase(['create table notes (n int primary key)'], server.url)
    url = own.url
    await own.direct.close()
  })
  afterAll(() => server.remove())

  const serve = async (step: () => Promise<void>, options: object = {}) => {
    const routed = routes(TxFirst, (r) => ({
      act: r.get('/act', async (c) => {
        c.session.set('a', '1')
        await sql('insert into notes values (1)')
        await step()
        await sql('insert into notes values (2)')
        return 'written'
      }),
      count: r.get('/count', async () => (await sql('select count(*) as c from notes')).rows[0]),
      plain: r.get('/plain', () => 'plain'),
    }))
    return serveData([routed], url, { acquireTimeout: 2000, ...options })
  }

  test('stops during a request: 503, and requests work after its restart', async () => {
    let stop = true
    const app = await serve(async () => {
      if (stop) server.stop()
    })
    expect(await app.send('/act')).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    await app.idle()
    expect(await app.send('/plain')).toMatchObject({ status: 200 })
    const down = await app.send('/count')
    expect(down).toMatchObject({ status: 503 })
    expect(loggedCodes(app.lines)).toContain('db.unavailable')
    server.start()
    stop = false
    expect(JSON.parse((await app.send('/count')).body)).toEqual({ c: 0 })
    expect(await app.send('/act')).toMatchObject({ status: 200 })
    expect(JSON.parse((await app.send('/count')).body)).toEqual({ c: 2 })
    await sql('truncate notes')
    await app.idle()
  })

  test('hangs during a request: the connection is closed at its time limit, and requests work when the server continues', async () => {
    let hang = true
    const app = await serve(
      async () => {
        if (hang) server.pause()
      },
      { statementTimeout: 300 },
    )
    try {
      expect(await app.send('/act')).toMatchObject({ status: 503 })
    } finally {
      server.resume()
    }
    hang = false
    await app.idle()
    await eventually(async () => (await app.send('/count')).body).toBe('{"c":0}')
    // The rest of the test uses the default time limit, because the limit of the first part is too short for a busy
    // machine.
    const usual = await serve(async () => {})
    expect(await usual.send('/act')).toMatchObject({ status: 200 })
    await usual.idle()
    await sql('truncate notes')
    await app.idle()
  })
})
