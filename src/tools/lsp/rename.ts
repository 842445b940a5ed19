/** Renames names in templates and code at once. */
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import type {
  CancellationToken,
  Position,
  PrepareRenameParams,
  Range,
  RenameParams,
  TextDocumentIdentifier,
  TextEdit,
  WorkspaceEdit,
} from 'vscode-languageserver'
import type { TextLines, Twin } from '../workspace.ts'
import { templateName } from '../../runtime/view.ts'
import { editsOf, ResultMapper } from './map-results.ts'
import { completeRename } from './complete-rename.ts'
import { FormFields } from './form-fields.ts'
import { matchTexts } from './code-parts.ts'
import { messagePartAt, placeOf } from './message-names.ts'
import { refuseUnknownKey, renameMessage } from './rename-message.ts'
import { isQuotedKey } from './name-uses.ts'
import type { NameEdit } from './rename-draft.ts'
import { renameFormFields } from './rename-form-fields.ts'
import { pathOf, refuse, type Session } from './session.ts'

/** The largest number of requests to TypeScript for one rename: one for each template that declares the value. */
const maximumRequests = 1000

/** The columns that Fw finds by their names. */
const automaticColumns: ReadonlySet<string> = new Set(['id', 'createdAt', 'updatedAt'])

const givenNames: ReadonlySet<string> = new Set(['s', 'set', 'routes', 'unescape', 'safeUrl'])

/** A place in a file of code or in the module of a template. */
interface CodePlace {
  readonly path: string
  readonly position: Position
}

type Prepared = { readonly range: Range; readonly placeholder: string } | Range

/** Returns the range of the name that a rename at a place would change; `null` if there is none. */
export async function prepareRename(
  session: Session,
  { textDocument, position }: PrepareRenameParams,
  token: CancellationToken,
): Promise<Prepared | null> {
  const method = 'textDocument/prepareRename'
  refuseValueOfLayout(session, textDocument, position)
  const named = nameInText(session, textDocument, position)
  if (named !== undefined) return named.prepared
  const place = session.templateAt(textDocument, position)
  if (place === undefined) {
    const path = pathOf(textDocument.uri)
    if (path === undefined) return null
    const found = await session.askAt<Prepared>(method, path, position, token)
    if (found == null) refuseValueOfView(session, textDocument, position)
    return found ?? null
  }
  const { twin, offset } = place
  const code = twin?.toCode(offset)
  if (twin === undefined || code === undefined || isGiven(twin, code)) return null
  const prepared = await session.askInTwin<Prepared>(method, twin, code, token)
  if (prepared == null) return null
  const range = twin.copiedRange('range' in prepared ? prepared.range : prepared)
  if (range === undefined) return null
  return 'range' in prepared ? { range, placeholder: prepared.placeholder } : range
}

/** Returns the message or the column whose name is a text at a place. */
function nameInText(session: Session, document: TextDocumentIdentifier, position: Position) {
  const at = session.textAt(document, position)
  if (at === undefined) return undefined
  const { path, lines, offset } = at
  const prepare = (start: number, end: number): Prepared => ({
    range: lines.range(start, end),
    placeholder: lines.text.slice(start, end),
  })
  const message = messagePartAt(session, path, lines, offset)
  if (message !== undefined)
    return { message, column: undefined, prepared: prepare(message.start, message.end) }
  const field = new FormFields(session).columnOfUse(path, offset)
  if (field === undefined) return undefined
  const { column, use } = field
  return { message: undefined, column, prepared: prepare(use.start, use.end) }
}

