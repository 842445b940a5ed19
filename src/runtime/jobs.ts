/** jobs: work that is enqueued in the transaction of a request, and that any node runs. */
export type { Delay } from './jobs/delay.ts'
export type { JobArguments } from './jobs/job-arguments.ts'
export { jobChannel, type JobEvent, type JobOutcome } from './jobs/job-event.ts'
export { JobRunner, type JobRunnerOptions } from './jobs/job-runner.ts'
export { jobMigration, jobMigrationText } from './jobs/job-sql.ts'
export { countJobs, latestCounts, type QueueState } from './jobs/job-state.ts'
export {
  definedJobs,
  job,
  type EnqueueAllOptions,
  type EnqueueOptions,
  type Job,
  type JobContext,
  type JobOptions,
} from './jobs/job.ts'
export { runJobs } from './jobs/run-jobs.ts'
export { JobsController } from './jobs/jobs-controller.ts'
export { jobSettings, type JobSettings } from './jobs/settings.ts'
