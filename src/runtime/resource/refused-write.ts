/** Writes that the database refuses: they become errors of the form or a conflict, and are rolled back. */
import { Halt } from '../action.ts'
import { HttpError } from '../base.ts'
import { currentTransaction, QueryError, parseRefusal } from '../db.ts'
import type { FieldRefusal } from '../model.ts'
import { type ParamTypes, type PermittedValues, toSnakeCase } from '../params.ts'
import {
  schemaRefusals,
  toValidationError,
  type Validation,
  type ValidationError,
} from '../validation.ts'
import type { ResourceController } from './resource-controller.ts'

/** A write and its form. */
export interface Write<T> {
  readonly form: Validation<string>
  /** The fields that clients may send. */
  readonly types: ParamTypes
  readonly permitted: PermittedValues
  readonly write: () => Promise<T>
}

/**
 * Runs `write` and returns its result. If the database refuses the values the result is `undefined`: the write is rolled
 * back, and the form has the errors, by field if one is known.
 */
export async function tryWrite<T>(
  c: ResourceController,
  { form, types, permitted, write }: Write<T>,
): Promise<{ readonly value: T } | undefined> {
  try {
    return { value: await runInSavepoint(write) }
  } catch (error) {
    const bySchema = schemaErrorsByKey(error, types)
    if (bySchema !== undefined) {
      form.addErrors(bySchema)
      return undefined
    }
    const refusals = (await c.model.refusals?.(error, permitted)) ?? refusalsByColumn(error)
    const errors = refusals && errorsByKey(refusals, types, c.resourceName)
    if (errors === undefined) throw error
    logRefusal(c, error)
    form.addErrors(errors)
    return undefined
  }
}

/** The errors of a write that the schema of a column refused. */
function schemaErrorsByKey(
  error: unknown,
  types: ParamTypes,
): Readonly<Record<string, readonly ValidationError[]>> | undefined {
  const refusals = schemaRefusals(error)
  if (refusals === undefined) return undefined
  return Object.fromEntries(
    refusals.map(({ field, errors }) => [sentKey(field, types) ?? field, errors]),
  )
}

/** Deletes by `write`. If other records need the record, the delete is rolled back and the result is the conflict. */
export async function tryDelete(
  c: ResourceController,
  write: () => Promise<unknown>,
): Promise<HttpError | undefined> {
  try {
    await runInSavepoint(write)
    return undefined
  } catch (error) {
    if (!(error instanceof QueryError && error.sqlState.startsWith('23'))) throw error
    logRefusal(c, error)
    const fallback = `The ${c.resourceName} was not deleted: other records still need it.`
    const text = flashText(c, 'inUse', fallback)
    return new HttpError(409, 'resource.in-use', text, { cause: error })
  }
}

/** The message `<messageResourceName>.flash.<name>`, else `fallback`. */
export const flashText = (c: ResourceController, name: string, fallback: string): string =>
  c.i18n.message(`${c.messageResourceName}.flash.${name}`) ?? fallback

/**
 * A failed statement aborts its transaction, so the write gets a savepoint. Halts and refusals roll nothing back, as in
 * every request.
 */
async function runInSavepoint<T>(write: () => Promise<T>): Promise<T> {
  const transaction = currentTransaction()
  if (transaction === undefined) return write()
  const done = await transaction.nested(async () => {
    try {
      return { value: await write() }
    } catch (error) {
      if (!isResponse(error)) throw error
      return { thrown: error }
    }
  })
  if ('thrown' in done) throw done.thrown
  return done.value
}

const isResponse = (error: unknown): error is Error =>
  error instanceof Halt || (error instanceof HttpError && error.status < 500)

/** The refused fields by column name, for models without the method `refusals`. */
function refusalsByColumn(error: unknown): readonly FieldRefusal[] | undefined {
  const refusal = parseRefusal(error)
  if (refusal === undefined) return undefined
  const { reason, columns, limit } = refusal
  return (columns.length > 0 ? columns : [undefined]).map((field) => ({ field, reason, limit }))
}

/**
 * The errors by key: of the fields that clients send, if any; else of the fields themselves, else of the whole record.
 * `undefined` for a missing value of a field that clients cannot send: that is a fault of the application.
 */
function errorsByKey(
  refusals: readonly FieldRefusal[],
  types: ParamTypes,
  resourceName: string,
): Readonly<Record<string, readonly ValidationError[]>> | undefined {
  const keyed = refusals.map((refusal) => ({ ...refusal, key: sentKey(refusal.field, types) }))
  const sent = keyed.filter(({ key }) => key !== undefined)
  if (sent.length === 0 && refusals.some(({ reason }) => reason === 'blank')) return undefined
  const errors: Record<string, readonly ValidationError[]> = Object.create(null)
  for (const { key, field, reason, limit } of sent.length > 0 ? sent : keyed)
    errors[key ?? field ?? resourceName] = [toValidationError(reason, limit)]
  return errors
}

/** The strong parameter of a field or a column. */
const sentKey = (field: string | undefined, types: ParamTypes): string | undefined =>
  field === undefined
    ? undefined
    : Object.keys(types).find((key) => key === field || toSnakeCase(key) === toSnakeCase(field))

/** Logs the constraint for the developer, without the values. */
function logRefusal(c: ResourceController, error: unknown): void {
  if (!(error instanceof QueryError)) return
  const { sqlState, table, constraint, column } = error
  c.logger.info({ sqlState, table, constraint, column }, 'the database refused what was sent')
}
