/** Gives a controller typed reads of the request scope, and the parameters that a form shows. */
import type { ControllerClass, Ctor, FwContext } from '../action.ts'
import { FwError } from '../base.ts'
import { Params, toSnakeCase, type ParamValue } from '../params.ts'
import type { ViewHelper } from '../view.ts'

/** What `ScopeAccess` adds. */
export interface HasScopeAccess {
  /**
   * A value of the request scope, else the one of that name that every request has: `contextPath`, `requestPath`,
   * `requestPathWithQueryString`, `params`, `multiParams`, `errorMessages`, `keyAndErrorMessages`, `i18n`, `flash`,
   * `csrfKey`, `csrfToken`, `s`. `undefined` when there is none.
   * @spec General rules › 2
   */
  getFromRequestScope(name: string): unknown
  /** @throws FwError `feature.request-scope-conflict` when the value is no instance of `type` */
  getFromRequestScope<T>(name: string, type: Ctor<T>): T | undefined
  /** Shows a record's members as the form's parameters, dates also in parts. @spec View helper › params */
  setAsParams(record: object): void
  /** Shows one more parameter, in place of what was sent. */
  addParam(name: string, value: ParamValue): void
  /** Shows the parameters as they were sent: undoes `setAsParams` and `addParam`. */
  setParams(): void
  /** Whether `setAsParams` and `addParam` write `birthday_year` for `birthdayYear`; false unless overridden. */
  readonly useSnakeCasedParamKeys: boolean
}

const ofEveryRequest: ReadonlySet<string> = new Set([
  'contextPath',
  'requestPath',
  'requestPathWithQueryString',
  'params',
  'multiParams',
  'errorMessages',
  'keyAndErrorMessages',
  'i18n',
  'flash',
  'csrfKey',
  'csrfToken',
])

function scopeValue(ctx: FwContext, name: string): unknown {
  const scope = ctx.requestScope()
  if (scope.has(name)) return scope.get(name)
  if (name === 's') return ctx.viewHelper
  if (!ofEveryRequest.has(name)) return undefined
  return (ctx.viewHelper as ViewHelper & Record<string, unknown>)[name]
}

function conflict(name: string, expected: string): FwError {
  return new FwError(
    'feature.request-scope-conflict',
    `The request scope holds something else than ${expected} under '${name}': set it under another name.`,
  )
}

/** @spec General rules › 2 */
export const ScopeAccess = <B extends ControllerClass>(Base: B): B & Ctor<HasScopeAccess> => {
  abstract class ScopeAccess extends Base implements HasScopeAccess {
    get useSnakeCasedParamKeys(): boolean {
      return false
    }

    getFromRequestScope(name: string): unknown
    getFromRequestScope<T>(name: string, type: Ctor<T>): T | undefined
    getFromRequestScope(name: string, type?: Ctor): unknown {
      const value = scopeValue(this.ctx, name)
      if (type !== undefined && value !== undefined && !(value instanceof type))
        throw conflict(name, `a ${type.name}`)
      return value
    }

    setAsParams(record: object): void {
      const options = { snakeCase: this.useSnakeCasedParamKeys }
      this.set('params', shownParams(this.ctx).withModel(record, options))
    }

    addParam(name: string, value: ParamValue): void {
      const key = this.useSnakeCasedParamKeys ? toSnakeCase(name) : name
      this.set('params', shownParams(this.ctx).with(key, value))
    }

    setParams(): void {
      this.requestScope().delete('params')
    }
  }
  return ScopeAccess
}

function shownParams(ctx: FwContext): Params {
  const shown = scopeValue(ctx, 'params')
  if (shown instanceof Params) return shown
  throw conflict('params', 'parameters')
}
