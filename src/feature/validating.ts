/** Gives a controller validations that know its request: status, messages and the form's values. */
import type { ControllerClass, Ctor, FwContext } from '../action.ts'
import type { Params, ParamTypes } from '../params.ts'
import {
  createForm,
  createSchemaForm,
  createValidation,
  type Form,
  KeyAndErrorMessages,
  type KeyRules,
  type SchemaForm,
  type StandardSchema,
  type Validation,
  type ValidationOptions,
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
  /**
   * A form: the fields with their types, and rules about them. `validate()` does what that of `validation` does; behind
   * it `permitted` holds the converted values.
   */
  form<const S extends ParamTypes>(
    params: Params,
    types: S,
    ...rules: readonly KeyRules<keyof S & string>[]
  ): Form<S>
  /**
   * A form judged by a schema of zod, valibot, arktype, …; `input` are parameters or any value, such as the parsed JSON
   * of a body. Behind `validate()`, `values` holds what the schema made of it.
   */
  form<S extends StandardSchema>(input: unknown, schema: S): SchemaForm<S>
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

function optionsOf(ctx: FwContext, prefix?: string): ValidationOptions {
  return { messages: ctx.i18n, prefix, onFailure: (failed) => fail(ctx, failed) }
}

function judged<const R extends readonly KeyRules<string>[]>(
  ctx: FwContext,
  params: Params,
  rules: R,
  prefix?: string,
): Validation<R[number]['key']> {
  return createValidation(params, rules, optionsOf(ctx, prefix))
}

function isSchema(shape: ParamTypes | StandardSchema): shape is StandardSchema {
  return '~standard' in shape
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

    form<const S extends ParamTypes>(
      params: Params,
      types: S,
      ...rules: readonly KeyRules<keyof S & string>[]
    ): Form<S>
    form<S extends StandardSchema>(input: unknown, schema: S): SchemaForm<S>
    form(
      input: unknown,
      shape: ParamTypes | StandardSchema,
      ...rules: readonly KeyRules<string>[]
    ): unknown {
      const options = optionsOf(this.ctx)
      return isSchema(shape)
        ? createSchemaForm(input, shape, options)
        : createForm(input as Params, shape, rules, options)
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
