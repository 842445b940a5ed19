/** The interface to an application's files, which generators read, and the files that generators return. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { FwError } from '../../runtime/base.ts'
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

/** The command-line options of a generator, in addition to its words. */
export interface GeneratorOptions {
  /** The parent resource of the generated resource. */
  readonly parent?: string
  /** The model of the owner of the records. */
  readonly scope?: string
  /** The model of the owner of the records, by which Citus distributes the table. */
  readonly distributedBy?: string
  /** The name of the migration's database; default `default`. */
  readonly database?: string
  /** The column that identifies the rows of a view. */
  readonly key?: string
  /** Whether the model is a join table of the two models that it references. */
  readonly through?: boolean
  /** False leaves out the second factor of accounts. */
  readonly totp?: boolean
  /** False leaves out the passkeys of accounts. */
  readonly passkeys?: boolean
  /** The existing table of the accounts. */
  readonly over?: string
  /** False leaves out the tokens of accounts for programs. */
  readonly apiTokens?: boolean
  /** The addresses of a proxy that ends TLS in front of the generated nginx. */
  readonly behind?: string
}

/** A call of a generator. `usage` is the error message for a wrong number of words. */
export interface Command {
  readonly project: Project
  readonly words: readonly string[]
  readonly options: GeneratorOptions
  readonly direction: Direction
  readonly usage: string
}

export const invalidArguments = (message: string): FwError =>
  new FwError('generate.arguments-invalid', message)

/** Read access to the files of an application, and to the schema of its database. */
export interface Project {
  /** The database schema, for generators with `readsDatabase`. */
  readonly database?: DatabaseSchema
  /** Returns the text of a file; `undefined` if it does not exist. */
  read(path: string): string | undefined
  /** Returns the sorted names of the files and folders in a folder; empty if there is no folder at the path. */
  list(folder: string): readonly string[]
  /** Imports a module of the application and returns its exports; absent for a project without modules. */
  load?(path: string): Readonly<Record<string, unknown>>
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
      const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
      return isFolder ? readdirSync(path).sort() : []
    },
    load: (path) => {
      const file = join(root, path)
      return createRequire(file)(file) as Readonly<Record<string, unknown>>
    },
  }
}

/** Reads files of the project, and files that `add` has planned. */
export class PlannedProject implements Project {
  readonly now: Date
  readonly #project: Project
  readonly #files = new Map<string, GeneratedFile>()

  constructor(project: Project) {
    this.#project = project
    this.now = project.now
  }

  read(path: string): string | undefined {
    return this.#files.get(path)?.text ?? this.#project.read(path)
  }

  list(folder: string): readonly string[] {
    const planned = [...this.#files.keys()]
      .filter((path) => dirname(path) === folder)
      .map((path) => basename(path))
    return [...new Set([...this.#project.list(folder), ...planned])].sort()
  }

  load(path: string): Readonly<Record<string, unknown>> {
    return this.#project.load?.(path) ?? {}
  }

  /** Adds planned files. A later version of a file replaces an earlier one. */
  add(files: readonly GeneratedFile[]): void {
    for (const file of files) this.#files.set(file.path, file)
  }

  get files(): readonly GeneratedFile[] {
    return [...this.#files.values()]
  }
}

/** Plans an edit of an existing file. Returns no file if there is none, or if `edit` returns `undefined`. */
export function planEdit(
  project: Project,
  path: string,
  edit: (text: string) => string | undefined,
): readonly GeneratedFile[] {
  const current = project.read(path)
  const text = current === undefined ? undefined : edit(current)
  return text === undefined ? [] : [{ path, text, kind: 'edit' }]
}

/** Inserts `added` before the text `before`, else at the end; or removes it. Returns `undefined` if nothing changes. */
export function editText(
  text: string,
  added: string,
  direction: Direction,
  before?: string,
): string | undefined {
  if (text.includes(added) === (direction === 'add')) return undefined
  if (direction === 'remove') return text.replace(added, '')
  if (before === undefined) return text + (text === '' || text.endsWith('\n') ? '' : '\n') + added
  const at = text.indexOf(before)
  return at < 0 ? undefined : text.slice(0, at) + added + text.slice(at)
}
