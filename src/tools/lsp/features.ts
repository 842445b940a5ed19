/** The features of the language server, and the capabilities that tell an editor about them. */
import {
  type CancellationToken,
  CodeActionKind,
  type Connection,
  type InitializeResult,
  LSPErrorCodes,
  ResponseError,
  type SemanticTokensLegend,
  type ServerCapabilities,
  type TextDocumentIdentifier,
  TextDocumentSyncKind,
} from 'vscode-languageserver/node'
import { RequestError } from '../workspace.ts'
import { codeActions } from './code-actions.ts'
import { hover, signatureHelp } from './code-help.ts'
import { complete, resolveCompletion } from './completion.ts'
import { formatDocument } from './formatting.ts'
import { findDefinition, findReferences } from './navigation.ts'
import { prepareRename, rename } from './rename.ts'
import { renameFiles } from './rename-files.ts'
import { semanticTokens } from './semantic-tokens.ts'
import { pathOf, type Session } from './session.ts'
import { documentSymbols, foldingRanges } from './template-outline.ts'

const noLegend: SemanticTokensLegend = { tokenTypes: [], tokenModifiers: [] }

/** Returns what the server can do. The kinds of semantic tokens are those of TypeScript. */
export function capabilitiesWith(typescript: InitializeResult | undefined): ServerCapabilities {
  const legend = typescript?.capabilities.semanticTokensProvider?.legend ?? noLegend
  const files = (glob: string) => ({ scheme: 'file', pattern: { glob } })
  return {
    textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
    completionProvider: {
      resolveProvider: true,
      triggerCharacters: ['.', '"', "'", '`', '/', '@', '<', '#', '{', '=', ':', ' '],
    },
    hoverProvider: true,
    signatureHelpProvider: { triggerCharacters: ['(', ',', '<'], retriggerCharacters: [')'] },
    definitionProvider: true,
    typeDefinitionProvider: true,
    implementationProvider: true,
    referencesProvider: true,
    documentSymbolProvider: true,
    foldingRangeProvider: true,
    documentFormattingProvider: true,
    codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix] },
    renameProvider: { prepareProvider: true },
    semanticTokensProvider: { legend, full: true },
    workspace: {
      fileOperations: {
        willRename: { filters: [files('**/*.ssp'), files('**/*.{ts,tsx,mts,cts}')] },
      },
    },
  }
}

/** Resolves with the session when all templates are read; `undefined` if no application is open. */
type OpenSession = () => Promise<Session | undefined>

/** Adds the handlers of all requests to a connection. */
export function addFeatures(connection: Connection, open: OpenSession): void {
  /** Returns a handler that waits for the session. */
  const handle =
    <P, R>(feature: (session: Session, params: P, token: CancellationToken) => Promise<R>) =>
    async (params: P, token: CancellationToken): Promise<R | null> => {
      const session = await open()
      return session === undefined ? null : passErrors(feature(session, params, token))
    }
  connection.onCompletion(handle(complete))
  connection.onCompletionResolve(async (item, token) => {
    const session = await open()
    return session === undefined ? item : passErrors(resolveCompletion(session, item, token))
  })
  connection.onHover(handle(hover))
  connection.onSignatureHelp(handle(signatureHelp))
  for (const [register, method] of [
    ['onDefinition', 'textDocument/definition'],
    ['onTypeDefinition', 'textDocument/typeDefinition'],
    ['onImplementation', 'textDocument/implementation'],
  ] as const)
    connection[register](
      handle((session, params, token) => findDefinition(session, method, params, token)),
    )
  connection.onReferences(handle(findReferences))
  connection.onPrepareRename(handle(prepareRename))
  connection.onRenameRequest(
    handle((session, params, token) =>
      retryIfModified(session, () => rename(session, params, token)),
    ),
  )
  connection.workspace.onWillRenameFiles(handle(renameFiles))
  connection.onDocumentFormatting(handle(formatDocument))
  connection.onCodeAction(handle(codeActions))
  connection.onDocumentSymbol(
    handle((session, params, token) =>
      aboutDocument(session, params, token, 'textDocument/documentSymbol', documentSymbols),
    ),
  )
  connection.onFoldingRanges(
    handle((session, params, token) =>
      aboutDocument(session, params, token, 'textDocument/foldingRange', foldingRanges),
    ),
  )
  connection.languages.semanticTokens.on(async (params, token) => {
    const session = await open()
    const found =
      session &&
      (await passErrors(
        aboutDocument(session, params, token, 'textDocument/semanticTokens/full', (state) =>
          semanticTokens(session, state, token),
        ),
      ))
    return found ?? { data: [] }
  })
}

/** The largest number of times that a rename begins. */
const maximumAttempts = 3

/** Begins again if another program changes a file meanwhile. After an edit, the position of the request can be another one. */
async function retryIfModified<R>({ documents }: Session, work: () => Promise<R>): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    const before = new Map(documents)
    try {
      return await work()
    } catch (error) {
      const isChanged =
        error instanceof RequestError && error.code === LSPErrorCodes.ContentModified
      const isSame =
        before.size === documents.size &&
        [...before].every(([path, document]) => documents.get(path) === document)
      if (!isChanged || !isSame || attempt === maximumAttempts) throw error
    }
  }
}

/** Passes the errors of requests to TypeScript on to the editor, with their codes. */
async function passErrors<R>(response: Promise<R>): Promise<R> {
  try {
    return await response
  } catch (error) {
    if (error instanceof RequestError) throw new ResponseError(error.code, error.message)
    throw error
  }
}

type TemplateOf = Exclude<ReturnType<Session['templateOf']>, undefined>

/** Answers a request about a whole document: about a template by `feature`, about code by TypeScript. */
async function aboutDocument<R>(
  session: Session,
  params: { readonly textDocument: TextDocumentIdentifier },
  token: CancellationToken,
  method: string,
  feature: (state: TemplateOf) => Promise<R>,
): Promise<R | null> {
  const state = session.templateOf(params.textDocument)
  if (state !== undefined) return feature(state)
  if (!session.servesCode || pathOf(params.textDocument.uri) === undefined) return null
  return (await session.typescript?.request<R>(method, params, token)) ?? null
}
