/** The contract of what loads templates for the engine, in development and in production. */
import type { CompiledView } from './engine.ts'

/** Loads templates by their file below `WEB-INF/`. */
export interface ViewLoader {
  load(): Promise<void>
  find(file: string): CompiledView | undefined | Promise<CompiledView | undefined>
  files(): readonly string[]
  /** What stays as it is until the process ends: all in production, nothing in development. */
  loaded(): Iterable<readonly [file: string, view: CompiledView]>
}
