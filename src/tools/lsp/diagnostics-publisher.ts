/** Publishes the mistakes of documents: those that are being edited first, others when the editor is idle. */
import { pathToFileURL } from 'node:url'
import {
  CancellationTokenSource,
  type Diagnostic,
  type DocumentDiagnosticReport,
  type PublishDiagnosticsParams,
} from 'vscode-languageserver'
import { RequestError, requestErrors } from '../workspace.ts'
import type { Session } from './session.ts'
import { codeDiagnostics, compilerDiagnostics, typeDiagnostics } from './template-diagnostics.ts'

/** The milliseconds without an edit after which documents are checked that are not being edited. */
const idleMillis = 150

export class DiagnosticsPublisher {
  readonly #session: Session
  readonly #publish: (params: PublishDiagnosticsParams) => void
  readonly #onError: (error: unknown) => void
  readonly #urgent = new Set<string>()
  readonly #background = new Set<string>()
  /** The paths of files with published mistakes. */
  readonly #published = new Set<string>()
  #running: CancellationTokenSource | undefined
  #urgentRun: Promise<void> | undefined
  #isUrgent = false
  #idle: NodeJS.Timeout | undefined
  #isClosed = false

  /** @param onError called with an exception that ends the check of one document */
  constructor(
    session: Session,
    publish: (params: PublishDiagnosticsParams) => void,
    onError: (error: unknown) => void,
  ) {
    this.#session = session
    this.#publish = publish
    this.#onError = onError
  }

  /** Resolves when the current check of edited documents ends; `undefined` if none runs. */
  get urgentRun(): Promise<void> | undefined {
    return this.#urgentRun
  }

  /** Checks files at once, and then others when nothing is edited for a moment. */
  check(urgent: Iterable<string>, background: Iterable<string> = []): void {
    for (const path of urgent) {
      this.#background.delete(path)
      this.#urgent.add(path)
    }
    for (const path of background) if (!this.#urgent.has(path)) this.#background.add(path)
    // Its result would be that of the text before the edit, and would delay the documents that are edited.
    if (!this.#isUrgent) this.#running?.cancel()
    this.#schedule()
  }

  /** Removes the mistakes of a file that no longer exists, or is not checked any more. */
  forget(path: string): void {
    this.#urgent.delete(path)
    this.#background.delete(path)
    if (this.#published.delete(path))
      this.#publish({ uri: this.#session.uriOf(path), diagnostics: [] })
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#idle)
    this.#running?.cancel()
  }

  #schedule(): void {
    clearTimeout(this.#idle)
    if (this.#isClosed || this.#running !== undefined) return
    if (this.#urgent.size > 0) {
      this.#urgentRun = this.#run(this.#urgent)
      return
    }
    this.#urgentRun = undefined
    if (this.#background.size === 0) return
    this.#idle = setTimeout(() => void this.#run(this.#background), idleMillis)
  }

  /** Checks the documents of a list one after the other. */
  async #run(list: Set<string>): Promise<void> {
    const source = new CancellationTokenSource()
    this.#running = source
    this.#isUrgent = list === this.#urgent
    for (const path of list) {
      if (source.token.isCancellationRequested) break
      list.delete(path)
      try {
        await this.#checkOne(path, source)
      } catch (error) {
        if (!isCancelled(error)) {
          this.#onError(error)
          continue
        }
        // An edit has cancelled the request: check the document again later.
        if (this.#session.documents.has(path) || list === this.#background) list.add(path)
        break
      }
    }
    this.#running = undefined
    source.dispose()
    this.#schedule()
  }

  async #checkOne(path: string, source: CancellationTokenSource): Promise<void> {
    const { workspace, documents } = this.#session
    const processId = this.#session.typescript?.processId
    const file = workspace.fileOf(path)
    const state = file === undefined ? undefined : workspace.states.get(file)
    const document = documents.get(path)
    let diagnostics: readonly Diagnostic[]
    if (state !== undefined) {
      const { twin } = state
      // TypeScript checks the module while this process proves the escaping.
      const report = twin && this.#pull(workspace.modulePath(state.file), source)
      // An error is thrown below, after the proof.
      report?.catch(() => {})
      const mistakes = compilerDiagnostics(state, workspace.paths)
      const types = twin === undefined ? [] : typeDiagnostics(await report, twin)
      // The document was changed in the meantime and is in the list again.
      if (workspace.states.get(state.file) !== state) return
      diagnostics = [...mistakes, ...types]
    } else if (document !== undefined && this.#session.servesCode) {
      const report = await this.#pull(path, source)
      if (documents.get(path) !== document) return
      diagnostics = codeDiagnostics(report, document.lines)
    } else return this.forget(path)
    // TypeScript has crashed. When it is restarted, all documents are checked.
    if (processId !== this.#session.typescript?.processId && processId !== undefined) return
    if (diagnostics.length === 0 && document === undefined && !this.#published.has(path)) return
    if (diagnostics.length > 0) this.#published.add(path)
    else this.#published.delete(path)
    this.#publish({
      uri: this.#session.uriOf(path),
      diagnostics: [...diagnostics],
      ...(document !== undefined && { version: document.version }),
    })
  }

  async #pull(
    path: string,
    source: CancellationTokenSource,
  ): Promise<DocumentDiagnosticReport | undefined> {
    const params = { textDocument: { uri: pathToFileURL(path).href } }
    return this.#session.typescript?.request('textDocument/diagnostic', params, source.token)
  }
}

const isCancelled = (error: unknown): boolean =>
  error instanceof RequestError && error.code === requestErrors.cancelled
