/** A PostgreSQL server that stops, hangs and comes back, under an application that goes on. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../src/controller.ts'
import { currentDatabase } from '../../src/db.ts'
import { codesIn, emptyDatabase, eventually, serveData, TxFirst } from '../support/data-app.ts'
import { canOwnPostgres, OwnPostgres } from '../support/own-postgres.ts'

const sql = (text: string) => currentDatabase().query({ sql: text, parameters: [] })

describe.skipIf(!canOwnPostgres)('an application whose server', () => {
  let server: OwnPostgres
  let url: string

  beforeAll(async () => {
    server = await OwnPostgres.start()
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

  test('stops in the middle of a request: 503, and all is well when it is back', async () => {
    let stop = true
    const app = await serve(async () => {
      if (stop) server.stop()
    })
    expect(await app.ask('/act')).toMatchObject({ status: 503, headers: { 'retry-after': '1' } })
    await app.idle()
    expect(await app.ask('/plain')).toMatchObject({ status: 200 })
    const down = await app.ask('/count')
    expect(down).toMatchObject({ status: 503 })
    expect(codesIn(app.lines)).toContain('db.unavailable')
    server.start()
    stop = false
    expect(JSON.parse((await app.ask('/count')).body)).toEqual({ c: 0 })
    expect(await app.ask('/act')).toMatchObject({ status: 200 })
    expect(JSON.parse((await app.ask('/count')).body)).toEqual({ c: 2 })
    await sql('truncate notes')
    await app.idle()
  })

  test('hangs in the middle of a request: given up in time, and all is well when it goes on', async () => {
    let hang = true
    const app = await serve(
      async () => {
        if (hang) server.hang()
      },
      { statementTimeout: 300 },
    )
    try {
      expect(await app.ask('/act')).toMatchObject({ status: 503 })
    } finally {
      server.goOn()
    }
    hang = false
    await app.idle()
    await eventually(async () => (await app.ask('/count')).body).toBe('{"c":0}')
    // The limit by which it was given up is short for a machine that is busy.
    const usual = await serve(async () => {})
    expect(await usual.ask('/act')).toMatchObject({ status: 200 })
    await usual.idle()
    await sql('truncate notes')
    await app.idle()
  })
})
