/** TechEmpower's tables. Ids and numbers have five digits, so that all responses have the same length. */
import { openDatabase } from 'fwjs/db'

export const firstId = 10_000
const rows = 10_000

export const randomId = (): number => firstId + Math.floor(Math.random() * rows)

/** That many different ids in ascending order, which avoids deadlocks. */
export function randomIds(count: number): number[] {
  const ids = new Set<number>()
  while (ids.size < count) ids.add(randomId())
  return [...ids].sort((a, b) => a - b)
}

export const added = { id: 0, message: 'Additional fortune added at request time.' }

export const byMessage = (a: { message: string }, b: { message: string }): number =>
  a.message < b.message ? -1 : a.message > b.message ? 1 : 0

const fortunes = [
  'fortune: No such file or directory',
  "A computer scientist is someone who fixes things that aren't broken.",
  'After enough decimal places, nobody gives a damn.',
  'A bad random number generator: 1, 1, 1, 1, 1, 4.33e+67, 1, 1, 1',
  'A computer program does what you tell it to do, not what you want it to do.',
  'Emacs is a nice operating system, but I prefer UNIX. — Tom Christaensen',
  'Any program that runs right is obsolete.',
  'A list is only as strong as its weakest link. — Donald Knuth',
  'Feature: A bug with seniority.',
  'Computers make very fast, very accurate mistakes.',
  '<script>alert("This should not be displayed in a browser alert box.");</script>',
  'フレームワークのベンチマーク',
]

/** Creates a database with rows on the server; `drop` removes it. */
export async function makeTables(server: string) {
  const name = `fw_bench_${process.pid}`
  const admin = await openDatabase({ kind: 'postgres', url: server, poolSize: 1 })
  const run = (sql: string) => admin.query({ sql, parameters: [] })
  await run(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const own = await openDatabase({ kind: 'postgres', url: url.href, poolSize: 1 })
  for (const sql of [
    'create table world (id int primary key, random_number int not null)',
    `insert into world select n, n from generate_series(${firstId}, ${firstId + rows - 1}) n`,
    'create table fortune (id int primary key, message varchar(2048) not null)',
  ])
    await own.query({ sql, parameters: [] })
  for (const [at, message] of fortunes.entries())
    await own.query({ sql: 'insert into fortune values ($1, $2)', parameters: [at + 1, message] })
  await own.close()
  return {
    url: url.href,
    drop: async () => {
      await run(`drop database if exists ${name} with (force)`)
      await admin.close()
    },
  }
}
