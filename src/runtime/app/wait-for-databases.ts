/** `waitForDatabases`: waits at the start until the databases of an application can be reached. */
import { setTimeout as delay } from 'node:timers/promises'
import { HttpError, type Logger } from '../base.ts'
import type { Database } from '../db.ts'

const firstDelay = 100
const longestDelay = 5_000

/**
 * Returns the delay in milliseconds before the next attempt, with jitter, so that the nodes of a cluster do not connect at the
 * same moment.
 */
const backOff = (attempt: number): number =>
  Math.min(longestDelay, firstDelay * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random() / 2)

/** Waits until all databases can be reached. @throws the reason of the signal; errors of a database other than 503 */
export async function waitForDatabases(
  databases: ReadonlyMap<string, Database>,
  logger: Logger,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const [name, database] of databases) {
    for (let attempt = 0; !(await isReachable(name, database, logger)); attempt++) {
      signal?.throwIfAborted()
      await delay(backOff(attempt), undefined, signal === undefined ? {} : { signal })
    }
  }
}

async function isReachable(name: string, database: Database, logger: Logger): Promise<boolean> {
  try {
    await database.ping()
    return true
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 503) throw error
    logger.warn({ database: name, error }, 'the start waits for the database')
    return false
  }
}
