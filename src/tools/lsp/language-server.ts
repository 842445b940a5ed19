/** The language server of templates: its connection to an editor, and the documents that the editor opens. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import {
  type ClientCapabilities,
  type Connection,
  createConnection,
  type DidChangeTextDocumentParams,
  type DidOpenTextDocumentParams,
  type InitializeParams,
  type InitializeResult,
  MessageType,
  ProposedFeatures,
} from 'vscode-languageserver/node'
import { FwError } from '../../runtime/base.ts'
import { projectPaths, readText } from '../../runtime/view.ts'
import { FileWatcher } from '../dev.ts'
import {
  codeFile,
  type Encoding,
  TemplateWorkspace,
  TextLines,
  TypeScriptServer,
  withWholeTypes,
} from '../workspace.ts'
import { DiagnosticsPublisher } from './diagnostics-publisher.ts'
import { addFeatures, capabilitiesWith } from './features.ts'
import { type OpenDocument, pathOf, Session } from './session.ts'

/** The options that an editor may pass as `initializationOptions`. */
interface EditorOptions {
  /** False if another server of the editor answers requests in TypeScript files. */
  readonly typescript?: boolean
}

/** The largest document that the server reads, in UTF-16 code units; larger ones are ignored. */
const maximumDocument = 8 * 1024 * 1024
/** The milliseconds for which the server waits for further edits before it compiles. */
const editMillis = 3

/** The most milliseconds for which one load waits for the mistakes of open documents. TypeScript may never answer. */
const loadWait = 8000

/**
 * Starts the server on stdin and stdout.
 * @param root the application's folder if the editor names none
 * @param wait the milliseconds for which reading all templates waits for the mistakes of open documents
 */
export function startLanguageServer(root: string, wait = loadWait): void {
  const connection = createConnection(
    ProposedFeatures.all,
    // With streams, and not with readers of messages, the library ends the process when the editor closes them.
    process.stdin,
    process.stdout,
  )
  new LanguageServer(connection, root, wait).listen()
}

/** Returns the folder of the application that contains a path; `undefined` outside of applications. */
function applicationOf(path: string): string | undefined {
  for (let folder = path; ; folder = dirname(folder)) {
    if (
      existsSync(join(folder, 'src/main/webapp/WEB-INF')) &&
      existsSync(join(folder, 'package.json'))
    )
      return folder
    if (dirname(folder) === folder) return undefined
  }
}

function chooseEncoding({ general }: ClientCapabilities): Encoding {
  return general?.positionEncodings?.find((one) => one === 'utf-8' || one === 'utf-16') === 'utf-8'
    ? 'utf-8'
    : 'utf-16'
}

class LanguageServer {
  readonly #connection: Connection
  readonly #defaultRoot: string
  readonly #loadWait: number
  #parameters: InitializeParams | undefined
  #encoding: Encoding = 'utf-16'
  #session: Session | undefined
  #publisher: DiagnosticsPublisher | undefined
  #watchers: readonly FileWatcher[] = []
  /** The paths of the templates that were edited, and the timer after which they are compiled. */
  readonly #edited = new Set<string>()
  #compilation: NodeJS.Timeout | undefined
  /** False until the first load has begun, and during a load without all modules: TypeScript would report their imports. */
  #mayCheck = false
  /** Resolves when all templates have been read. */
  #loaded = Promise.withResolvers<void>()

  constructor(connection: Connection, defaultRoot: string, wait: number) {
    this.#connection = connection
    this.#defaultRoot = defaultRoot
    this.#loadWait = wait
  }

