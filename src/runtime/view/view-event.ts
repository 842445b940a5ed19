/** The events of a rendered view, for metrics and traces. */
import { WorkChannel, type WorkEvent } from '../base.ts'

/** The rendering of one view with its layout; of a streamed view up to its first part. */
export class ViewEvent implements WorkEvent {
  /** Such as `/members/index`. */
  readonly view: string
  readonly format: string
  readonly startedAt: number = performance.now()
  millis = 0
  error: unknown

  constructor(view: string, format: string) {
    this.view = view
    this.format = format
  }
}

/** `fw:view:start` and `fw:view:end`. */
export const viewChannel: WorkChannel<ViewEvent> = new WorkChannel('fw:view')
