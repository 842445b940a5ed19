/** A simulated editor, which drives `fw lsp` through the Language Server Protocol, and applications for it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  type ClientCapabilities,
  createProtocolConnection,
  type Diagnostic,
  type InitializeResult,
  type Position,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  type Range,
  StreamMessageReader,
  StreamMessageWriter,
  type WorkspaceEdit,
} from 'vscode-languageserver/node'
import { type Encoding, TextLines } from '../../src/tools/workspace.ts'
import { fwCommand, sourceFlags, visibleEnvironment } from '../support/environment.ts'

const repository = resolve(import.meta.dirname, '../..')

/** Copies an example application into a temporary folder, without what it has generated. */
export function copyExample(name: string): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'fw-lsp-')))
  const example = join(repository, 'examples', name)
  for (const part of ['src', 'package.json'])
    cpSync(join(example, part), join(root, part), { recursive: true })
  const compilerOptions = { types: ['node'], customConditions: ['fwjs-source'] }
  writeFileSync(
    join(root, 'tsconfig.json'),
    JSON.stringify({
      extends: join(repository, 'tsconfig.json'),
      compilerOptions,
      include: ['src', '.fw/**/*'],
    }),
  )
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
  return root
}

export const removeApplication = (root: string): void =>
  rmSync(root, { recursive: true, force: true, maxRetries: 10 })

export const webInf = 'src/main/webapp/WEB-INF'

/** The capabilities of a usual editor. */
const editorCapabilities: ClientCapabilities = {
  textDocument: {
    completion: {
      completionItem: {
        snippetSupport: true,
        documentationFormat: ['markdown'],
        resolveSupport: { properties: ['documentation', 'detail', 'additionalTextEdits'] },
      },
    },
    hover: { contentFormat: ['markdown', 'plaintext'] },
    definition: { linkSupport: true },
    typeDefinition: { linkSupport: true },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    rename: { prepareSupport: true },
    codeAction: {
      codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix'] } },
      dataSupport: true,
    },
    foldingRange: {},
    publishDiagnostics: {},
    semanticTokens: {
      requests: { full: true },
      tokenTypes: [
        'variable',
        'parameter',
        'property',
        'function',
        'method',
        'type',
        'interface',
        'keyword',
        'namespace',
      ],
      tokenModifiers: ['declaration', 'readonly'],
      formats: ['relative'],
    },
  },
  workspace: { workspaceEdit: { documentChanges: true }, configuration: true },
}

/** Returns the arguments of Node that start the server with another limit for the wait of a load, in milliseconds. */
export const serverWithWait = (wait: number): readonly string[] => {
  const sources = pathToFileURL(join(repository, 'src/tools/lsp.ts')).href
  const code = `import { startLanguageServer } from '${sources}'; startLanguageServer('.', ${wait})`
  return [...sourceFlags, '--input-type=module', '--eval', code]
}

export interface EditorOptions {
  readonly encoding?: Encoding
  readonly initializationOptions?: object
  /** The arguments of Node that start the server. @default those of `fw lsp` */
  readonly command?: readonly string[]
}

interface EditorDocument {
  version: number
  lines: TextLines
}

export class Editor {
  readonly root: string
  readonly encoding: Encoding
  readonly child: ChildProcess
  readonly connection: ProtocolConnection
  readonly exited: Promise<unknown[]>
  readonly messages: string[] = []
  readonly #options: EditorOptions
  readonly #documents = new Map<string, EditorDocument>()
  readonly #published = new Map<string, PublishDiagnosticsParams>()
  readonly #listeners = new Set<() => void>()

  constructor(root: string, options: EditorOptions = {}) {
    this.root = root
    this.#options = options
    this.encoding = options.encoding ?? 'utf-16'
    this.child = spawn(process.execPath, options.command ?? [...fwCommand, 'lsp'], {
      cwd: root,
      env: visibleEnvironment(),
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.exited = once(this.child, 'exit')
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => this.messages.push(text))
    this.connection = createProtocolConnection(
      new StreamMessageReader(this.child.stdout!),
      new StreamMessageWriter(this.child.stdin!),
    )
    this.child.stdin!.on('error', () => {})
    this.connection.onError(() => {})
    this.connection.onNotification(
      'textDocument/publishDiagnostics',
      (params: PublishDiagnosticsParams) => {
        this.#published.set(params.uri, params)
        for (const listener of this.#listeners) listener()
      },
    )
    this.connection.onNotification('window/showMessage', ({ message }: { message: string }) => {
      this.messages.push(message)
    })
    this.connection.onRequest('workspace/applyEdit', () => ({ applied: true }))
    this.connection.listen()
  }

  async initialize(): Promise<InitializeResult> {
    const rootUri = pathToFileURL(this.root).href
    const result = await this.connection.sendRequest<InitializeResult>('initialize', {
      processId: process.pid,
      rootUri,
      workspaceFolders: [{ uri: rootUri, name: 'application' }],
      capabilities: { ...editorCapabilities, general: { positionEncodings: [this.encoding] } },
      initializationOptions: this.#options.initializationOptions,
    })
    await this.connection.sendNotification('initialized', {})
    return result
  }

  /** Returns the address of a file; its path is relative to the application. */
  uri(file: string): string {
    return pathToFileURL(join(this.root, file)).href
  }

  read(file: string): string {
    return readFileSync(join(this.root, file), 'utf8')
  }

  /** Writes a file to the disk, as another program does. */
  write(file: string, text: string): void {
    const path = join(this.root, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }

  text(file: string): string {
    return this.#documents.get(file)?.lines.text ?? this.read(file)
  }

  lines(file: string): TextLines {
    return this.#documents.get(file)?.lines ?? new TextLines(this.read(file), this.encoding)
  }

  async open(file: string, text = this.read(file)): Promise<void> {
    const lines = new TextLines(text, this.encoding)
    this.#documents.set(file, { version: 1, lines })
    const languageId = file.endsWith('.ssp') ? 'ssp' : 'typescript'
    const textDocument = { uri: this.uri(file), languageId, version: 1, text }
    await this.connection.sendNotification('textDocument/didOpen', { textDocument })
  }

  isOpen(file: string): boolean {
    return this.#documents.has(file)
  }

  async close(file: string): Promise<void> {
    this.#documents.delete(file)
    const textDocument = { uri: this.uri(file) }
    await this.connection.sendNotification('textDocument/didClose', { textDocument })
  }

  /** Replaces the text from `start` to `end`, both offsets. */
  async edit(file: string, start: number, end: number, text: string): Promise<void> {
    const document = this.#documents.get(file)!
    const change = { range: document.lines.range(start, end), text }
    document.lines = document.lines.change(change)
    document.version++
    await this.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri: this.uri(file), version: document.version },
      contentChanges: [change],
    })
  }

