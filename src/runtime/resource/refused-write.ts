/** Handles writes that the database rejects: rolls them back, and reports form errors or a conflict. */
import { Halt } from '../action.ts'
import { HttpError } from '../base.ts'
import { currentTransaction, QueryError, parseRefusal } from '../db.ts'
import type { FieldRefusal } from '../model.ts'
import { type ParamTypes, type PermittedValues, toSnakeCase } from '../params.ts'
import {
  type Errors,
  schemaRefusals,
  toValidationError,
  type Validation,
  type ValidationError,
} from '../validation.ts'
import type { ResourceController } from './resource-controller.ts'

interface Write<T> {
  readonly form: Validation<string>
  /** The fields that clients may send. */
  readonly types: ParamTypes
  readonly permitted: PermittedValues
  readonly write: () => Promise<T>
}

/**
 * Runs `write` and returns its result. If the database rejects the values, rolls the write back, adds the errors to the form
 * and returns `undefined`. Each error has the key of its field, if the field is known.
 */
export async function tryWrite<T>(
  c: ResourceController,
  { form, types, permitted, write }: Write<T>,
): Promise<{ readonly value: T } | undefined> {
  try {
    return { value: await runInSavepoint(write) }
  } catch (error) {
    const errors =
      schemaErrors(error, types) ??
      errorsByKey(
        (await c.model.refusals?.(error, permitted)) ?? refusalsByColumn(error),
        types,
        c.resourceName,
      )
    if (errors === undefined) throw error
    logRefusal(c, error)
    form.addErrors(errors)
    return undefined
  }
}

/** Returns the errors by key if a column's schema rejected the write; `undefined` for other failures. */
function schemaErrors(error: unknown, types: ParamTypes): Errors | undefined {
  const byField = schemaRefusals(error)
  if (byField === undefined) return undefined
  const keyed = Object.entries(byField).map(([field, errors]) => [
    sentKey(field, types) ?? field,
    errors,
  ])
  return Object.fromEntries(keyed)
}

/** Deletes a record by `write`. If other records reference it, rolls the delete back and returns the conflict. */
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

/** Returns the message `<messageResourceName>.flash.<name>`, or `fallback` if the application has no such message. */
export const flashText = (c: ResourceController, name: string, fallback: string): string =>
  c.i18n.message(`${c.messageResourceName}.flash.${name}`) ?? fallback

/**
 * Runs `write` in a savepoint, because a failed statement aborts its transaction. Halts and HTTP errors below 500 do not roll
 * back, as in every request.
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

/** Returns the rejected fields by column name, for models without the method `refusals`. */
function refusalsByColumn(error: unknown): readonly FieldRefusal[] | undefined {
  const refusal = parseRefusal(error)
  if (refusal === undefined) return undefined
  const { reason, columns, limit } = refusal
  return (columns.length > 0 ? columns : [undefined]).map((field) => ({ field, reason, limit }))
}

/**
 * Returns the errors by key. If clients send some of the rejected fields, only those get errors. Otherwise the other fields or
 * the whole record get them. Returns `undefined` if a value is missing in a field that clients cannot send, because that is an
 * application error.
 */
function errorsByKey(
  refusals: readonly FieldRefusal[] | undefined,
  types: ParamTypes,
  resourceName: string,
): Errors | undefined {
  if (refusals === undefined) return undefined
  const keyed = refusals.map((refusal) => ({ ...refusal, key: sentKey(refusal.field, types) }))
  const sent = keyed.filter(({ key }) => key !== undefined)
  if (sent.length === 0 && refusals.some(({ reason }) => reason === 'blank')) return undefined
  const errors: Record<string, readonly ValidationError[]> = Object.create(null)
  for (const { key, field, reason, limit } of sent.length > 0 ? sent : keyed)
    errors[key ?? field ?? resourceName] = [toValidationError(reason, limit)]
  return errors
}

/** Returns the key of the strong parameter that writes a field or column. */
const sentKey = (field: string | undefined, types: ParamTypes): string | undefined =>
  field === undefined
    ? undefined
    : Object.keys(types).find((key) => key === field || toSnakeCase(key) === toSnakeCase(field))

/** Logs the violated constraint for the developer, without the values. */
function logRefusal(c: ResourceController, error: unknown): void {
  if (!(error instanceof QueryError)) return
  const { sqlState, table, constraint, column } = error
  c.logger.info({ sqlState, table, constraint, column }, 'the database refused what was sent')
}