  listen(): void {
    const connection = this.#connection
    connection.onInitialize((params) => this.#initialize(params))
    connection.onInitialized(() => void this.#load())
    connection.onShutdown(() => this.#shutDown())
    connection.onDidOpenTextDocument((params) => this.#opened(params))
    connection.onDidChangeTextDocument((params) => this.#changed(params))
    connection.onDidCloseTextDocument(({ textDocument }) => this.#closed(textDocument.uri))
    connection.onDidChangeWatchedFiles(({ changes }) =>
      this.#changedOnDisk(changes.flatMap(({ uri }) => pathOf(uri) ?? [])),
    )
    addFeatures(connection, async () => {
      // Without an application there is nothing to wait for.
      if (this.#session !== undefined) await this.#loaded.promise
      return this.#session
    })
    connection.listen()
  }

  async #initialize(params: InitializeParams): Promise<InitializeResult> {
    this.#parameters = params
    this.#encoding = chooseEncoding(params.capabilities)
    const folders = params.workspaceFolders?.map(({ uri }) => uri) ?? []
    // Old editors pass only one folder.
    // oxlint-disable-next-line typescript/no-deprecated
    const paths = [...folders, params.rootUri].flatMap((uri) => pathOf(uri) ?? [])
    const root = [...paths, this.#defaultRoot].map(applicationOf).find((one) => one !== undefined)
    if (root !== undefined) this.#open(root)
    const typescript = await this.#session?.typescript?.initialized()
    return {
      capabilities: { ...capabilitiesWith(typescript), positionEncoding: this.#encoding },
      serverInfo: { name: 'fw' },
    }
  }

  /** Opens the application; called once, when its folder is known. */
  #open(root: string): void {
    const options = (this.#parameters?.initializationOptions ?? {}) as EditorOptions
    const typescript = this.#startTypeScript(root)
    const workspace = new TemplateWorkspace(projectPaths({ root }), this.#encoding, {
      show: (path, code) => typescript?.setDocument(path, code),
      changed: (path) => typescript?.changedOnDisk([path]),
    })
    const session = new Session(workspace, typescript, {
      servesCode: options.typescript !== false,
      warn: (message) => this.#show(MessageType.Warning, message),
    })
    this.#session = session
    this.#publisher = new DiagnosticsPublisher(
      session,
      (diagnostics) => void this.#connection.sendDiagnostics(diagnostics),
      (error) => this.#log(error),
    )
    this.#updateProject()
    const onChange = (paths: readonly string[]): void =>
      this.#guard(() => this.#changedOnDisk(paths))
    const isProject = (path: string): boolean => path === join(root, 'tsconfig.json')
    this.#watchers = [
      new FileWatcher([join(root, 'src')], onChange),
      new FileWatcher([root], onChange, { recursive: false, filter: isProject }),
    ]
  }

  /** Runs work that no request has caused, and logs its exception, which would end the process. */
  #guard(work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#log(error)
    }
  }

  /** Shows a message as a notification: an editor may reject the request that `window.showErrorMessage` sends. */
  #show(type: MessageType, message: string): void {
    void this.#connection.sendNotification('window/showMessage', { type, message })
  }

  #showError(message: string): void {
    this.#show(MessageType.Error, message)
  }

  #log(error: unknown): void {
    this.#connection.console.error(inspect(error))
  }

