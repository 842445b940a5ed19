/** The mistakes of templates and of code, as `fw check` reports them, for editors. */
import {
  type Diagnostic,
  DiagnosticSeverity,
  type DocumentDiagnosticReport,
  type Range,
} from 'vscode-languageserver'
import { explainError, ignoredInTemplates, policyWarnings } from '../../templates/check.ts'
import type { Edit, TemplateError } from '../../templates/read.ts'
import type { ProjectPaths } from '../../runtime/view.ts'
import type { TemplateState, TextLines, Twin } from '../workspace.ts'

/** The data of a diagnostic that has one right correction. */
export interface CorrectionData {
  readonly edits: readonly { readonly range: Range; readonly newText: string }[]
}

const source = 'fw'

/** Converts a line and column of the compiler, both counted from 1 and in UTF-16, to an offset. */
function compilerOffset(text: string, line: number, column: number): number {
  let start = text.startsWith('\ufeff') ? 1 : 0
  for (let at = 1; at < line; at++) {
    const next = text.indexOf('\n', start)
    if (next < 0) return text.length
    start = next + 1
  }
  return Math.min(start + column - 1, text.length)
}

/** Returns the end of the word, tag or operator that starts at an offset. */
function endOfToken(text: string, offset: number): number {
  const token = /^(?:[\w$]+|<%@?\w*|#\w+|\$\{|[^\s\w])/.exec(text.slice(offset, offset + 200))
  return offset + (token?.[0].length ?? 0)
}

function templateDiagnostic(error: TemplateError, lines: TextLines): Diagnostic {
  const start = compilerOffset(lines.text, error.line, error.column)
  const range = lines.range(start, endOfToken(lines.text, start))
  const found: Diagnostic = {
    range,
    severity: DiagnosticSeverity.Error,
    source,
    code: 'view.syntax',
    message: error.reason,
  }
  return error.fix === undefined ? found : { ...found, data: correction(error.fix, lines) }
}

function correction(edits: readonly Edit[], lines: TextLines): CorrectionData {
  const offset = (at: Edit['start']): number => compilerOffset(lines.text, at.line, at.column)
  return {
    edits: edits.map(({ start, end, text }) => ({
      range: lines.range(offset(start), offset(end)),
      newText: text,
    })),
  }
}

/** Returns the mistakes that the compiler of templates finds, and warnings about what the policy of production blocks. */
export function compilerDiagnostics(
  state: TemplateState,
  paths: ProjectPaths,
): readonly Diagnostic[] {
  const error = state.error ?? state.unsafe()
  const errors = error === undefined ? [] : [error, ...error.others]
  const mistakes = errors.map((one) => templateDiagnostic(one, state.text))
  if (state.compiled === undefined) return mistakes
  const warnings = policyWarnings([state.compiled], { root: paths.root })
  return [
    ...mistakes,
    ...warnings.map(({ line, column, code, message }) => {
      const start = compilerOffset(state.text.text, line, column)
      const range = state.text.range(start, endOfToken(state.text.text, start))
      return { range, severity: DiagnosticSeverity.Warning, source, code, message }
    }),
  ]
}

type Report = DocumentDiagnosticReport | undefined

export const errorsOf = (report: Report): readonly Diagnostic[] =>
  report?.kind === 'full'
    ? report.items.filter(({ severity }) => (severity ?? 1) === DiagnosticSeverity.Error)
    : []

export const textOf = ({ message }: Diagnostic): string =>
  typeof message === 'string' ? message : message.value

const textBefore = (lines: TextLines, offset: number): string =>
  lines.text.slice(lines.line(lines.lineOf(offset)).start, offset)

/**
 * Converts TypeScript's errors in the module of a template. In a module without escaping, only errors in copied code count, and in
 * a repaired one none do, because the repair may cause them.
 */
export function typeDiagnostics(report: Report, twin: Twin): readonly Diagnostic[] {
  if (twin.state === 'repaired' || twin.state === 'outdated') return []
  const found = new Map<string, Diagnostic>()
  for (const error of errorsOf(report)) {
    const code = `TS${error.code}`
    if (ignoredInTemplates.has(code)) continue
    const copied = twin.copiedRange(error.range)
    if (twin.state === 'unplanned' && (copied === undefined || code === 'TS2307')) continue
    const { template } = twin
    const { offset } = twin.toTemplate(twin.code.offset(error.range.start))
    const range = copied ?? template.range(offset, endOfToken(template.text, offset))
    const message = explainError(
      { code, message: textOf(error) },
      textBefore(template, offset),
      true,
    )
    // As in `fw check`, the last one of several errors with one code at one place counts.
    const { line, character } = range.start
    const key = `${line}:${character}:${code}`
    found.set(key, { range, severity: DiagnosticSeverity.Error, source, code, message })
  }
  return [...found.values()]
}

/** Explains TypeScript's errors in a file of code. */
export function codeDiagnostics(report: Report, lines: TextLines): readonly Diagnostic[] {
  if (report?.kind !== 'full') return []
  return report.items.map((error) => {
    if ((error.severity ?? 1) !== DiagnosticSeverity.Error) return error
    const code = `TS${error.code}`
    const before = textBefore(lines, lines.offset(error.range.start))
    return {
      ...error,
      source,
      message: explainError({ code, message: textOf(error) }, before, false),
    }
  })
}
