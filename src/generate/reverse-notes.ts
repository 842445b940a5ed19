/** What the reverse generators leave out, and why. */
import type { DatabaseFacts } from './database-facts.ts'
import type { Site } from './draft.ts'
import type { ReverseTables } from './reverse-tables.ts'
import { isModelled } from './table-fields.ts'

interface Written {
  readonly chosen: readonly string[]
  readonly written: readonly string[]
  readonly kind: 'model' | 'scaffold'
}

const listed = (names: readonly string[]): string =>
  names.length > 8
    ? `${names.slice(0, 8).join(', ')} and ${names.length - 8} more`
    : names.join(', ')

/** Tables that no migration of the application speaks of: its tests will not have them. */
function unmade(site: Site, tables: readonly string[]): string[] {
  const folder = 'db/migration'
  const files = site.list(folder).filter((file) => /^[VB]\d+__/.test(file))
  if (files.length === 0) return []
  const text = files.map((file) => site.read(`${folder}/${file}`) ?? '').join('\n')
  const missing = tables.filter((name) => !text.includes(name.replace(/^.*\./, '')))
  if (missing.length === 0) return []
  return [
    `No migration speaks of ${listed(missing)}: tests begin with what the migrations make, so write one that makes them where they are not.`,
  ]
}

/** One sentence each. */
export function reverseNotes(
  site: Site,
  { tables, others }: DatabaseFacts,
  found: ReverseTables,
  { chosen, written, kind }: Written,
): readonly string[] {
  const notes: string[] = []
  if (kind === 'scaffold')
    for (const name of chosen) {
      const { pageless } = found.get(name)!
      if (pageless !== undefined) notes.push(`${name} has a model and no pages: ${pageless}.`)
    }
  for (const name of written) {
    const { unsampled, table } = found.get(name)!
    if (unsampled !== undefined)
      notes.push(`${name} has no factory, and its tests write no row: ${unsampled}.`)
    const searched = table.columns.filter((column) => !isModelled(column))
    if (searched.length > 0)
      notes.push(
        `${name}.${searched.map((column) => column.name).join(', ')} is not in the model: tsvector is the database's own.`,
      )
  }
  const extra = written.filter((name) => !chosen.includes(name))
  if (extra.length > 0)
    notes.push(`${listed(extra)} got models too, for a row of what was chosen needs one of theirs.`)
  if (chosen.length === tables.length)
    for (const kindOf of ['view', 'materialized view', 'foreign table', 'partition'] as const) {
      const names = others.filter((each) => each.kind === kindOf).map(({ name }) => name)
      if (names.length === 0) continue
      const why =
        kindOf === 'partition'
          ? 'their tables have all the rows'
          : 'nothing can be written to it by a key'
      notes.push(`Left out, ${kindOf}${names.length > 1 ? 's' : ''}: ${listed(names)}; ${why}.`)
    }
  return [...notes, ...unmade(site, written)]
}
