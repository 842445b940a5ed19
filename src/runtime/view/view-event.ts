/** The events of rendered views, for metrics and traces. */
import { WorkChannel, type WorkEvent } from '../base.ts'

/** The rendering of a view with its layout. For a streamed view, it ends with the first part. */
export class ViewEvent implements WorkEvent {
  /** The name of the view, such as `/members/index`. */
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

/** The channels `fw:view:start` and `fw:view:end`. */
export const viewChannel: WorkChannel<ViewEvent> = new WorkChannel('fw:view')
