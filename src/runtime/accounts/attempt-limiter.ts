/** `attemptLimiter`: limits attempts, such as logins, over all nodes, with a delay that grows. */
import { hash } from 'node:crypto'
import { FwError, toMilliseconds, type Duration } from '../base.ts'
import { currentDatabase, outsideTransaction, QueryError } from '../db.ts'
import type { RateLimiter } from '../feature.ts'
import { attemptSql } from './attempt-sql.ts'

/** The limits of a limiter. The time between two attempts doubles with each, until some are forgotten. */
export interface AttemptLimits {
  /** The name of what is limited, such as `login`, under which the database stores the attempts; at most 64 characters. */
  readonly name: string
  /** How many attempts are allowed without a delay. */
  readonly attempts: number
  /** The first delay. @default '1m' */
  readonly delay?: Duration
  /** The longest delay. @default '1h' */
  readonly maxDelay?: Duration
  /** The time in which one attempt is forgotten: the rate that is allowed in the long run. @default '1h' */
  readonly forget?: Duration
}

/** What `consume` rejects with, as the limiters of `rate-limiter-flexible` do. */
interface Refusal {
  readonly msBeforeNext: number
}

/**
 * Counts an attempt under a key of each limiter with one statement, as `consume` does. An attempt that the first limiter refuses is
 * not counted by the second.
 */
export let consumeBoth: (
  one: AttemptLimiter,
  oneKey: string,
  two: AttemptLimiter,
  twoKey: string,
) => Promise<void>

/** A limiter of `rateLimit` whose attempts the database stores, so that its limits hold over all nodes. */
export class AttemptLimiter implements RateLimiter {
  readonly #name: string
  readonly #limits: readonly number[]

  /** @throws FwError `accounts.limit-invalid` */
  constructor({ name, attempts, delay = '1m', maxDelay = '1h', forget = '1h' }: AttemptLimits) {
    this.#name = checkName(name)
    const seconds = [delay, maxDelay, forget].map((duration) => toMilliseconds(duration) / 1000)
    this.#limits = [attempts, ...seconds]
    if (!Number.isInteger(attempts) || this.#limits.some((limit) => !(limit > 0)))
      throw new FwError(
        'accounts.limit-invalid',
        `The limiter '${name}' needs a whole number of attempts, and times above 0.`,
      )
  }

  /**
   * Counts an attempt under `key` with one statement. Rejects with `{ msBeforeNext }` while the key must wait; such an attempt is not
   * counted. If the request has not written yet, the statement runs outside its transaction: then other attempts under the key do
   * not wait for the end of the request, and a rollback does not undo it.
   * @throws FwError `accounts.tables-missing`
   */
  async consume(key: string): Promise<void> {
    await count('count', this.#parameters(key))
  }

  #parameters(key: string): readonly unknown[] {
    return [this.#name, digest(key), ...this.#limits]
  }

  static {
    consumeBoth = (one, oneKey, two, twoKey) =>
      count('countBoth', [...one.#parameters(oneKey), ...two.#parameters(twoKey)])
  }

  /** Forgets the attempts under `key`, as after a successful login. @throws FwError `accounts.tables-missing` */
  async reset(key: string): Promise<void> {
    await run('reset', [this.#name, digest(key)])
  }
}

async function count(
  statement: 'count' | 'countBoth',
  parameters: readonly unknown[],
): Promise<void> {
  const counting = () => run<{ isAllowed: boolean; millisToWait: number }>(statement, parameters)
  const [row] = await (currentDatabase().currentTransaction()?.begun === true
    ? counting()
    : outsideTransaction(counting))
  const refusal: Refusal = { msBeforeNext: row!.millisToWait }
  // oxlint-disable-next-line typescript/only-throw-error -- rateLimit tells a refusal from a failure by its class.
  if (!row!.isAllowed) throw refusal
}

function checkName(name: string): string {
  if (/^[\w.-]{1,64}$/.test(name)) return name
  throw new FwError(
    'accounts.limit-invalid',
    `'${name}' is no name of a limiter: use 1 to 64 letters, digits and the characters _ . -`,
  )
}

/** Returns a text of constant length, so that the table contains no addresses. */
const digest = (key: string): string => hash('sha256', key, 'base64url')

async function run<Row>(
  name: keyof typeof attemptSql,
  parameters: readonly unknown[],
): Promise<readonly Row[]> {
  try {
    const statement = { sql: attemptSql[name], parameters, name: `fw-attempt-${name}` }
    return (await currentDatabase().query<Row>(statement)).rows
  } catch (error) {
    const isMissing = error instanceof QueryError && error.sqlState === '42P01'
    throw isMissing ? tableMissing(error) : error
  }
}

const tableMissing = (cause: unknown): FwError =>
  new FwError(
    'accounts.tables-missing',
    'The table of attempts is missing. Write its migration into db/migration and apply it:\n' +
      '  ./fw g migration create_fw_attempts\n' +
      '  ./fw db:migrate',
    { cause },
  )

/**
 * Creates a limiter for `rateLimit` that counts in the database, one statement for each attempt. After `attempts` attempts, the
 * next one must wait for `delay`, and each further one twice as long as the one before, up to `maxDelay`:
 *
 *     const limiter = attemptLimiter({ name: 'login', attempts: 5 })
 *     mix(FwController, rateLimit({ limiter, key: ({ params }) => params.get('email') ?? '', only: ['login'] }))
 *
 * @throws FwError `accounts.limit-invalid`; TypeError for an invalid duration
 */
export const attemptLimiter = (limits: AttemptLimits): AttemptLimiter => new AttemptLimiter(limits)

/** Removes the keys whose attempts are all forgotten; for a daily job. @throws FwError `accounts.tables-missing` */
export async function sweepAttempts(): Promise<void> {
  await run('sweep', [])
}
