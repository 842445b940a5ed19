/** Loads the jobs of an application, and runs them. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Logger } from '../base.ts'
import type { Database } from '../db.ts'
import { definedJobs, JobRunner, type JobRunnerOptions } from '../jobs.ts'
import type { ApplicationSettings } from './settings.ts'

/** How a process runs jobs; each member has a default. */
export interface JobsOfProcess {
  /** The only queues of the process. @default all queues */
  readonly queues?: readonly string[] | undefined
  /** The milliseconds that running jobs may take at the end. @default the setting `jobs.drainTimeout` */
  readonly drainTimeout?: number
}

interface JobsContext {
  readonly database: Database
  readonly logger: Logger
  readonly settings: ApplicationSettings
  readonly enter: JobRunnerOptions['enter']
}

/** Imports the files of `src/main/job/` and `src/main/mail/`, so that their jobs and mailers are defined. */
export async function importJobs(root: string): Promise<void> {
  for (const file of globSync('src/main/{job,mail}/**/*.ts', { cwd: root }).toSorted())
    await import(pathToFileURL(join(root, file)).href)
}

/**
 * Starts to run jobs. Returns undefined if the application defines none.
 * @throws FwError `jobs.tables-missing`, `jobs.schedule-invalid`
 */
export async function startJobs(
  { database, logger, settings, enter }: JobsContext,
  { queues, drainTimeout }: JobsOfProcess,
): Promise<JobRunner | undefined> {
  if (definedJobs().length === 0) return undefined
  const own = drainTimeout === undefined ? settings.jobs : { ...settings.jobs, drainTimeout }
  const countsJobs = settings.metrics.enabled
  return new JobRunner({ database, logger, settings: own, queues, countsJobs, enter }).start()
}
