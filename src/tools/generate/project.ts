/** The application that generators read, and the files that they return. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSchema } from './database-schema.ts'

/** A file to write; paths are relative to the application and contain `/`. */
export interface GeneratedFile {
  readonly path: string
  readonly text: string
  /** `edit`: an existing file with a change. `shared`: written only if the file does not exist. */
  readonly kind?: 'edit' | 'shared'
  /** The permissions, such as 0o755; those of the umask when absent. */
  readonly mode?: number
}

/** The files of a generator, and what remains to do by hand. */
export interface Plan {
  readonly files: readonly GeneratedFile[]
  readonly notes: readonly string[]
}

/** Whether a plan generates (`fw g`) or removes what was generated (`fw destroy`). */
export type Direction = 'add' | 'remove'

/** Read access to the files of an application, and to the schema of its database. */
export interface Project {
  /** Present for the generators with `readsDatabase`. */
  readonly database?: DatabaseSchema
  /** Returns the text of a file; `undefined` if it does not exist. */
  read(path: string): string | undefined
  /** Returns the sorted names in a folder; empty if it does not exist. */
  list(folder: string): readonly string[]
  /** The time in the version of a new migration. */
  readonly now: Date
}

/** Opens the project in a folder, with its schema for the generators that need it. */
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
