/** The numbers of jobs, for metrics and pages. */
import { currentDatabase, type Database } from '../db.ts'
import { runStatement } from './job-statement.ts'

/** The number of jobs of a queue in each state, and the age of its oldest due job. */
export interface QueueState {
  readonly queue: string
  /** Due jobs that no process runs yet. */
  readonly waiting: number
  /** Jobs whose time has not come, also after a failed attempt. */
  readonly delayed: number
  readonly running: number
  /** Dead letters. */
  readonly dead: number
  /** The seconds that the oldest due job has waited. */
  readonly age: number
}

/** Counts the jobs of each queue. */
export async function countJobs(database = currentDatabase()): Promise<readonly QueueState[]> {
  return (await runStatement<QueueState>(database, 'count', [])).rows
}

let latest: readonly QueueState[] = []

/** The numbers of the last `refreshCounts` of this process; empty if it runs no jobs. */
export const latestCounts = (): readonly QueueState[] => latest

/** Reads the numbers for metrics; undefined forgets them. */
export async function refreshCounts(database: Database | undefined): Promise<void> {
  latest = database === undefined ? [] : await countJobs(database)
}
