/** The language server of the application's TypeScript, as a child process that is restarted when it ends unexpectedly. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
// Only types: `fw check --watch` runs without this package.
import type { ClientCapabilities, FileEvent, InitializeResult } from 'vscode-languageserver'
import { FwError } from '../../runtime/base.ts'
import { type Cancellation, RequestError, requestErrors, RpcClient } from './rpc-client.ts'
import type { Encoding } from './text-lines.ts'

/** Why the server does not answer. */
export type ServerFailure = 'stopped' | 'restarted'

export interface TypeScriptServerOptions {
  /** The application's folder. */
  readonly root: string
  readonly encoding: Encoding
  /** The capabilities of the editor, whose result formats the server shall use. */
  readonly capabilities: ClientCapabilities
  /** Called when the server ends unexpectedly, after it has been restarted or was given up. */
  readonly onFailure: (failure: ServerFailure) => void
}

interface OpenDocument {
  readonly text: string
  readonly version: number
}

type Child = ChildProcessByStdio<Writable, Readable, null>

/** A running child and its connection. */
interface Running {
  readonly child: Child
  readonly connection: RpcClient
  readonly initialized: Promise<InitializeResult>
}

/** Texts that TypeScript reads for a moment instead of those of the editor. */
export interface Draft {
  /** Replaces the text of a file; `undefined` restores it. @throws RequestError if a file has changed since the draft began */
  setText(path: string, text: string | undefined): void
  /** Sends a request, as `require` does. @throws RequestError also if a file has changed since the draft began */
  require<R>(method: string, params: object, token: Cancellation): Promise<R | undefined>
}

/** A draft that is in use. */
interface OpenDraft {
  readonly texts: Map<string, string>
  /** The changes of the editor and of files, which TypeScript reads when the draft is closed. */
  readonly changes: (() => void)[]
  readonly closed: Promise<void>
}

/** The milliseconds after which a request without a response fails; the first check of a large application takes seconds. */
const requestTimeout = 20_000
/** The same for a rename, which a user waits for, and which reads the mistakes of many files at once. */
const renameTimeout = 120_000
/** The milliseconds after which the editor gets a response even if TypeScript has not started. */
const startTimeout = 10_000
/** The milliseconds after which the child is killed if it does not end. */
const exitTimeout = 2_000
/** The child is given up after this number of unexpected ends within the time in milliseconds. */
const maximumFailures = 5
const failurePeriod = 60_000

/** Returns the program of TypeScript 7. @throws FwError `lsp.typescript-missing` */
export function findTypeScript(root: string): string {
  try {
    const require = createRequire(join(root, 'package.json'))
    const manifest = require.resolve('typescript/package.json')
    const { version } = require(manifest) as { readonly version: string }
    const program = join(dirname(manifest), 'bin/tsc')
    if (Number.parseInt(version, 10) >= 7 && existsSync(program)) return program
  } catch {
    // Report the missing package below.
  }
  throw new FwError(
    'lsp.typescript-missing',
    `The language server needs TypeScript 7 in ${root}: npm install --save-dev typescript@7`,
  )
}

/** The kinds of changes of files, as the protocol numbers them. */
const fileChange = { created: 1, changed: 2, deleted: 3 } as const

/** Matches the paths of files of code. */
export const codeFile = /\.[cm]?[jt]sx?$/

/** The languages of documents by the ending of their file. */
const languages: Readonly<Record<string, string>> = { ts: 'typescript', tsx: 'typescriptreact' }
const languageOf = (path: string): string => {
  const ending = path.slice(path.lastIndexOf('.') + 1)
  return languages[ending] ?? (ending === 'json' ? 'jsonc' : 'javascript')
}
const uriOf = (path: string): string => pathToFileURL(path).href

/** Sends documents and requests to `tsc --lsp`. */
export class TypeScriptServer {
  readonly #options: TypeScriptServerOptions
  readonly #program: string
  readonly #documents = new Map<string, OpenDocument>()
  readonly #failures: number[] = []
  #running: Running | undefined
  #isStopped = false
  #draft: OpenDraft | undefined
  /** The version of the document that was changed last. */
  #version = 0

  /** Starts the child. @throws FwError `lsp.typescript-missing` */
  constructor(options: TypeScriptServerOptions) {
    this.#options = options
    this.#program = findTypeScript(options.root)
    this.#start()
  }

