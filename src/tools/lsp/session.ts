/** The state of the language server for one application, which all features share. */
import {
  type CancellationToken,
  LSPErrorCodes,
  type Position,
  ResponseError,
  type TextDocumentIdentifier,
} from 'vscode-languageserver'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { readText } from '../../runtime/view.ts'
import {
  type Encoding,
  type TemplateState,
  type TemplateWorkspace,
  TextLines,
  type Twin,
  type TypeScriptServer,
} from '../workspace.ts'

/** A document that is open in the editor. */
export interface OpenDocument {
  /** The address as the editor writes it. */
  readonly uri: string
  readonly path: string
  readonly version: number
  readonly lines: TextLines
}

/** Returns the absolute path of a `file:` address; `undefined` for other addresses. */
export function pathOf(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || !uri.startsWith('file:')) return undefined
  try {
    return resolve(fileURLToPath(uri))
  } catch {
    // The address has a host, or an invalid escape.
    return undefined
  }
}

/** Ends a request with a message, which the editor shows. @throws ResponseError always */
export function refuse(message: string): never {
  throw new ResponseError(LSPErrorCodes.RequestFailed, message)
}

/** A place in a template. */
export interface TemplatePlace {
  readonly state: TemplateState
  readonly twin: Twin | undefined
  readonly offset: number
}

export class Session {
  readonly workspace: TemplateWorkspace
  readonly encoding: Encoding
  readonly typescript: TypeScriptServer | undefined
  /** False if another server of the editor answers requests in code; this one then adds only what concerns templates. */
  readonly servesCode: boolean
  readonly documents = new Map<string, OpenDocument>()
  /** Shows a message about what a request could not do. */
  readonly warn: (message: string) => void

  constructor(
    workspace: TemplateWorkspace,
    typescript: TypeScriptServer | undefined,
    {
      servesCode,
      warn,
    }: { readonly servesCode: boolean; readonly warn: (message: string) => void },
  ) {
    this.workspace = workspace
    this.encoding = workspace.encoding
    this.typescript = typescript
    this.servesCode = servesCode
    this.warn = warn
  }

  get root(): string {
    return this.workspace.paths.root
  }

  /** Returns a path as messages contain it: relative to the application. */
  relative(path: string): string {
    return path.slice(this.root.length + 1)
  }

  /** Returns the address of a file, as the editor writes it if the file is open. */
  uriOf(path: string): string {
    return this.documents.get(path)?.uri ?? pathToFileURL(path).href
  }

  /** Returns the template at a place; `undefined` for other documents. */
  templateAt(document: TextDocumentIdentifier, position: Position): TemplatePlace | undefined {
    const state = this.templateOf(document)
    if (state === undefined) return undefined
    return { state, twin: state.twin, offset: state.text.offset(position) }
  }

  /** Returns the template of a document; `undefined` for other documents. */
  templateOf({ uri }: TextDocumentIdentifier): TemplateState | undefined {
    const path = pathOf(uri)
    const file = path === undefined ? undefined : this.workspace.fileOf(path)
    return file === undefined ? undefined : this.workspace.states.get(file)
  }

  /** Returns the path, text and offset of a place; `undefined` for a document that is no file. */
  textAt(
    document: TextDocumentIdentifier,
    position: Position,
  ): { readonly path: string; readonly lines: TextLines; readonly offset: number } | undefined {
    const path = pathOf(document.uri)
    const lines = path === undefined ? undefined : this.linesOf(path)
    if (path === undefined || lines === undefined) return undefined
    return { path, lines, offset: lines.offset(position) }
  }

  /** Returns the text of a file in the editor, else on the disk; `undefined` if it does not exist. */
  linesOf(path: string): TextLines | undefined {
    const open = this.documents.get(path)
    if (open !== undefined) return open.lines
    const text = readText(path)
    return text === undefined ? undefined : new TextLines(text, this.encoding)
  }

  /** Returns the paths of the application's code, without packages and generated files. */
  codeFiles(): string[] {
    return readdirSync(this.root, { withFileTypes: true })
      .filter(
        (one) => one.isDirectory() && one.name !== 'node_modules' && !one.name.startsWith('.'),
      )
      .flatMap(({ name }) => {
        const folder = join(this.root, name)
        return readdirSync(folder, { recursive: true, encoding: 'utf8' })
          .filter((file) => /(?<!\.d)\.[cm]?tsx?$/.test(file) && !file.includes('node_modules'))
          .map((file) => join(folder, file))
      })
  }

  /** Returns the paths of the files that TypeScript checks: code, and templates that have a module. */
  checkedFiles(): string[] {
    const templates = [...this.workspace.states.values()].filter(({ twin }) => twin !== undefined)
    return [...templates.map(({ file }) => this.workspace.pathOf(file)), ...this.codeFiles()]
  }

  /** Sends a request about a place in a file to TypeScript. */
  async askAt<R>(
    method: string,
    path: string,
    position: Position,
    token: CancellationToken,
    more: object = {},
  ): Promise<R | undefined> {
    const textDocument = { uri: pathToFileURL(path).href }
    return this.typescript?.request<R>(method, { textDocument, position, ...more }, token)
  }

  /** Sends a request about a place in the module of a template to TypeScript. */
  async askInTwin<R>(
    method: string,
    twin: Twin,
    codeOffset: number,
    token: CancellationToken,
    more: object = {},
  ): Promise<R | undefined> {
    const path = this.workspace.modulePath(twin.file)
    return this.askAt<R>(method, path, twin.code.position(codeOffset), token, more)
  }
}
