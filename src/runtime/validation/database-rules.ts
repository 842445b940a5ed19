/** Rules that a constraint of the database checks: `unique` and `references`. */
import { currentTransaction, parseRefusal, type RefusalReason } from '../db.ts'
import type { FieldRefusal } from '../model.ts'
import { PermitError, toSnakeCase, type PermittedValues } from '../params.ts'
import { noErrors, numberFormatError, schemaErrors, type ValidationError } from './messages.ts'
import { type KeyRules, Rule } from './rule.ts'

/** The members of a model that the rules use. */
export interface ConstrainedModel<Field extends string> {
  readonly columns: { readonly [F in Field]: unknown }
  refusals(error: unknown, values: PermittedValues): Promise<readonly FieldRefusal[] | undefined>
}

/**
 * A rule that a database constraint checks during the write. It always passes before the write, because only the
 * constraint can detect a concurrent request. `Validation.save` turns the database's rejection into an error.
 */
export class ConstraintRule extends Rule {
  readonly name: string
  readonly model: ConstrainedModel<string>
  readonly field: string

  constructor(name: string, model: ConstrainedModel<string>, field: string) {
    super()
    this.name = name
    this.model = model
    this.field = field
  }

  override evaluate(): readonly ValidationError[] {
    return noErrors
  }
}

/** Rule: no other row has the value. Requires a unique constraint. `paramKey('email').is(required, unique(User, 'email'))`. */
export const unique = <Field extends string>(
  model: ConstrainedModel<Field>,
  field: NoInfer<Field>,
): Rule => new ConstraintRule('unique', model, field)

/**
 * Rule: the row to which the field refers exists. Requires a foreign key. `paramKey('countryId').is(references(Member,
 * 'countryId'))`.
 */
export const references = <Field extends string>(
  model: ConstrainedModel<Field>,
  field: NoInfer<Field>,
): Rule => new ConstraintRule('exists', model, field)

/** The rule whose message explains why the database rejected a value, by reason. */
const refusalRules: Readonly<Record<RefusalReason, string>> = {
  taken: 'unique',
  missing: 'exists',
  used: 'inUse',
  blank: 'required',
  overlapping: 'overlaps',
  tooLong: 'maxLength',
  outOfRange: 'outOfRange',
  unfit: 'invalid',
}

/** Converts the reason why the database rejected a value to an error. `limit` is the maximum length, if known. */
export const toValidationError = (
  reason: RefusalReason,
  limit: number | undefined,
): ValidationError =>
  reason === 'tooLong' && limit === undefined
    ? { name: refusalRules.unfit, messageParams: [] }
    : { name: refusalRules[reason], messageParams: limit === undefined ? [] : [String(limit)] }

const invalid: readonly ValidationError[] = [{ name: 'invalid', messageParams: [] }]

/** Returns the errors of the fields that the schemas of a model's columns rejected; `undefined` for any other error. */
export const schemaRefusals = (error: unknown): Errors | undefined =>
  error instanceof PermitError
    ? Object.fromEntries(
        error.failures.map(({ key, issues, examples }) => [
          key,
          examples ? [numberFormatError(examples)] : issues ? schemaErrors(issues) : invalid,
        ]),
      )
    : undefined

type Errors = Readonly<Record<string, readonly ValidationError[]>>

/**
 * Converts the database's rejection of a write to errors by key. The key is the one with a constraint rule for the
 * rejected field; otherwise the one with the name of the field or column. Returns `undefined` for any other error, and
 * if the form has none of the rejected fields.
 */
export async function refusalErrors(
  error: unknown,
  rules: readonly KeyRules[],
  keys: readonly string[],
  values: PermittedValues,
): Promise<Errors | undefined> {
  const refusal = parseRefusal(error)
  if (refusal === undefined) return schemaErrorsByKey(error, keys)
  const constraints = rules.flatMap(({ key, rules: own }) =>
    own.flatMap((rule) => (rule instanceof ConstraintRule ? [{ key, rule }] : [])),
  )
  const { reason, limit, columns } = refusal
  const found: (readonly [string, ValidationError])[] = []
  const toKey = (field: string): string | undefined =>
    constraints.find(({ rule }) => toSnakeCase(rule.field) === toSnakeCase(field))?.key ??
    keys.find((key) => toSnakeCase(key) === toSnakeCase(field))
  for (const column of columns) {
    const key = toKey(column)
    if (key !== undefined) found.push([key, toValidationError(reason, limit)])
  }
  if (found.length === 0)
    for (const model of new Set(constraints.map(({ rule }) => rule.model)))
      for (const each of (await model.refusals(error, values)) ?? []) {
        const key = each.field === undefined ? undefined : toKey(each.field)
        if (key !== undefined) found.push([key, toValidationError(each.reason, each.limit)])
      }
  if (found.length === 0) return undefined
  return Object.fromEntries(found.map(([key, value]) => [key, [value]]))
}

function schemaErrorsByKey(error: unknown, keys: readonly string[]): Errors | undefined {
  const found = Object.entries(schemaRefusals(error) ?? {}).flatMap(([field, errors]) => {
    const key = keys.find((each) => toSnakeCase(each) === toSnakeCase(field))
    return key === undefined ? [] : [[key, errors] as const]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

/**
 * Runs `write` in a savepoint of the current transaction. Without the savepoint, a failed statement would abort the
 * whole transaction.
 */
export const inSavepoint = <T>(write: () => Promise<T>): Promise<T> =>
  currentTransaction()?.nested(write) ?? write()