  #startTypeScript(root: string): TypeScriptServer | undefined {
    try {
      return new TypeScriptServer({
        root,
        encoding: this.#encoding,
        capabilities: this.#parameters!.capabilities,
        onFailure: (failure) => this.#onTypeScriptFailure(failure),
      })
    } catch (error) {
      if (!(error instanceof FwError)) throw error
      this.#showError(error.message)
      return undefined
    }
  }

  #onTypeScriptFailure(failure: 'stopped' | 'restarted'): void {
    if (failure === 'restarted') return this.#checkAll()
    this.#showError(
      'The language server of TypeScript has ended several times, and templates are checked without types. Restart the language server of Fw.',
    )
  }

  /** Lets TypeScript write whole types in errors, which `explainError` reads. */
  #updateProject(): void {
    const path = join(this.#session!.root, 'tsconfig.json')
    const text = this.#session!.documents.get(path)?.lines.text ?? readText(path)
    if (text === undefined) return
    this.#session!.typescript?.setDocument(path, withWholeTypes(text))
  }

  async #load(): Promise<void> {
    const session = this.#session
    if (session === undefined) return
    let began = performance.now()
    let wait = this.#loadWait
    try {
      this.#mayCheck = session.workspace.hasAllModules
      await session.workspace.load(async () => {
        if (performance.now() - began < 20) return
        await new Promise((resolve) => setImmediate(resolve))
        // The mistakes of the documents in the editor come first; TypeScript needs all processors for them.
        const urgent = wait > 0 ? this.#publisher?.urgentRun : undefined
        began = performance.now()
        if (urgent === undefined) return
        await Promise.race([urgent, sleep(wait, undefined, { ref: false })])
        wait -= performance.now() - began
        began = performance.now()
      })
    } catch (error) {
      this.#showError(`The templates cannot be read: ${String(error)}`)
    }
    this.#mayCheck = true
    this.#loaded.resolve()
    this.#checkAll()
  }

  #checkAll(): void {
    if (!this.#mayCheck) return
    const { documents, workspace } = this.#session!
    const templates = [...workspace.states.keys()].map((file) => workspace.pathOf(file))
    this.#publisher!.check(documents.keys(), templates)
  }

  async #shutDown(): Promise<void> {
    clearTimeout(this.#compilation)
    for (const watcher of this.#watchers) watcher.close()
    this.#publisher?.close()
    await this.#session?.typescript?.stop()
  }

  #opened({ textDocument }: DidOpenTextDocumentParams): void {
    const { uri, version, text } = textDocument
    const path = pathOf(uri)
    if (path === undefined || typeof text !== 'string' || text.length > maximumDocument) return
    if (this.#session === undefined) {
      const root = applicationOf(path)
      if (root === undefined) return
      this.#open(root)
      void this.#load()
    }
    this.#update(path, { uri, path, version, lines: new TextLines(text, this.#encoding) })
  }

  #changed({ textDocument, contentChanges }: DidChangeTextDocumentParams): void {
    const path = pathOf(textDocument.uri)
    const document = path === undefined ? undefined : this.#session?.documents.get(path)
    if (document === undefined) return
    let { lines } = document
    for (const change of contentChanges) lines = lines.change(change)
    if (lines.text.length > maximumDocument) return this.#closed(document.uri)
    this.#update(document.path, { ...document, version: textDocument.version, lines })
  }

  #update(path: string, document: OpenDocument): void {
    const { documents, workspace, typescript } = this.#session!
    documents.set(path, document)
    const file = workspace.fileOf(path)
    if (file !== undefined) {
      workspace.setOpen(file, document.lines)
      return this.#scheduleEdited(path)
    }
    if (path.endsWith('/tsconfig.json')) return this.#updateProject()
    if (!codeFile.test(path) || workspace.templateOfModule(path) !== undefined) return
    typescript?.setDocument(path, document.lines.text)
    this.#checkAffected([path], [...workspace.states.keys()])
  }

  /** Compiles templates once after several edits that arrive together, as of a fast typist or of several cursors. */
  #scheduleEdited(path: string): void {
    this.#edited.add(path)
    this.#compilation ??= setTimeout(() => {
      this.#compilation = undefined
      const edited = [...this.#edited]
      this.#edited.clear()
      this.#guard(() => this.#checkAffected(edited, this.#session!.workspace.takeAffected()))
    }, editMillis)
  }

  /** Checks the edited documents and the open ones that they affect at once, others later. */
  #checkAffected(edited: readonly string[], templates: readonly string[]): void {
    // `#load` checks all documents at its end.
    if (!this.#mayCheck) return
    const { documents, workspace } = this.#session!
    const paths = templates.map((file) => workspace.pathOf(file))
    const open = paths.filter((path) => documents.has(path))
    const others = [...documents.keys(), ...paths]
    this.#publisher!.check(
      [...edited, ...open],
      others.filter((path) => !open.includes(path)),
    )
  }

  #closed(uri: string): void {
    const session = this.#session
    const path = pathOf(uri)
    if (session === undefined || path === undefined || !session.documents.has(path)) return
    this.#publisher!.forget(path)
    session.documents.delete(path)
    const file = session.workspace.fileOf(path)
    if (file !== undefined) {
      const affected = session.workspace.close(file)
      return this.#checkAffected([], affected)
    }
    if (path.endsWith('/tsconfig.json')) return this.#updateProject()
    session.typescript?.setDocument(path, undefined)
    this.#checkAffected([], [...session.workspace.states.keys()])
  }

  #changedOnDisk(paths: readonly string[]): void {
    const session = this.#session
    if (session === undefined) return
    const { workspace, typescript } = session
    if (paths.some((path) => /\.ya?ml$/.test(path))) workspace.updateKeys()
    if (paths.includes(join(session.root, 'tsconfig.json'))) this.#updateProject()
    const templates = paths.flatMap((path) => workspace.fileOf(path) ?? [])
    const affected = workspace.changedOnDisk(templates)
    for (const file of affected)
      if (!workspace.states.has(file)) this.#publisher!.forget(workspace.pathOf(file))
    typescript?.changedOnDisk(paths)
    const isOnlyTemplates = templates.length === paths.length
    this.#checkAffected([], isOnlyTemplates ? affected : [...workspace.states.keys()])
  }
}