/** @throws ResponseError at the text in `set('title', …)` of a page: TypeScript would rename equal texts, but not the value of the layout */
function refuseValueOfLayout(
  session: Session,
  document: TextDocumentIdentifier,
  position: Position,
): void {
  if (session.templateOf(document) === undefined) return
  if (/(?<![.\w$])set\(\s*['"][\w$]*$/.test(textBefore(session, document, position)))
    refuse('Rename this value in the layout or page that declares it')
}

/** @throws ResponseError at the text in `this.set('members', …)` of code, in which TypeScript can rename nothing */
function refuseValueOfView(
  session: Session,
  document: TextDocumentIdentifier,
  position: Position,
): void {
  if (/\bthis\s*\.\s*set\(\s*['"][\w$]*$/.test(textBefore(session, document, position)))
    refuse(
      "'this.set' has no types: rename the value at '<%@val' in its view or layout, and this text by hand",
    )
}

function textBefore(
  session: Session,
  document: TextDocumentIdentifier,
  position: Position,
): string {
  const at = session.textAt(document, position)
  return at === undefined ? '' : at.lines.text.slice(Math.max(0, at.offset - 200), at.offset)
}

/**
 * Returns the edits that rename what is at a place. A value of a template is a member of the interface `Values` and a variable in
 * its module: each leads to the other.
 * @throws ResponseError for a text that is no name, or a template that cannot be compiled
 */
export async function rename(
  session: Session,
  { textDocument, position, newName }: RenameParams,
  token: CancellationToken,
): Promise<WorkspaceEdit | null> {
  refuseValueOfLayout(session, textDocument, position)
  const place = session.templateAt(textDocument, position)
  let start: CodePlace | undefined
  const named = nameInText(session, textDocument, position)
  if (named?.message !== undefined) {
    requireCompiled(session)
    return toChanges(session, await renameMessage(session, named.message, newName, token))
  }
  const text = session.textAt(textDocument, position)
  if (named === undefined && text !== undefined) refuseUnknownKey(session, text.lines, text.offset)
  if (named?.column !== undefined) {
    requireName(newName)
    const { path, start: offset } = named.column
    start = { path, position: session.linesOf(path)!.position(offset) }
  } else if (place === undefined) {
    const path = pathOf(textDocument.uri)
    start = path === undefined ? undefined : { path, position }
  } else {
    requireName(newName)
    const { twin, offset } = place
    const code = twin?.toCode(offset)
    if (twin !== undefined && code !== undefined && !isGiven(twin, code))
      start = placeIn(session, twin, code)
  }
  if (start === undefined) return null
  requireCompiled(session)
  const renamed = await new Renaming(session, newName).run(start, nameAround(session, start), token)
  if (renamed === null && place === undefined) refuseValueOfView(session, textDocument, position)
  return renamed
}

/** A name, and whether it is a text: a key in quotes is none. */
interface StartName {
  readonly name: string
  readonly isText: boolean
}

/** Returns the name around a place. */
function nameAround(session: Session, { path, position }: CodePlace): StartName {
  const file = session.workspace.templateOfModule(path)
  const twin = file === undefined ? undefined : session.workspace.states.get(file)?.twin
  const lines = twin?.code ?? session.linesOf(path)
  if (lines === undefined) return { name: '', isText: false }
  const [start, end] = rangeOfName(lines, lines.offset(position))
  const quote = /['"`]/.exec(lines.text.charAt(start - 1))?.[0]
  const isQuoted = quote !== undefined && quote === lines.text[end]
  return {
    name: lines.text.slice(start, end),
    isText: isQuoted && !isQuotedKey(lines.text, start, end),
  }
}

function rangeOfName({ text }: TextLines, offset: number): [start: number, end: number] {
  const before = /[\w$\p{ID_Continue}]*$/u.exec(text.slice(Math.max(0, offset - 200), offset))![0]
  const after = /^[\w$\p{ID_Continue}]*/u.exec(text.slice(offset, offset + 200))![0]
  return [offset - before.length, offset + after.length]
}

/** Returns whether the name at an offset of a module is one that Fw gives to every template, or to every layout. */
function isGiven({ code, file }: Twin, offset: number): boolean {
  const [start, end] = rangeOfName(code, offset)
  const name = code.text.slice(start, end)
  if (/\.\s*$/.test(code.text.slice(0, start)) || /^\s*:/.test(code.text.slice(end))) return false
  return givenNames.has(name) || (name === 'body' && templateName(file)?.kind === 'layout')
}

function requireName(name: string): void {
  if (/^(?!__)[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) return
  refuse(`'${name}' is no name of a value or member`)
}

/** Throws if a template has a mistake: uses in it would not be renamed. */
function requireCompiled({ workspace }: Session): void {
  const broken = [...workspace.states.values()].find(
    ({ error, twin }) => error !== undefined && twin?.state !== 'unplanned',
  )
  if (broken === undefined) return
  refuse(
    `Correct WEB-INF/${broken.file} first: names in a template with a mistake cannot be renamed`,
  )
}

const placeIn = (session: Session, twin: Twin, code: number): CodePlace => ({
  path: session.workspace.modulePath(twin.file),
  position: twin.code.position(code),
})

/** Converts edits to the form of the protocol. */
function toChanges(session: Session, edits: readonly NameEdit[]): WorkspaceEdit {
  const changes: Record<string, TextEdit[]> = {}
  for (const { path, start, end, newText } of edits) {
    const range = session.linesOf(path)!.range(start, end)
    ;(changes[session.uriOf(path)] ??= []).push({ range, newText })
  }
  return { changes }
}

/** Throws if edits rename a column to which Fw gives a value because of its name. */
function refuseAutomaticColumn(session: Session, name: string, edits: readonly NameEdit[]): void {
  if (!automaticColumns.has(name)) return
  const fields = new FormFields(session)
  const isColumn = edits.some(
    ({ path, start, end }) =>
      fields.columnsAt(path, start).length > 0 ||
      /^['"]?\s*:\s*(?:defaulted\()?ParamType\b/.test(session.linesOf(path)!.text.slice(end)),
  )
  if (isColumn)
    refuse(
      `Fw gives '${name}' its value because of this name: a column with another name needs a value in each 'create'`,
    )
}

/** Reports where code sets a renamed value of a view or layout without types. */
function warnOfSetValues(session: Session, name: string, edits: readonly NameEdit[]): void {
  const isValue = edits.some(({ path, start }) =>
    /<%@val\s+$/.test(session.linesOf(path)!.text.slice(Math.max(0, start - 100), start)),
  )
  if (!isValue) return
  const pattern = new RegExp(
    `\\bthis\\s*\\.\\s*set\\(\\s*['"](${name.replaceAll('$', '\\$')})['"]`,
    'g',
  )
  const places = session
    .codeFiles()
    .flatMap((path) =>
      matchTexts(session.linesOf(path)?.text ?? '', pattern).map(({ start }) =>
        placeOf(session, path, start),
      ),
    )
  if (places.length > 0)
    session.warn(
      `'this.set' has no types, so the value is still called '${name}' in ${places.join(', ')}: rename it there by hand`,
    )
}

class Renaming {
  readonly #session: Session
  readonly #mapper: ResultMapper
  readonly #newName: string
  readonly #asked = new Set<string>()
  /** The edits of each file in the editor, by their ranges. */
  readonly #edits = new Map<string, Map<string, TextEdit>>()

  constructor(session: Session, newName: string) {
    this.#session = session
    this.#mapper = new ResultMapper(session)
    this.#newName = newName
  }

  async run(
    start: CodePlace,
    { name, isText }: StartName,
    token: CancellationToken,
  ): Promise<WorkspaceEdit | null> {
    const queue = [start]
    for (const place of queue) {
      const key = `${place.path}:${place.position.line}:${place.position.character}`
      if (this.#asked.has(key)) continue
      this.#asked.add(key)
      if (this.#asked.size > maximumRequests)
        refuse(`More than ${maximumRequests} declarations would be renamed at once`)
      for (const [uri, edits] of await this.#ask(place, token)) {
        const path = pathOf(uri) ?? ''
        // TypeScript renames equal texts in types of packages too, such as the names of elements in its own types.
        if (/[/\\]node_modules[/\\]/.test(path))
          refuse(
            `TypeScript would rename '${name}' in ${basename(path)} of a package too: rename it where your code declares it`,
          )
        this.#add(uri, edits)
        queue.push(...this.#otherHalves(uri, edits))
      }
    }
    if (this.#edits.size === 0) return null
    return this.#complete({ name, isText }, token)
  }

  /** Adds the edits of keys and texts. */
  async #complete({ name, isText }: StartName, token: CancellationToken): Promise<WorkspaceEdit> {
    const edits = [...this.#edits].flatMap(([uri, byRange]) => {
      const path = pathOf(uri)!
      const lines = this.#session.linesOf(path)!
      return [...byRange.values()].map(({ range, newText }): NameEdit => {
        const [start, end] = [lines.offset(range.start), lines.offset(range.end)]
        return { path, start, end, newText }
      })
    })
    const names = { name, newName: this.#newName }
    refuseAutomaticColumn(this.#session, name, edits)
    const completed = await completeRename(this.#session, edits, names, token)
    refuseAutomaticColumn(this.#session, name, completed.edits)
    // TypeScript renames a text without the declaration that its type comes from.
    if (isText && completed.remaining.length > 0)
      refuse(`'${name}' is a text here: rename it where your code declares it`)
    const all = await renameFormFields(this.#session, completed, names, token)
    warnOfSetValues(this.#session, name, all)
    return toChanges(this.#session, all)
  }

  async #ask(
    { path, position }: CodePlace,
    token: CancellationToken,
  ): Promise<readonly (readonly [string, readonly TextEdit[]])[]> {
    const textDocument = { uri: pathToFileURL(path).href }
    const params = { textDocument, position, newName: this.#newName }
    // Without one of the answers, the edits would rename only some of the uses.
    const edit = await this.#session.typescript?.require<WorkspaceEdit>(
      'textDocument/rename',
      params,
      token,
    )
    return editsOf(edit)
  }

  #add(uri: string, edits: readonly TextEdit[]): void {
    const mapped = this.#mapper.edits(uri, edits)
    if (mapped === undefined || mapped.edits.length === 0) return
    const known = this.#edits.get(mapped.uri) ?? new Map<string, TextEdit>()
    this.#edits.set(mapped.uri, known)
    for (const edit of mapped.edits) known.set(JSON.stringify(edit.range), edit)
  }

  /** Returns the variables of the declared values that edits rename, and the declarations of the variables that they rename. */
  #otherHalves(uri: string, edits: readonly TextEdit[]): CodePlace[] {
    const { workspace } = this.#session
    const path = pathOf(uri)
    const file = path === undefined ? undefined : workspace.templateOfModule(path)
    const twin = file === undefined ? undefined : workspace.states.get(file)?.twin
    if (twin === undefined) return []
    return edits.flatMap(({ range }) => {
      const code = twin.code.offset(range.start)
      const { offset } = twin.toTemplate(code)
      const variable = twin.toVariable(offset)
      if (variable === undefined) return []
      const other = code === variable ? twin.toCode(offset) : variable
      return other === undefined ? [] : [placeIn(this.#session, twin, other)]
    })
  }
}
