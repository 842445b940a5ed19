/** The public interface `fwjs/jobs`: work that is enqueued in the transaction of a request, and that any node runs. */
export { job, JobsController } from './runtime/jobs.ts'
export type { JobContext } from './runtime/jobs.ts'
