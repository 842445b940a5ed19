/** The files of an application with edits that a rename tries: what TypeScript reads, and its mistakes in them. */
import { pathToFileURL } from 'node:url'
import type {
  CancellationToken,
  DiagnosticRelatedInformation,
  DocumentDiagnosticReport,
  Range,
} from 'vscode-languageserver'
import { ignoredInTemplates } from '../../templates/check.ts'
import { resultOrError, TemplateSet } from '../../templates/compile.ts'
import { TemplateError } from '../../templates/read.ts'
import { type Draft, TextLines, Twin } from '../workspace.ts'
import { pathOf, refuse, type Session } from './session.ts'
import { errorsOf, textOf } from './template-diagnostics.ts'

/** A text that a rename replaces, by offsets in the text of the editor. */
export interface NameEdit {
  readonly path: string
  readonly start: number
  readonly end: number
  readonly newText: string
}

/** Returns a text that only edits of the same place share. */
export const placeKey = ({ path, start }: NameEdit): string => `${path}:${start}`

/** A file with edits. */
export interface DraftFile {
  readonly path: string
  /** The path and text that TypeScript reads: those of the module for a template. */
  readonly document: string
  readonly lines: TextLines
  readonly twin: Twin | undefined
  readonly edits: readonly NameEdit[]
}

/** An error of TypeScript; offsets count in the document. */
export interface DraftMistake {
  readonly file: DraftFile
  readonly start: number
  readonly end: number
  readonly code: string
  readonly message: string
  readonly related: readonly DiagnosticRelatedInformation[]
}

/** Returns the range in the text of the editor for a range of a document; `undefined` inside edits and in generated code. */
export function originalRange(
  { lines, twin, edits }: DraftFile,
  start: number,
  end: number,
): { readonly start: number; readonly end: number } | undefined {
  let [from, to] = [start, end]
  if (twin !== undefined) {
    const copied = twin.copiedRange(lines.range(start, end))
    if (copied === undefined) return undefined
    ;[from, to] = [twin.template.offset(copied.start), twin.template.offset(copied.end)]
  }
  let shift = 0
  for (const edit of edits) {
    const begin = edit.start + shift
    if (to <= begin) break
    if (from < begin + edit.newText.length) return undefined
    shift += edit.newText.length - (edit.end - edit.start)
  }
  return { start: from - shift, end: to - shift }
}

/** Returns the place of a mistake as messages contain it, such as `src/main/titles.ts:3`. */
export function placeOfMistake(session: Session, { file, start }: DraftMistake): string {
  const offset = file.twin === undefined ? start : file.twin.toTemplate(start).offset
  const lines = file.twin?.template ?? file.lines
  return `${session.relative(file.path)}:${lines.lineOf(offset) + 1}`
}

/** Returns the place of a mistake and the first line of its message. */
export const describeMistake = (session: Session, mistake: DraftMistake): string =>
  `${placeOfMistake(session, mistake)}: ${mistake.message.split('\n')[0]!.slice(0, 200)}`

/** Returns the edit at a range of a document; `undefined` for other code. */
export function editAt(file: DraftFile, start: number, end: number): NameEdit | undefined {
  return editsIn(file, start, end).find(({ at }) => at === 0)?.edit
}

/** Returns the edits whose new text is in a range of a document, with their places in the range. */
export function editsIn(
  { lines, twin, edits }: DraftFile,
  start: number,
  end: number,
): readonly { readonly edit: NameEdit; readonly at: number }[] {
  let from = start
  if (twin !== undefined) {
    const copied = twin.copiedRange(lines.range(start, end))
    if (copied === undefined) return []
    from = twin.template.offset(copied.start)
  }
  let shift = 0
  return edits.flatMap((edit) => {
    const at = edit.start + shift - from
    shift += edit.newText.length - (edit.end - edit.start)
    return at >= 0 && at <= end - start ? { edit, at } : []
  })
}

export class RenameDraft {
  readonly #session: Session
  readonly #draft: Draft
  readonly #token: CancellationToken
  readonly #templates: TemplateSet
  /** The files that have been tried, by their paths in the editor. */
  #files = new Map<string, DraftFile>()