  /** Replaces a text that occurs in the document. */
  async replace(file: string, old: string, text: string): Promise<void> {
    const start = this.text(file).indexOf(old)
    if (start < 0) throw new Error(`${file} does not contain ${old}`)
    await this.edit(file, start, start + old.length, text)
  }

  /** Applies edits as an editor does, which opens the files, and saves them. Returns the function that undoes all edits. */
  async apply({ changes = {} }: WorkspaceEdit): Promise<() => Promise<void>> {
    const undone: { file: string; edits: { start: number; end: number; text: string }[] }[] = []
    for (const [uri, all] of Object.entries(changes)) {
      const file = relative(this.root, fileURLToPath(uri))
      const lines = this.lines(file)
      const edits = all
        .map(({ range: { start, end }, newText: text }) => {
          return { start: lines.offset(start), end: lines.offset(end), text }
        })
        .sort((a, b) => a.start - b.start)
      let shift = 0
      const inverse = edits.map(({ start, end, text }) => {
        const from = start + shift
        shift += text.length - (end - start)
        return { start: from, end: from + text.length, text: lines.text.slice(start, end) }
      })
      await this.#applyAll(file, edits)
      undone.push({ file, edits: inverse })
    }
    return async () => {
      for (const { file, edits } of undone) await this.#applyAll(file, edits)
    }
  }

  async #applyAll(
    file: string,
    edits: readonly { start: number; end: number; text: string }[],
  ): Promise<void> {
    if (!this.isOpen(file)) await this.open(file)
    for (const { start, end, text } of edits.toReversed()) await this.edit(file, start, end, text)
    this.write(file, this.text(file))
  }

  /** Returns the position at the mark `|` in a text that occurs in the document without the mark. */
  position(file: string, marked: string): Position {
    const start = this.text(file).indexOf(marked.replace('|', ''))
    if (start < 0) throw new Error(`${file} does not contain ${marked}`)
    return this.lines(file).position(start + marked.indexOf('|'))
  }

  /** Sends a request about the place of the mark `|`. */
  async ask<R>(method: string, file: string, marked: string, more: object = {}): Promise<R> {
    const position = this.position(file, marked)
    const textDocument = { uri: this.uri(file) }
    return this.connection.sendRequest<R>(method, { textDocument, position, ...more })
  }

  /** Sends a request about a whole document. */
  async askAbout<R>(method: string, file: string, more: object = {}): Promise<R> {
    return this.connection.sendRequest<R>(method, {
      textDocument: { uri: this.uri(file) },
      ...more,
    })
  }

  /** Resolves with the mistakes of the current version of a document. */
  async diagnostics(file: string): Promise<Diagnostic[]> {
    const version = this.#documents.get(file)?.version
    return this.published(file, (params) => params.version === version)
  }

  /** Resolves with the mistakes of a file for which `matches` holds. */
  async published(
    file: string,
    matches: (params: PublishDiagnosticsParams) => boolean,
  ): Promise<Diagnostic[]> {
    const uri = this.uri(file)
    return new Promise((resolve) => {
      const listener = (): void => {
        const params = this.#published.get(uri)
        if (params === undefined || !matches(params)) return
        this.#listeners.delete(listener)
        resolve(params.diagnostics)
      }
      this.#listeners.add(listener)
      listener()
    })
  }

  /** Returns the text of a range. */
  textIn(file: string, { start, end }: Range): string {
    const lines = this.lines(file)
    return lines.text.slice(lines.offset(start), lines.offset(end))
  }

  /** Ends the server as an editor does; resolves with its exit code. */
  async shutDown(): Promise<unknown> {
    await this.connection.sendRequest('shutdown')
    await this.connection.sendNotification('exit')
    const [code] = await this.exited
    this.connection.dispose()
    return code
  }

  /** Kills the server; for the end of a test. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.exited
    this.connection.dispose()
  }
}

/** Returns diagnostics in the form of `fw check`, which counts lines and columns in UTF-16, sorted. */
export const summarize = (diagnostics: readonly Diagnostic[], lines: TextLines): string[] =>
  diagnostics
    .map(({ code, range, message }) => {
      const before = lines.text.slice(0, lines.offset(range.start)).split('\n')
      return `${before.length}:${before.at(-1)!.length + 1} ${code} ${String(message)}`
    })
    .sort()
