/** Gives a controller validations that know its request: status, messages and the form's values. */
import type { ControllerClass, Ctor, FwContext } from '../action.ts'
import type { Params } from '../params.ts'
import {
  createValidation,
  KeyAndErrorMessages,
  type KeyRules,
  type Validation,
} from '../validation.ts'

/** What `Validating` adds. */
export interface HasValidation {
  /**
   * Rules over `params`. When `validate()` answers false the status is 400, and the view finds `errorMessages`,
   * `keyAndErrorMessages` and the judged parameters as `params`.
   * @spec Validation DSL
   */
  validation<const R extends readonly KeyRules<string>[]>(
    params: Params,
    ...rules: R
  ): Validation<R[number]['key']>
  /** As `validation`, over the request's own parameters. */
  validationWithParams<const R extends readonly KeyRules<string>[]>(
    ...rules: R
  ): Validation<R[number]['key']>
  /** Labels are looked up as `<prefix>.<key>` first. */
  validationWithPrefix<const R extends readonly KeyRules<string>[]>(
    prefix: string,
    params: Params,
    ...rules: R
  ): Validation<R[number]['key']>
  /** The messages of the validation that failed; empty when none did. */
  readonly errorMessages: readonly string[]
  /** The messages of the validation that failed, by key. */
  readonly keyAndErrorMessages: KeyAndErrorMessages
}

function fail(ctx: FwContext, failed: Validation): void {
  ctx.response.status = 400
  const scope = ctx.requestScope()
  scope.set('errorMessages', failed.errorMessages)
  scope.set('keyAndErrorMessages', failed.keyAndErrorMessages)
  scope.set('params', failed.params)
}

function judged<const R extends readonly KeyRules<string>[]>(
  ctx: FwContext,
  params: Params,
  rules: R,
  prefix?: string,
): Validation<R[number]['key']> {
  return createValidation(params, rules, {
    messages: ctx.i18n,
    prefix,
    onFailure: (failed) => fail(ctx, failed),
  })
}

/** @spec Validation DSL */
export const Validating = <B extends ControllerClass>(Base: B): B & Ctor<HasValidation> => {
  abstract class Validating extends Base implements HasValidation {
    validation<const R extends readonly KeyRules<string>[]>(
      params: Params,
      ...rules: R
    ): Validation<R[number]['key']> {
      return judged(this.ctx, params, rules)
    }

    validationWithParams<const R extends readonly KeyRules<string>[]>(
      ...rules: R
    ): Validation<R[number]['key']> {
      return judged(this.ctx, this.params, rules)
    }

    validationWithPrefix<const R extends readonly KeyRules<string>[]>(
      prefix: string,
      params: Params,
      ...rules: R
    ): Validation<R[number]['key']> {
      return judged(this.ctx, params, rules, prefix)
    }

    get errorMessages(): readonly string[] {
      return (this.requestScope().get('errorMessages') as readonly string[] | undefined) ?? []
    }

    get keyAndErrorMessages(): KeyAndErrorMessages {
      return (
        (this.requestScope().get('keyAndErrorMessages') as KeyAndErrorMessages | undefined) ??
        new KeyAndErrorMessages()
      )
    }
  }
  return Validating
}
