/** The contract of what loads templates for the engine, in development and in production. */
import type { CompiledView, StreamedView } from './engine.ts'

/** Loads templates by their file below `WEB-INF/`. */
export interface ViewLoader {
  load(): Promise<void>
  find(file: string): CompiledView | undefined | Promise<CompiledView | undefined>
  /** The module of a page in parts, read when it is first asked for. */
  findStreamed(file: string): Promise<StreamedView | undefined>
  files(): readonly string[]
  /** What stays as it is until the process ends: all in production, nothing in development. */
  loaded(): Iterable<readonly [file: string, view: CompiledView]>
}
