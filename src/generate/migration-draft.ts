/** A migration's file: its version is the time, and later than every other one's. */
import type { Draft, Site } from './draft.ts'

const folder = 'db/migration'

const stamp = (time: Date): string => time.toISOString().replace(/\D/g, '').slice(0, 14)

/** Newer than every migration there is, even within one second. */
export function nextVersion(site: Site): string {
  const versions = site.list(folder).map((file) => Number(/^[VB](\d+)__/.exec(file)?.[1] ?? 0))
  const last = Math.max(0, ...versions)
  const now = Number(stamp(site.now))
  return String(last >= now ? last + 1 : now)
}

/** `V20260102030405__create_members.sql`; one of this name that is there already stays the same file. */
export function migrationDraft(site: Site, name: string, text: string): Draft {
  const known = site.list(folder).find((file) => /^V\d+__(.+)\.sql$/.exec(file)?.[1] === name)
  return { path: `${folder}/${known ?? `V${nextVersion(site)}__${name}.sql`}`, text }
}
