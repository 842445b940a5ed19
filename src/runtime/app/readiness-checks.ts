/** Creates the readiness checks of every application: databases, session store and migrations. */
import { existsSync } from 'node:fs'
import { migrationFolder, migrationStatus, type Database } from '../db.ts'
import { newSessionId, type SessionStore } from '../session.ts'
import type { HealthCheck } from './health.ts'

/** The resources that a node must reach to be ready. */
export interface CheckedResources {
  /** The databases by the names in the configuration. */
  readonly databases: ReadonlyMap<string, Database>
  readonly store: SessionStore
  /** The application's folder, if readiness requires that all migrations are applied; otherwise undefined. */
  readonly migrationsOf: string | undefined
}

export function readinessChecks(resources: CheckedResources): Map<string, HealthCheck> {
  const { databases, store, migrationsOf } = resources
  const checks = new Map<string, HealthCheck>()
  for (const [name, database] of databases)
    checks.set(name === 'default' ? 'database' : `database ${name}`, () => ping(database))
  // A transactional store uses the database, which is checked already.
  if (!store.transactional) checks.set('sessions', () => store.read(newSessionId()))
  if (migrationsOf === undefined) return checks
  for (const [name, database] of databases) {
    const folder = migrationFolder(migrationsOf, name)
    if (name === 'default') checks.set('migrations', migrationsCheck(database, folder))
    else if (existsSync(folder)) checks.set(`migrations ${name}`, migrationsCheck(database, folder))
  }
  return checks
}

/**
 * Checks that a database responds. If all connections of its pool are in transactions, the database counts as reachable without
 * a query. Otherwise the check could time out and remove a busy node from the load balancer, which would overload the other
 * nodes.
 */
async function ping(database: Database): Promise<void> {
  const { open, reserved } = database.state
  if (open === 0 || reserved < open) await database.ping()
}

function migrationsCheck(database: Database, folder: string): HealthCheck {
  let applied = false
  return async () => {
    applied ||= (await migrationStatus(database, folder)).every(({ state }) => state !== 'pending')
    return applied
  }
}
