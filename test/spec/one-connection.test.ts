/** Routes on the embedded database, whose only connection serves the transaction and everything outside it. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { currentDatabase, useDatabase, type Database } from '../../src/runtime/db.ts'
import { openInMemory } from '../../src/runtime/db/engines.fixture.ts'
import { FwSessionFilter, transaction } from '../../src/runtime/feature.ts'
import { sessionMigration } from '../../src/runtime/session.ts'
import { startWithSessions } from '../support/session-app.ts'

let database: Database
beforeAll(async () => {
  database = await openInMemory()
  for (const sql of sessionMigration.up) await database.query({ sql, parameters: [] })
  useDatabase(database)
})
afterAll(async () => {
  useDatabase(undefined)
  await database.close()
})

const read = async () =>
  (await currentDatabase().query<{ one: number }>({ sql: 'select 1 as one', parameters: [] }))
    .rows[0]!.one

class Reports extends mix(FwController, FwSessionFilter, transaction({ readOnly: true })) {
  async visit() {
    const visits = this.session.get('visits') as number | undefined
    const before = await read()
    this.session.set('visits', (visits ?? 0) + before)
    return `visits ${visits}`
  }
  async renew() {
    const before = await read()
    this.session.set('renewed', true)
    this.session.renewSession()
    return `renewed ${before + (await read())}`
  }
  async write() {
    await read()
    await currentDatabase().query({ sql: 'create table late (n int)', parameters: [] })
  }
}
const reports = routes(Reports, (r) => ({
  visit: r.get('/visit', 'visit'),
  renew: r.get('/renew', 'renew'),
  write: r.get('/write', 'write'),
}))

test('a read-only route reads rows, and writes its session', async () => {
  const app = await startWithSessions([reports], {
    database,
    configuration: { secretKeyBase: 'DZb2p0xw3RkT9uVnQmYc7sLhEa1JgXo5' },
  })
  const visitor = app.visitor()
  onTestFinished(() => app.app.close())
  for (const seen of ['undefined', '1', '2'])
    expect((await visitor.get('/visit')).body).toBe(`visits ${seen}`)
  expect((await visitor.get('/renew')).body).toBe('renewed 2')
  expect((await visitor.get('/visit')).body).toBe('visits 3')
  expect((await visitor.get('/write')).status).toBe(503)
})
