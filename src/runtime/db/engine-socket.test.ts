/** A process shares its embedded databases with other processes of the same user. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EmbeddedHost } from './embedded-host.ts'
import { shareDatabases, type RpcChannel } from './engine-socket.ts'

const source = resolve(import.meta.dirname, '../db.ts')
/** Runs each line of stdin as one statement and prints its first row, or its error. */
const program = `
import { createInterface } from 'node:readline'
import { openDatabase } from ${JSON.stringify(source)}
const database = await openDatabase({ kind: 'pglite', folder: process.env.FOLDER })
console.log('open')
const run = async (sql) => {
  if (sql.startsWith('hold '))
    return database.transaction(async () => {
      await database.query({ sql: sql.slice(5), parameters: [] })
      console.log('held')
      await new Promise(() => {})
    })
  try {
    const { rows } = await database.query({ sql, parameters: [] })
    console.log(JSON.stringify(rows[0] ?? null))
  } catch (error) {
    console.log(error.code + ': ' + error.message)
  }
}
for await (const line of createInterface({ input: process.stdin })) await run(line)
await database.close()
`

let root: string
let host: EmbeddedHost
let sharing: { close(): Promise<void> } | undefined
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'fw-shared-'))
  host = new EmbeddedHost()
  sharing = await shareDatabases(host)
})
afterEach(async () => {
  await sharing?.close()
  await host.close()
  rmSync(root, { recursive: true, force: true })
})

/** A client in this process, as the application of `fw run` is one. */
function ownClient(folder: string) {
  const answers = new Map<number, (response: { result?: { rows: unknown[] } }) => void>()
  let receive: (message: unknown) => void = () => {}
  const channel: RpcChannel = {
    send: (message) => answers.get((message as { id: number }).id)!(message),
    onMessage: (listener) => void (receive = listener),
  }
  const { leave } = host.serve(channel)
  let id = 0
  const call = (method: string, sql = '') =>
    new Promise<{ result?: { rows: unknown[] } }>((answered) => {
      answers.set(++id, answered)
      receive({ id, folder, method, sql, values: undefined })
    })
  return { call, leave }
}

function otherProcess(folder: string) {
  const child = spawn(
    process.execPath,
    ['--conditions=fwjs-source', '--liftoff-only', '--input-type=module', '--eval', program],
    { env: { ...process.env, FOLDER: folder }, stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => (await lines.next()).value as string
  const query = (sql: string) => {
    child.stdin.write(`${sql}\n`)
    return next()
  }
  const end = async () => {
    child.stdin.end()
    await once(child, 'exit')
  }
  return { child, next, query, end }
}

describe.skipIf(process.platform === 'win32')('a shared database', () => {
  test('is used by another process while this one has it, and both see the same rows', async () => {
    const folder = join(root, 'data')
    const own = ownClient(folder)
    await own.call('open')
    await own.call('exec', 'create table notes (id int); insert into notes values (7)')
    const other = otherProcess(folder)
    expect(await other.next()).toBe('open')
    expect(await other.query('select id from notes')).toBe('{"id":7}')
    await other.query('update notes set id = 8')
    expect((await own.call('query', 'select id from notes')).result?.rows).toEqual([['8']])
    await other.end()
    await own.leave()
  })

  test('waits for the end of a transaction, and undoes that of a process that is gone', async () => {
    const folder = join(root, 'data')
    const own = ownClient(folder)
    await own.call('open')
    await own.call('exec', 'create table notes (id int)')
    const other = otherProcess(folder)
    await other.next()
    expect(await other.query('hold insert into notes values (1)')).toBe('held')
    // It waits: the session belongs to the transaction.
    const counted = own.call('query', 'select count(*)::int from notes')
    other.child.kill('SIGKILL')
    expect((await counted).result?.rows).toEqual([['0']])
    await own.leave()
  })

  test('is reached through a socket that only this user can use', () => {
    const folder = join(tmpdir(), `fw-${userInfo().uid}`)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, `${process.pid}.sock`)).mode & 0o777).toBe(0o600)
  })
})
