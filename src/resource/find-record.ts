/** The record that a request is about. */
import { Halt } from '../action.ts'
import type { EntityFormat } from './entity-body.ts'
import { namesVersion, requireVersion } from './entity-version.ts'
import type { ResourceHost } from './resource-actions.ts'
import type { ResolvedOptions } from './resource-options.ts'
import { belongs, requireParent } from './resource-parent.ts'

/** A record and its id. */
export interface Found {
  readonly id: unknown
  readonly record: object
}

function idOf(c: ResourceHost, { model }: ResolvedOptions): unknown {
  return c.params.getAs('id', model.idType) ?? c.haltWithBody(404)
}

async function findById(c: ResourceHost, options: ResolvedOptions, id: unknown): Promise<Found> {
  const record = await c.findResource(id)
  if (record === undefined || !belongs(c, options, record)) return c.haltWithBody(404)
  return { id, record }
}

/** Halts with 404 for an id that does not convert, or has no record here. */
export async function find(c: ResourceHost, options: ResolvedOptions): Promise<Found> {
  await requireParent(c, options)
  return findById(c, options, idOf(c, options))
}

/** A halt is an answer, and what was done before it stands, unless it says that the server failed: as for a request. */
function haltThatCommits({ response }: ResourceHost, error: unknown): Halt {
  if (error instanceof Halt && (error.options.status ?? response.status) < 500) return error
  throw error
}

/**
 * Finds the record and changes it by `change`. Where the request names a version both happen in one transaction, the row
 * locked before it is looked at: of two changes of one version the second is refused.
 * @throws HttpError 412 `resource.version-changed`, 428 `resource.version-missing`
 */
export async function changeFound<T>(
  c: ResourceHost,
  options: ResolvedOptions,
  format: EntityFormat | undefined,
  change: (found: Found) => Promise<T>,
): Promise<T> {
  const { model } = options
  if (!namesVersion(c, options, format)) return change(await find(c, options))
  await requireParent(c, options)
  const id = idOf(c, options)
  const work = async (): Promise<T | Halt> => {
    await model.findByIdForUpdate?.(id)
    // After the lock, by the application's own finder: what a reader would get now.
    const found = await findById(c, options, id)
    requireVersion(c, options, format, found.record)
    return change(found).catch((error: unknown) => haltThatCommits(c, error))
  }
  const changed = await (model.inTransaction === undefined ? work() : model.inTransaction(work))
  if (changed instanceof Halt) throw changed
  return changed
}
