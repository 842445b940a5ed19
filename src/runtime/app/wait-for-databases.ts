/** `waitForDatabases`: waits at the start until the databases of an application answer. */
import { setTimeout as delay } from 'node:timers/promises'
import { HttpError, type Logger } from '../base.ts'
import type { Database } from '../db.ts'

const firstDelay = 100
const longestDelay = 5_000

/** The delay before attempt `attempt`, with jitter: the nodes of a cluster must not connect at the same moment. */
const backOff = (attempt: number): number =>
  Math.min(longestDelay, firstDelay * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random() / 2)

/** @throws the reason of the signal; errors of a database other than 503 */
export async function waitForDatabases(
  databases: ReadonlyMap<string, Database>,
  logger: Logger,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const [name, database] of databases) {
    for (let attempt = 0; !(await answers(name, database, logger)); attempt++) {
      signal?.throwIfAborted()
      await delay(backOff(attempt), undefined, signal === undefined ? {} : { signal })
    }
  }
}

async function answers(name: string, database: Database, logger: Logger): Promise<boolean> {
  try {
    await database.ping()
    return true
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 503) throw error
    logger.warn({ database: name, error }, 'the start waits for the database')
    return false
  }
}
