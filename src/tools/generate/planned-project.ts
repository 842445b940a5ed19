/** A view of a project that includes the files generated so far by a plan. */
import type { GeneratedFile, Project } from './project.ts'

/** Reads files of the project and files that `add` has planned. */
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
      .filter((path) => path.startsWith(`${folder}/`))
      .map((path) => path.slice(folder.length + 1))
      .filter((name) => !name.includes('/'))
    return [...new Set([...this.#project.list(folder), ...planned])].sort()
  }

  /** Adds planned files. A later version of a file replaces an earlier one. */
  add(files: readonly GeneratedFile[]): void {
    for (const file of files) this.#files.set(file.path, file)
  }

  get files(): readonly GeneratedFile[] {
    return [...this.#files.values()]
  }
}
