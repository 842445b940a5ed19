/** The framework layer: ten `FwController`s, each with one filter before and one after its actions. */
import { FwController } from 'fwjs'
import { serveFw } from '../fw-app.ts'

abstract class ApplicationController extends FwController {
  static {
    this.before((c) => c.set('started', true))
    this.after((c) => c.set('status', c.status))
  }
}

export const serve = (): Promise<number> => serveFw(ApplicationController)