  constructor(session: Session, draft: Draft, token: CancellationToken) {
    this.#session = session
    this.#draft = draft
    this.#token = token
    const { workspace } = session
    this.#templates = new TemplateSet(
      workspace.paths,
      (file) => this.#texts.get(workspace.pathOf(file)) ?? workspace.states.get(file)?.text.text,
    )
  }

  /** The texts of edited files. */
  #texts = new Map<string, string>()

  /** Shows TypeScript the files with edits, and restores the others. */
  show(edits: readonly NameEdit[]): void {
    const { workspace } = this.#session
    const byPath = Map.groupBy(edits, ({ path }) => path)
    const texts = new Map<string, string>()
    for (const [path, all] of byPath) {
      all.sort((a, b) => a.start - b.start)
      texts.set(path, applyEdits(this.#session.linesOf(path)?.text ?? '', all))
    }
    const paths = new Set([...this.#texts.keys(), ...texts.keys()])
    const changed = [...paths].filter((path) => this.#texts.get(path) !== texts.get(path))
    this.#texts = texts
    const changedTemplates = changed.flatMap((path) => workspace.fileOf(path) ?? [])
    for (const file of changedTemplates) this.#templates.forget(file)
    const affected = new Set(changed)
    for (const { file, closure } of workspace.states.values())
      if (changedTemplates.some((one) => closure.has(one))) affected.add(workspace.pathOf(file))
    for (const path of affected) this.#showFile(path, byPath.get(path) ?? [])
  }

  #showFile(path: string, edits: readonly NameEdit[]): void {
    const isChanged = edits.length > 0
    const file = this.#create(path, edits)
    this.#files.set(path, file)
    const isTemplate = file.twin !== undefined
    this.#draft.setText(file.document, isChanged || isTemplate ? file.lines.text : undefined)
  }

  #create(path: string, edits: readonly NameEdit[]): DraftFile {
    const { workspace, encoding } = this.#session
    const name = workspace.fileOf(path)
    const state = name === undefined ? undefined : workspace.states.get(name)
    if (state?.twin === undefined) {
      const text = this.#texts.get(path)
      const lines =
        text === undefined
          ? (this.#session.linesOf(path) ?? new TextLines('', encoding))
          : new TextLines(text, encoding)
      return { path, document: path, lines, twin: undefined, edits }
    }
    const document = workspace.modulePath(state.file)
    // A template whose HTML is incomplete has a module, but cannot be compiled.
    if (state.compiled === undefined)
      return { path, document, lines: state.twin.code, twin: state.twin, edits: [] }
    const compiled = resultOrError(() => this.#templates.compile(state.file))
    if (compiled instanceof TemplateError)
      return refuse(`This name causes a mistake in WEB-INF/${compiled.file}: ${compiled.reason}`)
    const { code, segments, source } = compiled
    const lines = new TextLines(code, encoding)
    const template = new TextLines(this.#texts.get(path) ?? state.text.text, encoding)
    const mark = template.text.startsWith('\ufeff') ? 1 : 0
    const origins = mark === 0 ? undefined : Array.from(source, (_, at) => at + mark)
    const options = { file: state.file, template, code: lines, segments, source, origins }
    return { path, document, lines, twin: new Twin({ ...options, state: 'compiled' }), edits }
  }

  /** Returns a file of the editor; creates it without edits if the draft does not change it. */
  file(path: string): DraftFile {
    const known = this.#files.get(path)
    if (known !== undefined) return known
    const file = this.#create(path, [])
    this.#files.set(path, file)
    return file
  }

  /** Returns the file of a document of TypeScript; `undefined` for packages and generated code. */
  fileOfDocument(uri: string): DraftFile | undefined {
    const { workspace, root } = this.#session
    const path = pathOf(uri)
    if (path === undefined || !path.startsWith(`${root}/`) || path.includes('/node_modules/'))
      return undefined
    const template = workspace.templateOfModule(path)
    if (template === undefined) return this.file(path)
    return workspace.states.get(template)?.twin === undefined
      ? undefined
      : this.file(workspace.pathOf(template))
  }

  /** Sends a request about a document. */
  async ask<R>(method: string, file: DraftFile, more: object = {}): Promise<R | undefined> {
    const textDocument = { uri: pathToFileURL(file.document).href }
    return this.#draft.require<R>(method, { textDocument, ...more }, this.#token)
  }

  /** Returns TypeScript's mistakes in files. */
  async mistakes(paths: Iterable<string>): Promise<readonly DraftMistake[]> {
    const all = [...paths].map(async (path) => {
      const file = this.file(path)
      const report = await this.ask<DocumentDiagnosticReport>('textDocument/diagnostic', file)
      return errorsOf(report).flatMap((error): DraftMistake[] => {
        const code = `TS${error.code}`
        if (file.twin !== undefined && ignoredInTemplates.has(code)) return []
        const [start, end] = offsetsOf(file, error.range)
        const related = error.relatedInformation ?? []
        return [{ file, start, end, code, message: textOf(error), related }]
      })
    })
    return (await Promise.all(all)).flat()
  }
}

/** Returns the offsets of a range of a document. */
export const offsetsOf = ({ lines }: DraftFile, { start, end }: Range): [number, number] => [
  lines.offset(start),
  lines.offset(end),
]

/** Applies edits, which are sorted and do not overlap. */
function applyEdits(text: string, edits: readonly NameEdit[]): string {
  let result = ''
  let last = 0
  for (const { start, end, newText } of edits) {
    result += text.slice(last, start) + newText
    last = end
  }
  return result + text.slice(last)
}
