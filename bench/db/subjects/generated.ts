/** Fw with the base class of a generated application. */
import { ApplicationController } from '../../generated-controller.ts'
import { serveFw } from '../fw-app.ts'

export const serve = (url: string): Promise<number> =>
  serveFw(url, { reads: ApplicationController, writes: ApplicationController })
