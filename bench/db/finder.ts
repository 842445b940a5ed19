/**
 * Compares a model's finder with plain pg: single rows sequentially, 20 concurrently, and updates in transactions.
 * `DATABASE_URL=postgres://… node --conditions=fwjs-source bench/db/finder.ts`
 */
import pg from 'pg'
import { openDatabase, useDatabase } from '../../src/runtime/db.ts'
import { model } from '../../src/runtime/model.ts'
import { ParamType, permitValues } from '../../src/runtime/params.ts'

const url = process.env['DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/test'
const World = model('fw_bench_world', { id: ParamType.Int, randomNumber: ParamType.Int })
const sql = 'select id, random_number from fw_bench_world where id = $1'
const update = 'update fw_bench_world set random_number = $2 where id = $1'
const randomId = (): number => 1 + Math.floor(Math.random() * 10_000)

const database = await openDatabase({ kind: 'postgres', url, poolSize: 1 })
useDatabase(database)
const client = new pg.Client({ connectionString: url, pipeline: true })
await client.connect()
await client.query('drop table if exists fw_bench_world')
await client.query('create table fw_bench_world (id int primary key, random_number int not null)')
await client.query('insert into fw_bench_world select n, n from generate_series(1, 10000) n')

const raw = (id: number) => client.query({ name: 'world', text: sql, values: [id] })
const twenty = <T>(work: (id: number) => Promise<T>) =>
  Promise.all(Array.from({ length: 20 }, () => work(randomId())))

const pairs: Record<string, readonly [ours: () => Promise<unknown>, raw: () => Promise<unknown>]> =
  {
    'one row': [() => World.findById(randomId()), () => raw(randomId())],
    'twenty rows at once': [() => twenty((id) => World.findById(id)), () => twenty(raw)],
    'update in a transaction': [
      () => {
        const permitted = permitValues({ randomNumber: randomId() }, 'randomNumber')
        return database.transaction(() =>
          World.updateById(randomId()).withPermittedAttributes(permitted),
        )
      },
      async () => {
        void client.query('begin')
        await client.query({ name: 'update', text: update, values: [randomId(), randomId()] })
        await client.query('commit')
      },
    ],
  }

/** Microseconds of processor time (this process) and elapsed time for one run of `work`. */
async function measure(
  work: () => Promise<unknown>,
  times: number,
): Promise<readonly [cpu: number, wall: number]> {
  const cpu = process.cpuUsage()
  const start = performance.now()
  for (let i = 0; i < times; i++) await work()
  const { user, system } = process.cpuUsage(cpu)
  return [(user + system) / times, ((performance.now() - start) * 1000) / times]
}

const middle = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1]!

for (const [name, [ours, theirs]] of Object.entries(pairs)) {
  const rounds: { ours: (readonly [number, number])[]; raw: (readonly [number, number])[] } = {
    ours: [],
    raw: [],
  }
  const times = name.startsWith('twenty') ? 300 : 2000
  await measure(ours, times)
  await measure(theirs, times)
  for (let round = 0; round < 7; round++) {
    rounds.ours.push(await measure(ours, times))
    rounds.raw.push(await measure(theirs, times))
  }
  const of = (which: 'ours' | 'raw', at: 0 | 1) => middle(rounds[which].map((values) => values[at]))
  const line = (which: 'ours' | 'raw') =>
    `${of(which, 1).toFixed(1)} µs (cpu ${of(which, 0).toFixed(1)})`
  console.log(
    `${name}: model ${line('ours')}, raw pg ${line('raw')}, ratio ${(of('raw', 1) / of('ours', 1)).toFixed(2)}`,
  )
}

await client.query('drop table fw_bench_world')
await client.end()
await database.close()
