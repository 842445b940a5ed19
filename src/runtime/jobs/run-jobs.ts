/** `runJobs`: runs the jobs of a test at once, one after another. */
import { silentLogger } from '../base.ts'
import { currentDatabase } from '../db.ts'
import type { ClaimedJob } from './job-event.ts'
import { JobRun } from './job-run.ts'
import { runStatement } from './job-statement.ts'
import { definedJobs } from './job.ts'

/** Milliseconds after which a job counts as due: also delayed jobs and those after their back-off are. */
const allTimes = 200 * 366 * 24 * 60 * 60 * 1000
const lease = 60 * 60 * 1000

/**
 * Runs all waiting jobs, and those that they enqueue, also the delayed ones. Returns their number. Rejects with the error of the
 * first one that fails: it then waits for its next attempt, or is a dead letter.
 */
export async function runJobs(): Promise<number> {
  const database = currentDatabase()
  const worker = { id: `test:${process.pid}`, database, logger: silentLogger, isDraining: false }
  for (let count = 0; ;) {
    const names = definedJobs().map(({ name }) => name)
    const parameters = [[], [], 1, null, names, worker.id, lease, allTimes]
    const { rows } = await runStatement<ClaimedJob>(database, 'claim', parameters)
    if (rows.length === 0) return count
    count += rows.length
    // A claim returns one job of each queue. All of them run, because their leases would keep them from a later call.
    let failed: JobRun | undefined
    for (const row of rows) {
      const run = new JobRun(row, worker)
      if ((await run.run()) !== 'done') failed ??= run
    }
    if (failed !== undefined) throw failed.error
  }
}
