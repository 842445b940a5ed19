/** Parses the output of `tsc`, and maps errors in generated modules to their templates. */
import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { templateOffset, type CompiledTemplate } from '../emit.ts'
import { didYouMean } from '../../runtime/base.ts'
import type { ProjectPaths } from '../../runtime/view.ts'
import {
  type Edit,
  lineStarts,
  type Position,
  positionIn,
  sourceFrame,
  type TemplateError,
} from '../read.ts'

/** An error or warning about code or a template. */
export interface ViewDiagnostic extends Position {
  /** The path relative to the project's root. */
  readonly file: string
  /** The error code of TypeScript, such as `TS2339`, `view.syntax`, or `view.blocked`. */
  readonly code: string
  readonly message: string
  /** The source line, and below it a caret at the column; absent if the file cannot be read. */
  readonly frame?: string
  /** The edits that correct the mistake, for editors and `fw check --fix`; absent if only the author can decide. */
  readonly fix?: readonly Edit[]
  /**
   * `warning` for what is probably a mistake, `hint` for what may be intended: both do not fail the check; absent for a mistake.
   */
  readonly severity?: 'warning' | 'hint'
}

/** Returns `file:line:column message (code)`, and the frame in the lines below. */
export function formatDiagnostic(one: ViewDiagnostic): string {
  const { file, line, column, code, message, frame, severity } = one
  const about = `${severity === undefined ? '' : `${severity}: `}${message} (${code})`
  return `${file}:${line}:${column} ${about}${frame === undefined ? '' : '\n' + frame}`
}

export function syntaxDiagnostic(error: TemplateError, paths: ProjectPaths): ViewDiagnostic {
  const { line, column, reason, frame, fix } = error
  const file = projectPath(resolve(paths.webInf, error.file), paths)
  const diagnostic = { file, line, column, code: 'view.syntax', message: reason, frame }
  return fix === undefined ? diagnostic : { ...diagnostic, fix }
}

/** Returns the path relative to the project's root. */
export const projectPath = (path: string, { root }: ProjectPaths): string =>
  relative(root, path).replaceAll('\\', '/')

/** An error in the output of `tsc`. */
export interface ReportedError extends Position {
  /** The path, absolute or relative to the root. */
  readonly path: string
  readonly code: string
  message: string
}

const shape = /^(.+?)\((\d+),(\d+)\): error (TS\d+): (.*)$/
/**
 * The error codes for unused names. They are ignored in generated modules, which declare names that a template may not
 * use.
 */
export const ignoredInTemplates: ReadonlySet<string> = new Set([
  'TS6133',
  'TS6192',
  'TS6196',
  'TS6198',
])

/** Parses the errors in the output of `tsc --pretty false`. */
export function parseReport(output: string): readonly ReportedError[] {
  const found: ReportedError[] = []
  for (const text of output.split(/\r?\n/)) {
    const [, path, line, column, code, message] = shape.exec(text) ?? []
    if (path !== undefined) {
      const position = { line: Number(line), column: Number(column) }
      found.push({ path, ...position, code: code!, message: message! })
    } else if (/^\s+\S/.test(text) && found.length > 0) found.at(-1)!.message += '\n' + text
  }
  return found
}

