/** The event of one attempt of a job, from which metrics and traces are made. */
import { WorkChannel, WorkEvent, type CurrentRequest } from '../base.ts'

/** A row that a worker has claimed. */
export interface ClaimedJob {
  readonly id: string
  readonly name: string
  readonly queue: string
  readonly priority: number
  readonly arguments: string
  readonly attempt: number
  readonly steps: string
  readonly request_id: string | null
  readonly traceparent: string | null
}

/** How an attempt ended: `returned` was given back because the process stops. */
export type JobOutcome = 'done' | 'failed' | 'dead' | 'returned' | 'lost'

/** The event of an attempt. As the current request it has the ids of the request that enqueued the job. */
export class JobEvent extends WorkEvent implements CurrentRequest {
  readonly row: ClaimedJob
  outcome: JobOutcome = 'done'
  readonly route: undefined = undefined
  readonly controller: undefined = undefined
  readonly action: undefined = undefined

  constructor(row: ClaimedJob) {
    super()
    this.row = row
  }

  get requestId(): string {
    return this.row.request_id ?? `job-${this.row.id}`
  }

  get traceId(): string | undefined {
    return this.row.traceparent?.split('-', 2)[1]
  }

  get traceparent(): string {
    return this.row.traceparent ?? ''
  }
}

/** The channels `fw:job:start` and `fw:job:end`. */
export const jobChannel: WorkChannel<JobEvent> = new WorkChannel('fw:job')
