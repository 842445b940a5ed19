/** A draft: a file as a generator wants it, before anything is written. */
import type { DatabaseFacts } from './database-facts.ts'

/** Paths are relative to the application, with `/`. */
export interface Draft {
  readonly path: string
  readonly text: string
  /** `edit` stands for the file as it is now, with a change in it; `shared` is written only where there is none. */
  readonly kind?: 'edit' | 'shared'
  readonly isExecutable?: boolean
}

/** What a generator gives: files, and what is left to do by hand. */
export interface Plan {
  readonly drafts: readonly Draft[]
  readonly notes: readonly string[]
}

/** Reads a file of the application; `undefined` where there is none. */
export type ReadFile = (path: string) => string | undefined

/** What generators know of the application. */
export interface Site {
  /** Given to those that read it. */
  readonly database?: DatabaseFacts
  readonly read: ReadFile
  /** The names in a folder, sorted; empty where there is none. */
  list(folder: string): readonly string[]
  /** For the version of a migration. */
  readonly now: Date
}
