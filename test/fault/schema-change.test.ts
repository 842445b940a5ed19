/**
 * Runs two versions of an application on one database under load, while migrations first add to the schema, then remove
 * the old columns.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../src/runtime/controller.ts'
import { currentDatabase, migrate, openDatabase } from '../../src/runtime/db.ts'
import { hasTestServer } from '../../src/runtime/db/test-server.fixture.ts'
import { model } from '../../src/runtime/model.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { emptyDatabase, eventually, serveData, TxFirst } from '../support/data-app.ts'

const seeds = 50

const Old = model('members', { id: ParamType.Long, name: ParamType.String })
const New = model('members', {
  id: ParamType.Long,
  name: ParamType.String,
  fullName: ParamType.String,
})

const query = (sql: string, parameters: unknown[]) => currentDatabase().query({ sql, parameters })

/** Counts the visits of a session. Both versions read and write this counter. */
function visit(c: TxFirst): number {
  const visits = Number(c.session.get('visits') ?? 0) + 1
  c.session.set('visits', visits)
  return visits
}

// Each version needs a subclass, because a class keeps its routes and other test files use TxFirst as well.
const before = routes(class extends TxFirst {}, (r) => ({
  read: r.get('/:id', async (c) => {
    const member = await Old.findById(Number(c.params.get('id')))
    return `${member!.name} ${visit(c)}`
  }),
  write: r.post('/:id', async (c) => {
    const id = Number(c.params.get('id'))
    const visits = visit(c)
    await query('insert into members (id, name) values ($1, $2)', [id, `member ${id}`])
    return `member ${(await Old.findById(id))!.id} ${visits}`
  }),
}))

const after = routes(class extends TxFirst {}, (r) => ({
  read: r.get('/:id', async (c) => {
    const member = await New.findById(Number(c.params.get('id')))
    return `${member!.fullName ?? member!.name} ${visit(c)}`
  }),
  write: r.post('/:id', async (c) => {
    const id = Number(c.params.get('id'))
    const visits = visit(c)
    const text = `member ${id}`
    const sql = 'insert into members (id, name, full_name) values ($1, $2, $2)'
    await query(sql, [id, text])
    return `member ${(await New.findById(id))!.id} ${visits}`
  }),
}))

const files: Readonly<Record<string, string>> = {
  'V1__widen.sql': 'alter table members alter column name type varchar(200)',
  'V2__add.sql': 'alter table members add column full_name varchar(200)',
  'V3__index.sql': `-- no transaction
create index concurrently members_full_name on members (full_name)`,
  'V4__fill.ts': `
export const transaction = false
export async function up(database) {
  const sql = 'update members set full_name = name where id in (select id from members where full_name is null limit 20)'
  while ((await database.query({ sql, parameters: [] })).count > 0);
}`,
  'V5__drop.sql': 'alter table members drop column unused',
  'V6__sessions.sql':
    'alter table fw_session_attributes alter column attribute_name type varchar(200)',
}

describe.skipIf(!(await hasTestServer()))('a schema that changes under load', () => {
  let own: Awaited<ReturnType<typeof emptyDatabase>>
  let folder: string

  beforeAll(async () => {
    own = await emptyDatabase([
      'create table members (id bigint primary key, name varchar(50), unused text)',
      `insert into members select n, 'member ' || n from generate_series(0, ${seeds - 1}) n`,
    ])
    folder = mkdtempSync(join(tmpdir(), 'fw-schema-change-'))
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true })
    await own.drop()
  })

  test('gives no wrong response and no 500, with sessions that both versions read', async () => {
    const old = await serveData([before], own.url, { poolSize: 5 })
    // Both versions start before the load, because starting one changes the default database of this process.
    const next = await serveData([after], own.url, { poolSize: 5 })
    const node = await openDatabase({ kind: 'postgres', url: own.url, poolSize: 3 })
    const apps = [old]
    const end = new AbortController()
    const wrong: string[] = []
    let served = 0
    let nextId = 1000

    /** Runs a client with a session, which reads and writes members. Each request goes to a random version. */
    const client = async () => {
      let cookie: string | undefined
      let visits = 0
      while (!end.signal.aborted) {
        const app = apps[Math.floor(Math.random() * apps.length)]!
        const isWrite = Math.random() < 0.3
        const id = isWrite ? nextId++ : Math.floor(Math.random() * seeds)
        const answer = await app.send(`/${id}`, {
          method: isWrite ? 'POST' : 'GET',
          headers: { 'sec-fetch-site': 'same-origin', ...(cookie && { cookie }) },
        })
        // A 503 with Retry-After asks the client to repeat the request.
        if (answer.status === 503 && answer.headers['retry-after'] !== undefined) continue
        cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? cookie
        const wanted = `member ${id} ${++visits}`
        if (answer.status !== 200 || answer.body !== wanted)
          wrong.push(`${answer.status} ${answer.body}, not ${wanted}`)
        served++
      }
    }
    const clients = Array.from({ length: 8 }, client)
    const more = async () => {
      const until = served + 100
      await eventually(() => served >= until || wrong.length > 0).toBe(true)
    }
    await more()
    for (const [file, text] of Object.entries(files)) {
      writeFileSync(join(folder, file), text)
      await migrate(node, folder)
      await more()
      if (file === 'V2__add.sql') apps.push(next)
    }
    end.abort()
    await Promise.all(clients)
    await node.close()
    expect(wrong).toEqual([])
    const sql = 'select count(*) as c from members where coalesce(full_name, name) is null'
    expect((await own.direct.query({ sql, parameters: [] })).rows).toEqual([{ c: 0 }])
  })
})
