/** Runs with a wrong clock, and prints which sessions have not expired. The argument is the database URL. */
import { openDatabase } from '../../src/runtime/db.ts'
import { DatabaseStore, Session, type StoredSession } from '../../src/runtime/session.ts'

const database = await openDatabase({ kind: 'postgres', url: process.argv[2] ?? '', poolSize: 2 })
const store = new DatabaseStore(database, { idleSeconds: 600, absoluteSeconds: 3600 })

async function made(): Promise<StoredSession> {
  const session = new Session(store)
  session.set('count', 1)
  await session.commit()
  return session.stored!
}

/** Makes a session record older by `seconds`, by the clock of the database. */
async function age({ key }: StoredSession, seconds: number): Promise<void> {
  const sql = `update fw_sessions set created_at = created_at - make_interval(secs => $2),
    expire_at = expire_at - make_interval(secs => $2) where id = $1`
  await database.query({ sql, parameters: [key, seconds] })
}

const lives = async ({ id }: StoredSession): Promise<boolean> =>
  (await store.read(id)) !== undefined

// Delete the expired sessions that an earlier run has left.
await store.sweep(1000)
const record = await made()
const fresh = await Session.load(store, record.id)
const { touchDue } = (await store.read(record.id))!
const swept = await store.sweep(1000)

await age(record, 500)
await store.save((await store.read(record.id))!, { attributes: new Map(), owner: undefined })
await age(record, 500)
const prolonged = await lives(record)

const idle = await made()
await age(idle, 601)
const late = { attributes: new Map([['count', '2']]), owner: undefined }
const savedLate = (await store.save(idle, late)) !== undefined

const old = await made()
await database.query({
  sql: `update fw_sessions set created_at = created_at - interval '2 hours', expire_at = least(expire_at, created_at - interval '1 hour') where id = $1`,
  parameters: [old.key],
})

process.stdout.write(
  JSON.stringify({
    now: Date.now(),
    fresh: { count: fresh.get('count') },
    touchDue,
    prolonged,
    swept,
    afterIdle: await lives(idle),
    afterAbsolute: await lives(old),
    savedLate,
  }),
)
await database.close()
