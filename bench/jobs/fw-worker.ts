/** Runs jobs with Fw, whose effect is a row, and logs each as an application does. */
import { ParamType } from 'fwjs'
import { currentDatabase, openDatabase, useDatabase } from 'fwjs/db'
import { job } from 'fwjs/jobs'
import { jsonLogger, LogSink, withRequestIds } from '../../src/runtime/base.ts'
import { Configuration, readSettings } from '../../src/runtime/config.ts'
import { JobRunner, jobSettings } from '../../src/runtime/jobs.ts'

export const concurrency = 10
export const addEffect = 'insert into effects values ($1)'

let left = 0
let onEnd = (): void => {}
let onEffect = (): void => {}
job('effect', { n: ParamType.Int }, async ({ n }, ctx) => {
  const statement = { sql: addEffect, parameters: [n], name: 'effect' }
  await currentDatabase().query(statement)
  ctx.afterCommit(() => {
    onEffect()
    if (--left === 0) onEnd()
  })
})

/** Runs `count` jobs, and calls the listener after each. */
export type Drain = (count: number, listener: () => void) => Promise<void>

/** Starts a runner. The returned function wakes it, as a notification of an enqueued job does. */
export async function startFw(url: string): Promise<Drain> {
  const database = await openDatabase({ kind: 'postgres', url, poolSize: concurrency + 2 })
  useDatabase(database)
  const settings = readSettings(Configuration.from({ jobs: { concurrency } }), jobSettings).jobs
  const logger = withRequestIds(jsonLogger(new LogSink(process.stdout).write))
  await new JobRunner({ database, logger, settings }).start()
  return async (count, listener) => {
    onEffect = listener
    left = count
    const ended = new Promise<void>((resolve) => (onEnd = resolve))
    await database.notify('fw_jobs')
    await ended
  }
}
