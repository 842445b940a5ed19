/** `Validating`: adds `validation` to controllers. If it fails, the form shows its messages and values. */
import type { ControllerClass, Ctor, FwContext } from '../action.ts'
import type { Params, ParamTypes } from '../params.ts'
import { uploadErrors } from './file-upload-feature.ts'
import {
  createForm,
  createSchemaForm,
  createValidation,
  type Form,
  KeyRules,
  type SchemaForm,
  type StandardSchema,
  type Validation,
  type ValidationOptions,
} from '../validation.ts'

/** The arguments after the parameters. The type of the first determines the types of the others. */
type ValidationArgs<A extends readonly unknown[]> = A extends readonly [infer First, ...unknown[]]
  ? First extends StandardSchema
    ? readonly [schema: First]
    : First extends ParamTypes
      ? readonly [fields: First, ...rules: KeyRules<keyof First & string>[]]
      : readonly KeyRules[]
  : readonly KeyRules[]

type KeyOf<R> = R extends KeyRules<infer K> ? K : never

type ValidationResult<A extends readonly unknown[]> = A extends readonly [infer First, ...unknown[]]
  ? First extends StandardSchema
    ? SchemaForm<First>
    : First extends ParamTypes
      ? Form<First>
      : Validation<KeyOf<A[number]>>
  : Validation

export interface HasValidation {
  /**
   * Creates a validation of `params`. If `validate()` returns false, the status becomes 400, or the one set by the setting
   * `validation.status` or by `withStatus`. The view then gets `errorMessages`, `keyAndErrorMessages`, and the validated
   * parameters as `params`. There are three forms:
   *
   * - `validation(params, ...rules)`: rules, such as `paramKey('name').is(required)`.
   * - `validation(params, fields, ...rules)`: a form with typed fields. After `validate()`, `permitted` has the
   *   converted values.
   * - `validation(input, schema)`: a form with a schema of zod, valibot, arktype, …; `input` is parameters or any
   *   value, such as a parsed JSON body. After `validate()`, `values` has the schema's result.
   * @spec Validation DSL
   */
  validation<const A extends readonly unknown[]>(
    params: A extends readonly [StandardSchema] ? unknown : Params,
    ...args: A extends ValidationArgs<A> ? A : ValidationArgs<A>
  ): ValidationResult<A>
}

type Shape = KeyRules | ParamTypes | StandardSchema | undefined

const isSchema = (shape: Shape): shape is StandardSchema =>
  shape !== undefined && '~standard' in shape

function fail(ctx: FwContext, failed: Validation): void {
  failed.params.source.rejectUnread?.()
  ctx.response.status = failed.failureStatus ?? ctx.services.invalidStatus
  const scope = ctx.requestScope()
  scope.set('errorMessages', failed.errorMessages)
  scope.set('keyAndErrorMessages', failed.keyAndErrorMessages)
  scope.set('params', failed.params)
}

/** The trait that adds `validation` to a controller. @spec Validation DSL */
export const Validating = <B extends ControllerClass>(Base: B): B & Ctor<HasValidation> => {
  abstract class Validating extends Base {
    validation(input: unknown, shape?: Shape, ...rules: readonly KeyRules[]): unknown {
      const { ctx } = this
      const options: ValidationOptions = {
        messages: ctx.i18n,
        onFailure: (failed) => fail(ctx, failed),
        fileErrors: uploadErrors(ctx),
      }
      if (isSchema(shape)) return createSchemaForm(input, shape, options)
      const params = input as Params
      if (shape === undefined) return createValidation(params, [], options)
      if (shape instanceof KeyRules) return createValidation(params, [shape, ...rules], options)
      return createForm(params, shape, rules, options)
    }
  }
  return Validating as unknown as B & Ctor<HasValidation>
}
