/** `Form`: permits and validates the fields of a form together. A valid form contains typed values. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { FwError } from '../base.ts'
import {
  type NumberKind,
  Params,
  type ParamTypes,
  type PermitFailure,
  type Permitted,
  type PermittedPartial,
  type PermittedValues,
  numberKind,
  readPermitted,
  withJsonTexts,
} from '../params.ts'
import { type Failures, Validation, type ValidationOptions } from './create-validation.ts'
import { numberFormatError, schemaErrors, type ValidationError } from './messages.ts'
import type { KeyRules } from './rule.ts'

/**
 * A validation of listed fields. A value that does not convert is an error of its key. `P` is the type of the converted
 * values.
 */
export interface Form<S extends ParamTypes, P = Permitted<S>> extends Validation<keyof S & string> {
  readonly types: S
  /** Returns true if every rule passes and every field converts. Only then does the form have `permitted` values. */
  validate(): this is ValidForm<S, P>
  /** Validates and writes as `Validation.save` does. `write` receives the typed values. */
  save<T>(write: (permitted: P & PermittedValues) => Promise<T>): Promise<T | undefined>
  /** Returns a form that contains only the keys that were sent, for PATCH. */
  partial(): Form<S, PermittedPartial<S>>
}

/** A form for which `validate()` returned true. */
export interface ValidForm<S extends ParamTypes, P = Permitted<S>> extends Form<S, P> {
  /** The converted values, which `createWithPermittedAttributes` accepts. */
  readonly permitted: P
}

/** Returns the errors of a field that is absent, does not convert, or has a value that its schema rejects. */
function conversionErrors({ reason, type, issues, examples }: PermitFailure): ValidationError[] {
  if (examples !== undefined) return [numberFormatError(examples)]
  if (issues !== undefined && reason === 'invalid') return schemaErrors(issues)
  const name = reason === 'absent' ? 'required' : (type.definition?.rule ?? 'invalid')
  return [{ name, messageParams: [] }]
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
      'The form is not valid, so it has no permitted values: call validate() first.',
    )
  }

  override partial(): TypedValidation<S> {
    const parts = { types: this.types, rules: this.sentRules(), partial: true }
    return new TypedValidation(this.params, parts, this.options)
  }

  override without(keys: ReadonlySet<string>): TypedValidation<S> {
    const kept = Object.entries(this.types).filter(([key]) => !keys.has(key))
    const types = Object.fromEntries(kept) as S
    const parts = { types, rules: this.rulesWithout(keys), partial: this.#partial }
    return new TypedValidation(this.params, parts, this.options)
  }

  protected override copy(options: ValidationOptions): this {
    const parts = { types: this.types, rules: this.rules, partial: this.#partial }
    return new TypedValidation(this.params, parts, options) as this
  }

  protected override writtenValues(): PermittedValues {
    return this.permitted
  }

  protected override numberKind(rules: KeyRules): NumberKind | undefined {
    const type = this.types[rules.key]
    return (type && numberKind(type)) ?? super.numberKind(rules)
  }

  protected override keys(): Iterable<string> {
    const listed = Object.keys(this.types)
    return [...super.keys(), ...(this.#partial ? listed.filter((key) => this.isSent(key)) : listed)]
  }

  protected override evaluate(): Failures {
    const failures = super.evaluate()
    const read = readPermitted(this.params.source, this.types, this.#partial)
    if (!Array.isArray(read)) {
      this.#permitted = read
      return failures
    }
    const all = new Map(failures)
    for (const failure of read)
      if (!all.has(failure.key)) all.set(failure.key, conversionErrors(failure))
    return all
  }
}

/**
 * Creates a form of the fields `types`. Each rule applies to one of these fields. The values are permitted and typed.
 * @spec Validation DSL › validation, params.permit
 */
export function createForm<const S extends ParamTypes>(
  params: Params,
  types: S,
  rules: readonly KeyRules<keyof S & string>[],
  options: ValidationOptions = {},
): Form<S> {
  return new TypedValidation(
    withJsonTexts(params, types),
    { types, rules, partial: false },
    options,
  ) as unknown as Form<S>
}

/** Returns the texts of a member: one for each item of a list, none for an object. */
function memberTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(memberTexts)
  if (value === undefined || value === null || typeof value === 'object') return []
  return [String(value)]
}

/**
 * Returns a form as a Standard Schema, for libraries that accept one. The schema validates an object: it reads the
 * members as texts, and returns permitted values. Messages are in English, and `path` contains the field.
 */
export function formSchema<const S extends ParamTypes>(
  types: S,
  ...rules: readonly KeyRules<keyof S & string>[]
): StandardSchemaV1<{ readonly [K in keyof S]?: unknown }, Permitted<S>> {
  const validate = (value: unknown): StandardSchemaV1.Result<Permitted<S>> => {
    if (typeof value !== 'object' || value === null)
      return { issues: [{ message: 'must be an object' }] }
    const members = Object.entries(value)
    const texts = new Map(members.map(([key, member]) => [key, memberTexts(member)] as const))
    const form = createForm(new Params(texts), types, rules)
    if (form.validate()) return { value: form.permitted }
    return {
      issues: [...form.keyAndErrorMessages].flatMap(([key, messages]) =>
        messages.map((message) => ({ message, path: [key] })),
      ),
    }
  }
  return { '~standard': { version: 1, vendor: 'fwjs', validate } }
}
