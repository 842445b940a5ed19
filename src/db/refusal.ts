/** Why the database refused a row for what it holds, told apart from faults of the statement. */
import { QueryError } from './query-error.ts'

/**
 * `taken`: unique values that another row has; `missing`: a reference to no row; `used`: other rows refer to it; `blank`: a
 * NULL that may not be; `overlapping`: an exclusion constraint; `unfit`: a CHECK, or a text that its type does not take.
 */
export type RefusalReason =
  | 'taken'
  | 'missing'
  | 'used'
  | 'blank'
  | 'overlapping'
  | 'tooLong'
  | 'outOfRange'
  | 'unfit'

/** Holds no values of any row. */
export interface Refusal {
  readonly reason: RefusalReason
  /** The words of the columns' names, and of the functions around them where an index has some; often none are known. */
  readonly columns: readonly string[]
  readonly table: string | undefined
  readonly constraint: string | undefined
  /** The most characters, where the type says it. */
  readonly limit: number | undefined
}

/** What a client may have sent; other states of class 22, such as a division by zero, are the statement's own. */
const reasons: ReadonlyMap<string, RefusalReason> = new Map([
  ['22001', 'tooLong'],
  ['22003', 'outOfRange'],
  ['22007', 'unfit'],
  ['22008', 'outOfRange'],
  ['22015', 'outOfRange'],
  ['22018', 'unfit'],
  ['22021', 'unfit'],
  ['22030', 'unfit'],
  ['22032', 'unfit'],
  ['22P02', 'unfit'],
  ['22P03', 'unfit'],
  ['22P05', 'unfit'],
  ['23000', 'unfit'],
  ['23001', 'used'],
  ['23502', 'blank'],
  ['23503', 'missing'],
  ['23505', 'taken'],
  ['23514', 'unfit'],
  ['23P01', 'overlapping'],
  ['44000', 'unfit'],
])

/** `undefined` for every other error, and for one that is not the database's. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof QueryError)) return undefined
  const reason = reasons.get(error.sqlState)
  if (reason === undefined) return undefined
  const { column, table, constraint, detail = '', cause } = error
  // `Key (lower(mail))=(…) already exists.`, in the server's language: what stands before the values.
  const key = /\((.*?)\)=\(/.exec(detail)?.[1] ?? ''
  const words = key.match(/"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*/gu) ?? []
  const columns = column === undefined ? words.map(unquoted) : [column]
  const limit = reason === 'tooLong' ? /\((\d+)\)/.exec((cause as Error).message)?.[1] : undefined
  return {
    reason,
    columns,
    table,
    constraint,
    limit: limit === undefined ? undefined : Number(limit),
  }
}

const unquoted = (name: string): string =>
  name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name
