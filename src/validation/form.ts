/** Form: the permitted fields and their rules in one place; the values are reachable once they are valid. */
import { FwError } from '../base.ts'
import {
  type Params,
  type ParamTypes,
  type PermitFailure,
  type Permitted,
  type PermittedPartial,
  readPermitted,
} from '../params.ts'
import { type Failures, Validation, type ValidationOptions } from './create-validation.ts'
import type { KeyRules } from './param-key.ts'
import type { ValidationError } from './validation-error.ts'

/** A validation over listed fields; a value that does not convert is an error of its key. `P` are its values. */
export interface Form<S extends ParamTypes, P = Permitted<S>> extends Validation<keyof S & string> {
  /** The fields that it permits. */
  readonly types: S
  /** Whether every rule passes and every field converts; `permitted` is reachable only behind it. */
  validate(): this is ValidForm<S, P>
  /** The form for the keys that were sent: what a PATCH has to pass. */
  partial(): Form<S, PermittedPartial<S>>
}

/** A form that was found valid. */
export interface ValidForm<S extends ParamTypes, P = Permitted<S>> extends Form<S, P> {
  /** The converted values, ready for `createWithPermittedAttributes`. */
  readonly permitted: P
}

/** The rule whose message says that a value does not convert to the type. */
const ruleOfType: ReadonlyMap<string, string> = new Map([
  ['Byte', 'intValue'],
  ['Short', 'intValue'],
  ['Int', 'intValue'],
  ['Long', 'longValue'],
  ['BigInt', 'numeric'],
  ['BigDecimal', 'numeric'],
  ['Float', 'floatValue'],
  ['Double', 'doubleValue'],
  ['LocalDate', 'dateFormat'],
  ['LocalTime', 'timeFormat'],
  ['LocalDateTime', 'dateTimeFormat'],
  ['DateTime', 'dateTimeFormat'],
])

/** What a field that gives no value says to a form. */
export function errorOfType({ reason, type }: PermitFailure): ValidationError {
  return {
    name: reason === 'absent' ? 'required' : (ruleOfType.get(type.name) ?? 'invalid'),
    messageParams: [],
  }
}

class TypedValidation<S extends ParamTypes> extends Validation<keyof S & string> {
  readonly types: S
  readonly #partial: boolean
  #permitted: Permitted<S> | undefined

  constructor(
    params: Params,
    { types, rules, partial }: { types: S; rules: readonly KeyRules[]; partial: boolean },
    options: ValidationOptions,
  ) {
    super(params, rules, options)
    this.types = types
    this.#partial = partial
  }

  get permitted(): Permitted<S> {
    if (!this.hasErrors && this.#permitted !== undefined) return this.#permitted
    throw new FwError(
      'validation.not-valid',
      'The form is not valid, so it has no permitted values; ask validate() first.',
    )
  }

  override partial(): TypedValidation<S> {
    const parts = { types: this.types, rules: this.sentRules(), partial: true }
    return new TypedValidation(this.params, parts, this.options)
  }

  protected override keys(): Iterable<string> {
    const listed = Object.keys(this.types)
    return [
      ...super.keys(),
      ...(this.#partial ? listed.filter((key) => this.params.has(key)) : listed),
    ]
  }

  protected override judge(): Failures {
    const failures = super.judge()
    const read = readPermitted(this.params.source, this.types, this.#partial)
    if (!Array.isArray(read)) {
      this.#permitted = read
      return failures
    }
    const all = new Map(failures)
    for (const failure of read)
      if (!all.has(failure.key)) all.set(failure.key, [errorOfType(failure)])
    return all
  }
}

/**
 * A form: every rule is about a field of `types`, the values come out permitted and typed.
 * @spec Validation DSL › validation, params.permit
 */
export function createForm<const S extends ParamTypes>(
  params: Params,
  types: S,
  rules: readonly KeyRules<keyof S & string>[],
  options: ValidationOptions = {},
): Form<S> {
  return new TypedValidation(
    params,
    { types, rules, partial: false },
    options,
  ) as unknown as Form<S>
}
