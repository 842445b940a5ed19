/** One process uses the folder of an embedded database; killing it loses no acknowledged row. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase, type Database } from '../db.ts'
import { openInMemory } from './engines.fixture.ts'
import { checkFolder, lockFolder } from './folder-lock.ts'

let folder: string

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'fw-lock-')), 'data')
})
afterEach(() => {
  rmSync(join(folder, '..'), { recursive: true, force: true })
})

const lockFile = () => `${folder}.lock`
const refusedBy = (pid: number) =>
  expect.objectContaining({
    code: 'db.folder-locked',
    message: expect.stringContaining(String(pid)),
  })

describe('the lock', () => {
  test('names its holder, refuses a second one, and is free after unlocking', () => {
    const free = lockFolder(folder)
    expect(readFileSync(lockFile(), 'utf8')).toContain(String(process.pid))
    expect(() => lockFolder(folder)).toThrow(refusedBy(process.pid))
    expect(() => lockFolder(folder)).toThrow(
      expect.objectContaining({ message: expect.stringContaining(folder) }),
    )
    free()
    free()
    expect(existsSync(lockFile())).toBe(false)
    lockFolder(folder)()
  })

  test('refuses while another process lives', () => {
    writeFileSync(lockFile(), `1 - ${hostname()}\n`)
    expect(() => lockFolder(folder)).toThrow(refusedBy(1))
  })

  test('replaces the lock of a process that has ended', () => {
    writeFileSync(lockFile(), `${spawnSync(process.execPath, ['-v']).pid} - ${hostname()}\n`)
    lockFolder(folder)()
  })

  test.runIf(existsSync('/proc/self/stat'))(
    'takes over from a process whose pid another one has now',
    () => {
      writeFileSync(lockFile(), `1 12345678901 ${hostname()}\n`)
      lockFolder(folder)()
    },
  )

  test('replaces a lock without a pid', () => {
    writeFileSync(lockFile(), 'nonsense')
    lockFolder(folder)()
  })

  test('a holder on another machine counts as alive, and the message has the remedy', () => {
    writeFileSync(lockFile(), '999999 - elsewhere\n')
    const mend = expect.objectContaining({
      message: expect.stringContaining(`delete ${lockFile()}`),
    })
    expect(() => lockFolder(folder)).toThrow(mend)
  })
})

describe('the folder', () => {
  test('absent and empty folders are new, an incomplete one is refused', () => {
    checkFolder(folder)
    mkdirSync(folder)
    checkFolder(folder)
    writeFileSync(join(folder, 'PG_VERSION'), '18')
    expect(() => checkFolder(folder)).toThrow(
      expect.objectContaining({ code: 'db.folder-incomplete' }),
    )
  })

  test('an incomplete folder stops the start, and is unlocked', async () => {
    mkdirSync(folder)
    writeFileSync(join(folder, 'PG_VERSION'), '18')
    await expect(openDatabase({ kind: 'pglite', folder })).rejects.toMatchObject({
      code: 'db.folder-incomplete',
    })
    expect(existsSync(lockFile())).toBe(false)
  })
})

test('closing unlocks the folder, also without any query', async () => {
  const database = await openDatabase({ kind: 'pglite', folder })
  expect(existsSync(lockFile())).toBe(true)
  await database.close()
  expect(existsSync(lockFile())).toBe(false)
})

const writer = `
import { openDatabase } from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, '../db.ts')).href)}
const database = await openDatabase({ kind: 'pglite', folder: process.argv[1] })
await database.query({ sql: 'create table t (n int primary key, filler text)', parameters: [] })
for (let n = 1; ; n++) {
  await database.transaction(() => database.query({ sql: 'insert into t values ($1, $2)', parameters: [n, 'x'.repeat(500)] }))
  process.stdout.write(n + '\\n')
}`

test('kill -9 during writes loses no acknowledged row; the folder opens again; until then a second process is refused', async () => {
  const child = spawn(process.execPath, [
    '--conditions=fwjs-source',
    '--input-type=module-typescript',
    '-e',
    writer,
    folder,
  ])
  let acknowledged = 0
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += String(chunk)))
  const exited = new Promise((resolve) => child.on('exit', resolve))
  await new Promise<void>((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += String(chunk)
      acknowledged = Number(text.trimEnd().split('\n').at(-1))
      if (acknowledged >= 150) resolve()
    })
    child.on('exit', () => reject(new Error(errors)))
  })
  await expect(openDatabase({ kind: 'pglite', folder })).rejects.toThrow(refusedBy(child.pid!))
  child.kill('SIGKILL')
  await exited
  const database = await openDatabase({ kind: 'pglite', folder })
  const { rows } = await database.query<{ n: number }>({
    sql: 'select n from t order by n',
    parameters: [],
  })
  await database.close()
  expect(rows.length).toBeGreaterThanOrEqual(acknowledged)
  expect(rows.map(({ n }) => n)).toEqual(Array.from(rows, (_, at) => at + 1))
  expect(existsSync(lockFile())).toBe(false)
})

test('a broken engine restarts: a folder keeps its rows, a database in memory does not', async () => {
  const row = { sql: 'select n from t', parameters: [] }
  const broken = async (opening: Promise<Database>) => {
    const database = await opening
    await database.query({ sql: 'create table t as select 7 as n', parameters: [] })
    const connection = await database.pool.reserve()
    connection.destroy()
    database.pool.release(connection)
    return database
  }
  const inFolder = await broken(openDatabase({ kind: 'pglite', folder, acquireTimeout: 20_000 }))
  expect((await inFolder.query(row)).rows).toEqual([{ n: 7 }])
  expect(await inFolder.transaction(async () => (await inFolder.query(row)).rows)).toEqual([
    { n: 7 },
  ])
  await inFolder.close()
  expect(existsSync(lockFile())).toBe(false)

  const lost = await broken(openInMemory())
  await expect(lost.query(row)).rejects.toMatchObject({ code: 'db.closed' })
  await lost.close()
})
