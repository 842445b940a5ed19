/**
 * A process that runs jobs, as Fw or by hand with pg. For each message with a number of jobs, runs them, and answers with the seconds
 * and the seconds of processor time of all but the first tenth.
 */
import pg from 'pg'
import { addEffect, concurrency, startFw, type Drain } from './fw-worker.ts'

/** What a run of jobs took, except the first tenth, in which all of the connections begin to work. */
export interface Measured {
  readonly seconds: number
  readonly cpu: number
}

async function measure(drain: Drain, count: number): Promise<Measured> {
  let done = 0
  let began = 0
  let before = process.cpuUsage()
  await drain(count, () => {
    if (++done !== Math.floor(count / 10)) return
    began = performance.now()
    before = process.cpuUsage()
  })
  const { user, system } = process.cpuUsage(before)
  return { seconds: (performance.now() - began) / 1000, cpu: (user + system) / 1e6 }
}

interface Row {
  readonly id: string
  readonly attempt: number
  readonly arguments: { readonly n: number }
}

/**
 * What an application would write over the same tables for the same guarantees: it claims ten jobs at a time whose names it
 * knows, ends each in a transaction with its effect unless another process has the job, limits its time, and stores failures.
 */
function startByHand(url: string): Drain {
  const pool = new pg.Pool({ connectionString: url, max: concurrency + 2 })
  const claim = `update fw_jobs set attempt = attempt + 1, worker = 'by hand', run_at = now() + interval '30 seconds'
    where id in (select id from fw_jobs where queue = 'default' and name = any($2) and dead_at is null and run_at <= now()
      order by priority desc, run_at limit $1 for update skip locked)
    returning id, name, arguments, attempt`
  const end = `delete from fw_jobs where id = $1 and worker = 'by hand' and attempt = $2`
  const fail = `update fw_jobs set worker = null, error = $3, run_at = now() + interval '10 seconds'
    where id = $1 and worker = 'by hand' and attempt = $2`
  const run = async (
    { id, attempt, arguments: { n } }: Row,
    onEffect: () => void,
  ): Promise<void> => {
    const client = await pool.connect()
    const timeout = new AbortController()
    const timer = setTimeout(() => timeout.abort(new Error('time limit')), 300_000)
    try {
      void client.query('begin')
      await client.query({ name: 'effect', text: addEffect, values: [n] })
      timeout.signal.throwIfAborted()
      const ended = await client.query({ name: 'end', text: end, values: [id, attempt] })
      if (ended.rowCount !== 1) throw new Error('another process has the job')
      await client.query('commit')
      onEffect()
    } catch (error) {
      await client.query('rollback')
      await client.query({ name: 'fail', text: fail, values: [id, attempt, String(error)] })
    } finally {
      clearTimeout(timer)
      client.release()
    }
  }
  return async (_, onEffect) => {
    for (;;) {
      const values = [concurrency, ['effect']]
      const { rows } = await pool.query<Row>({ name: 'claim', text: claim, values })
      if (rows.length === 0) break
      await Promise.all(rows.map((row) => run(row, onEffect)))
    }
  }
}

const [kind = 'fw', url = ''] = process.argv.slice(2)
const drain = kind === 'fw' ? await startFw(url) : startByHand(url)
process.on('message', (count: number) => {
  void measure(drain, count).then((measured) => process.send!(measured))
})
process.send!('ready')