  /** Resolves with the capabilities of the child; `undefined` if it does not start. */
  async initialized(): Promise<InitializeResult | undefined> {
    const timeout = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => timeout.resolve(undefined), startTimeout)
    try {
      return await Promise.race([this.#running?.initialized, timeout.promise])
    } catch {
      return undefined
    } finally {
      clearTimeout(timer)
    }
  }

  /** The id of the child process; `undefined` if it does not run. */
  get processId(): number | undefined {
    return this.#running?.child.pid
  }

  #start(): void {
    const child = spawn(process.execPath, [this.#program, '--lsp', '--stdio'], {
      cwd: this.#options.root,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    child.stdin.on('error', () => {})
    const connection = new RpcClient(child.stdout, child.stdin, answerRequest)
    const running = { child, connection, initialized: this.#initialize(connection) }
    running.initialized.catch(() => {})
    this.#running = running
    const failed = (): void => this.#onEnd(running)
    child.once('exit', failed)
    child.once('error', failed)
    for (const [path, document] of this.#documents) this.#sendOpen(path, document)
  }

  async #initialize(connection: RpcClient): Promise<InitializeResult> {
    const { root, encoding, capabilities } = this.#options
    const folder = { uri: uriOf(root), name: 'application' }
    const result = await connection.request<InitializeResult>('initialize', {
      processId: process.pid,
      rootUri: folder.uri,
      workspaceFolders: [folder],
      capabilities: {
        ...capabilities,
        general: { positionEncodings: [encoding] },
        textDocument: { ...capabilities.textDocument, diagnostic: {} },
        workspace: {
          configuration: true,
          didChangeWatchedFiles: { dynamicRegistration: true },
          workspaceEdit: { documentChanges: true },
          fileOperations: { willRename: true },
        },
        window: {},
      },
    })
    connection.notify('initialized', {})
    return result
  }

  #onEnd(running: Running): void {
    if (this.#running !== running) return
    this.#running = undefined
    running.connection.dispose()
    if (this.#isStopped) return
    const now = Date.now()
    this.#failures.push(now)
    const recent = this.#failures.filter((time) => now - time < failurePeriod)
    if (recent.length >= maximumFailures) return this.#options.onFailure('stopped')
    this.#start()
    this.#options.onFailure('restarted')
  }

  /** Opens a document, changes its text, or closes it without a text. Its file need not exist. */
  setDocument(path: string, text: string | undefined): void {
    if (this.#draft !== undefined)
      return void this.#draft.changes.push(() => this.setDocument(path, text))
    const known = this.#documents.get(path)
    if (text === undefined) {
      if (!this.#documents.delete(path)) return
      return this.#notify('textDocument/didClose', { textDocument: { uri: uriOf(path) } })
    }
    if (known?.text === text) return
    const document = { text, version: ++this.#version }
    this.#documents.set(path, document)
    if (known === undefined) return this.#sendOpen(path, document)
    const textDocument = { uri: uriOf(path), version: document.version }
    this.#notify('textDocument/didChange', { textDocument, contentChanges: [{ text }] })
  }

  #sendOpen(path: string, { text, version }: OpenDocument): void {
    const textDocument = { uri: uriOf(path), languageId: languageOf(path), version, text }
    this.#notify('textDocument/didOpen', { textDocument })
  }

  /** Reports files that were written or removed; other files than code and JSON are ignored. */
  changedOnDisk(paths: readonly string[]): void {
    if (this.#draft !== undefined)
      return void this.#draft.changes.push(() => this.changedOnDisk(paths))
    const changes = paths
      .filter((path) => codeFile.test(path) || path.endsWith('.json'))
      .flatMap((path) => {
        // TypeScript ignores `created` for a file that it knows, and `changed` for one that it does not know.
        const kinds = existsSync(path)
          ? [fileChange.changed, fileChange.created]
          : [fileChange.deleted]
        return kinds.map((type): FileEvent => ({ uri: uriOf(path), type }))
      })
    if (changes.length > 0) this.#notify('workspace/didChangeWatchedFiles', { changes })
  }

  #notify(method: string, params: object): void {
    const running = this.#running
    if (running === undefined) return
    // Messages are sent in order: `initialize` is the first one, and the child reads the others after its response.
    void running.initialized.then(() => running.connection.notify(method, params)).catch(() => {})
  }

  /**
   * Sends a request. Returns `undefined` if `require` would throw, as for a feature that may have no result.
   * @throws RequestError if `token` is cancelled
   */
  async request<R>(method: string, params: object, token: Cancellation): Promise<R | undefined> {
    try {
      while (this.#draft !== undefined) await this.#draft.closed
      return await this.#send<R>(method, params, token, requestTimeout)
    } catch (error) {
      if (token.isCancellationRequested) throw error
      return undefined
    }
  }

  /**
   * Sends a request. Returns `undefined` if TypeScript has no result.
   * @throws RequestError if `token` is cancelled, and if the child ends, rejects the request or does not answer in time
   */
  async require<R>(method: string, params: object, token: Cancellation): Promise<R | undefined> {
    while (this.#draft !== undefined) await this.#draft.closed
    return this.#send<R>(method, params, token, renameTimeout)
  }

  async #send<R>(
    method: string,
    params: object,
    token: Cancellation,
    milliseconds: number,
  ): Promise<R | undefined> {
    if (!isAboutCode(params)) return undefined
    const running = this.#running
    if (running === undefined) throw noAnswer()
    const timeout = Promise.withResolvers<never>()
    const timer = setTimeout(() => timeout.reject(noAnswer()), milliseconds)
    try {
      await Promise.race([running.initialized, timeout.promise])
      // When the child ends, its connection is disposed, which rejects the requests.
      const response = running.connection.request<R>(method, params, token)
      response.catch(() => {})
      return (await Promise.race([response, timeout.promise])) ?? undefined
    } catch (error) {
      if (token.isCancellationRequested)
        throw new RequestError(requestErrors.cancelled, 'cancelled')
      throw this.#running === running ? error : noAnswer()
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Lets `work` try other texts. Meanwhile, other requests wait, and TypeScript reads no changes of the editor; if there is one, the
   * draft throws at its next use.
   */
  async withDraft<R>(work: (draft: Draft) => Promise<R>): Promise<R> {
    while (this.#draft !== undefined) await this.#draft.closed
    const closed = Promise.withResolvers<void>()
    const open: OpenDraft = { texts: new Map(), changes: [], closed: closed.promise }
    this.#draft = open
    const running = this.#running
    const requireCurrent = (): void => {
      if (open.changes.length > 0 || this.#running !== running)
        throw new RequestError(requestErrors.contentModified, 'A file has changed: try again')
    }
    try {
      return await work({
        setText: (path, text) => {
          requireCurrent()
          this.#setDraftText(open, path, text)
        },
        require: async <A>(method: string, params: object, token: Cancellation) => {
          requireCurrent()
          return this.#send<A>(method, params, token, renameTimeout)
        },
      })
    } finally {
      // A restarted child has read the documents of the editor.
      if (this.#running === running)
        for (const path of open.texts.keys()) this.#setDraftText(open, path, undefined)
      this.#draft = undefined
      for (const change of open.changes) change()
      closed.resolve()
    }
  }

  #setDraftText(draft: OpenDraft, path: string, text: string | undefined): void {
    const known = this.#documents.get(path)
    const shown = draft.texts.get(path) ?? known?.text
    if (text === undefined && !draft.texts.delete(path)) return
    if (text !== undefined) draft.texts.set(path, text)
    const newText = text ?? known?.text
    if (newText === undefined)
      return this.#notify('textDocument/didClose', { textDocument: { uri: uriOf(path) } })
    if (shown === newText) return
    const version = ++this.#version
    if (shown === undefined) return this.#sendOpen(path, { text: newText, version })
    const textDocument = { uri: uriOf(path), version }
    this.#notify('textDocument/didChange', { textDocument, contentChanges: [{ text: newText }] })
  }

  /** Ends the child; resolves when it has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    const running = this.#running
    if (running === undefined) return
    const { child, connection } = running
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    const timer = setTimeout(() => child.kill('SIGKILL'), exitTimeout)
    await Promise.race([connection.request('shutdown').catch(() => {}), ended])
    // The child ends when its input ends.
    child.stdin.end()
    await ended
    clearTimeout(timer)
  }
}

/** Returns false for a document of another kind, at which TypeScript 7.0 crashes (`ScriptKind must be specified`). */
function isAboutCode(params: { readonly textDocument?: { readonly uri: string } }): boolean {
  const uri = params.textDocument?.uri
  return uri === undefined || codeFile.test(uri) || uri.endsWith('.json')
}

const noAnswer = (): RequestError =>
  new RequestError(requestErrors.failed, 'TypeScript did not answer: try again')

/**
 * Answers a request of the child. It gets no settings, and it need not watch files, because `changedOnDisk` reports changes.
 */
function answerRequest(method: string, params: unknown): unknown {
  if (method !== 'workspace/configuration') return null
  return (params as { readonly items: readonly unknown[] }).items.map(() => null)
}

/**
 * Returns the text of a tsconfig.json with which TypeScript writes whole types in errors, as `fw check` does: `explainError` reads
 * them.
 */
export function withWholeTypes(text: string): string {
  const option = '"noErrorTruncation": true,'
  return /"compilerOptions"\s*:\s*\{/.test(text)
    ? text.replace(/"compilerOptions"\s*:\s*\{/, (start) => `${start} ${option}`)
    : text.replace('{', `{ "compilerOptions": { ${option} },`)
}