const wrongArgument =
  /^ *Argument of type '"([^"'\s]+)"' is not assignable to parameter of type '("[^"'\s]+"(?: \| "[^"'\s]+")+)'\./m
const misspeltRoute = /^Property '(\w+)' does not exist on type .*\. Did you mean '(\w+)'\?$/
const longestMessage = 1000
/** The length above which a message omits the type, because a long type does not help to find a misspelt member. */
const longestType = 60

/**
 * The kinds of names that code writes as a string. Each has a pattern for the code before the string, and a remedy for
 * an unknown name.
 */
const kinds: readonly (readonly [
  kind: string,
  before: RegExp,
  remedy: (name: string) => string,
])[] = [
  [
    'message',
    /\bi18n\.get\w*\(\s*$/,
    (name) => `add ${name} to src/main/resources/messages.yml, or correct the key`,
  ],
  ['view', /\b(?:render\w*\(\s*|include\s+)$/, () => 'create it, or use one of these'],
  ['action', /\br\.\w+\([^)]*$/, () => 'add the method, or use one of these'],
]

/**
 * Shortens TypeScript's message for an unknown key, route, view or action: suggests the most similar name instead of listing
 * all names. `before` is the code of the line up to the error.
 */
function clarify(message: string, before: string): string {
  const [, route, similar] = misspeltRoute.exec(message) ?? []
  if (route !== undefined && /\broutes\.\w+\.$/.test(before))
    return `There is no route '${route}': did you mean '${similar}'?`
  const [, wrong, union] = wrongArgument.exec(message) ?? []
  if (wrong === undefined || union === undefined) return shorten(message)
  const known = union.split(' | ').map((text) => text.slice(1, -1))
  const [kind, , remedy] = kinds.find(([, pattern]) => pattern.test(before)) ?? []
  const missing = `There is no ${kind === undefined ? '' : `${kind} `}'${wrong}'`
  const meant = didYouMean(wrong, known)
  if (meant !== undefined) return `${missing}: did you mean '${meant}'?`
  const advice = remedy?.(wrong) ?? 'use one of these'
  // An application has hundreds of messages: a list of the first ones does not help.
  if (kind === 'message') return `${missing}: ${advice}.`
  const shown = known.slice(0, 20).join(', ')
  const more = known.length > 20 ? `, and ${known.length - 20} more` : ''
  return `${missing}: ${advice}: ${shown}${more}.`
}

function shorten(message: string): string {
  const [, type = ''] = /^Property '\w+' does not exist on type '(.+?)'\./.exec(message) ?? []
  const text = type.length > longestType ? message.replace(` on type '${type}'`, '') : message
  return text.length > longestMessage ? `${text.slice(0, longestMessage)} …` : text
}

/**
 * Converts the errors of `tsc` to diagnostics, without duplicates. Errors in generated modules get the position in
 * their template.
 */
export function mapReport(
  reported: readonly ReportedError[],
  templates: readonly CompiledTemplate[],
  paths: ProjectPaths,
): readonly ViewDiagnostic[] {
  const byPath = new Map(templates.map((one) => [resolve(paths.generated, `${one.file}.ts`), one]))
  const found = new Map<string, ViewDiagnostic>()
  for (const one of reported) {
    const { code } = one
    const path = resolve(paths.root, one.path)
    const template = byPath.get(path)
    if (template !== undefined && ignoredInTemplates.has(code)) continue
    const location =
      template === undefined
        ? { path, line: one.line, column: one.column, frame: readFrame(path, one) }
        : templateLocation(one, template, paths)
    const { line, column, frame } = location
    const file = projectPath(location.path, paths)
    const message = explainError(one, textBefore(frame), template !== undefined)
    const diagnostic = { file, line, column, code, message, ...(frame !== undefined && { frame }) }
    found.set(`${file}:${line}:${column}:${code}`, diagnostic)
  }
  return [...found.values()]
}

/** Returns the source line of a frame up to the caret. */
function textBefore(frame = ''): string {
  const lines = frame.split('\n')
  const caret = lines.findIndex((line) => /^ *\| *\^/.test(line))
  return lines[caret - 1]?.slice(0, lines[caret]!.indexOf('^')) ?? ''
}

/**
 * Explains an error of TypeScript in the words of an application. `before` is the line up to the error. `inTemplate` is true for
 * an error in the module of a template.
 */
export function explainError(
  error: { readonly code: string; readonly message: string },
  before: string,
  inTemplate: boolean,
): string {
  return clarify(error.message, before) + (inTemplate ? declarationHint(error) : '')
}

/** Returns a hint how to declare an unknown name of a template; empty for other errors. */
function declarationHint({ code, message }: { code: string; message: string }): string {
  const [, name] = /^Cannot find name '(\w+)'/.exec(message) ?? []
  if (code !== 'TS2304' || name === undefined) return ''
  return ` Declare it with <%@val ${name}: string %>, or correct the name.`
}

/** Returns the line of a file, and below it a caret at the column; `undefined` if the file cannot be read. */
export function readFrame(path: string, position: Position): string | undefined {
  try {
    return sourceFrame(readFileSync(path, 'utf8'), position)
  } catch {
    return undefined
  }
}

function templateLocation(
  { line, column }: ReportedError,
  { code, segments, file, source }: CompiledTemplate,
  { webInf }: ProjectPaths,
): Position & { readonly path: string; readonly frame: string } {
  const { offset } = templateOffset(segments, lineStarts(code)[line - 1]! + column - 1)
  const position = positionIn(lineStarts(source), offset)
  return { path: resolve(webInf, file), ...position, frame: sourceFrame(source, position) }
}
