/** Runs jobs with Fw, whose effect is a row. */
import { ParamType } from 'fwjs'
import { currentDatabase, openDatabase, useDatabase } from 'fwjs/db'
import { job } from 'fwjs/jobs'
import { silentLogger } from '../../src/runtime/base.ts'
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

/** Runs `count` jobs, and calls `listener` after each. */
export async function drain(url: string, count: number, listener: () => void): Promise<void> {
  onEffect = listener
  const database = await openDatabase({ kind: 'postgres', url, poolSize: concurrency + 2 })
  useDatabase(database)
  const ended = new Promise<void>((resolve) => (onEnd = resolve))
  left = count
  const settings = readSettings(Configuration.from({ jobs: { concurrency } }), jobSettings).jobs
  const runner = await new JobRunner({ database, logger: silentLogger, settings }).start()
  await ended
  await runner.close()
  await database.close()
}
