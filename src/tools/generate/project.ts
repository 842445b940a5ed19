/** The interface to an application's files, which generators read, and the files that generators return. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSchema } from './database-schema.ts'

/** A generated file. Its path is relative to the application and uses `/`. */
export interface GeneratedFile {
  readonly path: string
  readonly text: string
  /** The kind of the file: `edit` changes an existing file, `shared` is written only if the file does not exist. */
  readonly kind?: 'edit' | 'shared'
  /** The file's permissions, such as 0o755; by default those of the umask. */
  readonly mode?: number
}

/** The files that a generator writes or removes, and notes about steps to do manually. */
export interface Plan {
  readonly files: readonly GeneratedFile[]
  readonly notes: readonly string[]
}

/** Whether a plan generates files (`fw g`) or removes generated files (`fw destroy`). */
export type Direction = 'add' | 'remove'

/** Read access to the files of an application, and to the schema of its database. */
export interface Project {
  /** The database schema, for generators with `readsDatabase`. */
  readonly database?: DatabaseSchema
  /** Returns the text of a file; `undefined` if it does not exist. */
  read(path: string): string | undefined
  /** Returns the sorted names of the files in a folder; empty if the folder does not exist. */
  list(folder: string): readonly string[]
  /** The time from which the version of a new migration is derived. */
  readonly now: Date
}

/** Opens the project in a folder. `database` is the schema for the generators that need it. */
export function openProject(root: string, database?: DatabaseSchema): Project {
  return {
    ...(database === undefined ? {} : { database }),
    now: new Date(),
    read: (path) => {
      const file = join(root, path)
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined
    },
    list: (folder) => {
      const path = join(root, folder)
      return existsSync(path) ? readdirSync(path).sort() : []
    },
  }
}
