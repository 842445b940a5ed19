/** {{title}}. Use it with `class ApplicationController extends mix(FwController, {{Filter}})`. */
import type { ControllerClass, Ctor } from 'fwjs'

/** The members that {{Filter}} adds. */
export interface Has{{Name}} {
  {{method}}(): void
}

export const {{Filter}} = <B extends ControllerClass>(Base: B): B & Ctor<Has{{Name}}> => {
  abstract class {{Filter}} extends Base implements Has{{Name}} {
    static {
      this.beforeAction((c) => c.{{method}}())
    }

    {{method}}(): void {
      this.logger.info({ path: this.request.path.raw }, '{{words}}')
    }
  }
  return {{Filter}}
}
