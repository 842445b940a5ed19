/** What the database refuses: told as mistakes of the form, or as a conflict, and nothing of the write is kept. */
import { Halt } from '../action.ts'
import { HttpError } from '../base.ts'
import { currentTransaction, QueryError, refusalOf, type RefusalReason } from '../db.ts'
import type { FieldRefusal } from '../model.ts'
import { type ParamTypes, type PermittedValues, toSnakeCase } from '../params.ts'
import type { Validation, ValidationError } from '../validation.ts'
import type { EntityFormat } from './entity-body.ts'
import { flashText, showAgain } from './page-answers.ts'
import type { ResourceHost } from './resource-actions.ts'
import type { ResolvedOptions } from './resource-options.ts'

/** The rule that would have found it, by whose name the message goes. */
const rules: Readonly<Record<RefusalReason, string>> = {
  taken: 'unique',
  missing: 'exists',
  used: 'inUse',
  blank: 'required',
  overlapping: 'overlaps',
  tooLong: 'maxLength',
  outOfRange: 'outOfRange',
  unfit: 'invalid',
}

/** A write, and what it is judged by. */
export interface Write<T> {
  readonly form: Validation<string>
  /** What clients may send. */
  readonly types: ParamTypes
  readonly permitted: PermittedValues
  readonly write: () => Promise<T>
}

/**
 * What `write` gives; `undefined` where the database refused the values: then the form has failed, by field where one is
 * known, and nothing that `write` did is kept.
 */
export async function writeOrRefuse<T>(
  c: ResourceHost,
  options: ResolvedOptions,
  { form, types, permitted, write }: Write<T>,
): Promise<{ readonly value: T } | undefined> {
  try {
    return { value: await undoable(write) }
  } catch (error) {
    const refusals = (await options.model.refusals?.(error, permitted)) ?? refusalsByColumn(error)
    const errors = refusals && errorsOf(refusals, types, options)
    if (errors === undefined) throw error
    tellLog(c, error)
    form.refuse(errors)
    return undefined
  }
}

/**
 * Deletes by `write`. Where other records need the record nothing is deleted, and a browser gets its page again with the
 * reason; `undefined` when it is gone.
 * @throws HttpError 409 `resource.in-use`, for a program or where the record has no page
 */
export async function deleteOrRefuse(
  c: ResourceHost,
  options: ResolvedOptions,
  format: EntityFormat | undefined,
  write: () => Promise<unknown>,
): Promise<{ readonly page: unknown } | undefined> {
  try {
    await undoable(write)
    return undefined
  } catch (error) {
    if (!(error instanceof QueryError && error.sqlState.startsWith('23'))) throw error
    tellLog(c, error)
    const { resourceName } = options
    const otherwise = `The ${resourceName} was not deleted: other records still need it.`
    const text = flashText(c, options, 'inUse', otherwise)
    const conflict = new HttpError(409, 'resource.in-use', text, { cause: error })
    if (format !== undefined) throw conflict
    return { page: await showAgain(c, conflict) }
  }
}

/**
 * Inside a transaction a failed statement spoils all of it, so the write gets a savepoint. What is thrown as an answer,
 * such as a halt, undoes nothing here, as nowhere in a request.
 */
async function undoable<T>(write: () => Promise<T>): Promise<T> {
  const transaction = currentTransaction()
  if (transaction === undefined) return write()
  const done = await transaction.nested(async () => {
    try {
      return { value: await write() }
    } catch (error) {
      if (!isAnswer(error)) throw error
      return { thrown: error }
    }
  })
  if ('thrown' in done) throw done.thrown
  return done.value
}

const isAnswer = (error: unknown): error is Error =>
  error instanceof Halt || (error instanceof HttpError && error.status < 500)

/** Of a model that does not say more. */
function refusalsByColumn(error: unknown): readonly FieldRefusal[] | undefined {
  const refusal = refusalOf(error)
  if (refusal === undefined) return undefined
  const { reason, columns, limit } = refusal
  return (columns.length > 0 ? columns : [undefined]).map((field) => ({ field, reason, limit }))
}

/**
 * The mistakes by key: of the fields that clients send, if any; else of the fields themselves, else of the whole record.
 * A NULL where none may be that no client could have sent is a fault: nothing that it sends would mend it.
 */
function errorsOf(
  refusals: readonly FieldRefusal[],
  types: ParamTypes,
  { resourceName }: ResolvedOptions,
): Readonly<Record<string, readonly ValidationError[]>> | undefined {
  const keyed = refusals.map((refusal) => ({ ...refusal, key: sentKey(refusal.field, types) }))
  const sent = keyed.filter(({ key }) => key !== undefined)
  if (sent.length === 0 && refusals.some(({ reason }) => reason === 'blank')) return undefined
  const errors: Record<string, readonly ValidationError[]> = Object.create(null)
  for (const { key, field, reason, limit } of sent.length > 0 ? sent : keyed)
    errors[key ?? field ?? resourceName] = [errorOf(reason, limit)]
  return errors
}

const errorOf = (reason: RefusalReason, limit: number | undefined): ValidationError =>
  reason === 'tooLong' && limit === undefined
    ? { name: rules.unfit, messageParams: [] }
    : { name: rules[reason], messageParams: limit === undefined ? [] : [String(limit)] }

/** The strong parameter that a field, or a column, goes by. */
const sentKey = (field: string | undefined, types: ParamTypes): string | undefined =>
  field === undefined
    ? undefined
    : Object.keys(types).find((key) => key === field || toSnakeCase(key) === toSnakeCase(field))

/** For the developer, who may wonder which constraint it was; without the values. */
function tellLog(c: ResourceHost, error: unknown): void {
  if (!(error instanceof QueryError)) return
  const { sqlState, table, constraint, column } = error
  c.logger.info({ sqlState, table, constraint, column }, 'the database refused what was sent')
}
