/** `fw format`: formats the code of templates. */
import { writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { FwError } from '../../runtime/base.ts'
import { projectPaths, readText, templatesOf } from '../../runtime/view.ts'
import { formatDiagnostic, type ViewDiagnostic } from '../../templates/check.ts'
import { formatTemplate } from '../../templates/format.ts'
import { TemplateError } from '../../templates/read.ts'
import { applicationRoot, type CommandOptions } from './load-application.ts'
import { count, printJson, printLine } from './terminal.ts'

interface FormatOptions extends CommandOptions {
  readonly check?: boolean
}

/** What happened to the templates; the paths are relative to the application. */
interface FormatResult {
  readonly changed: string[]
  readonly mistakes: ViewDiagnostic[]
}

/**
 * Formats templates. With `check` it writes nothing. Sets the exit code to 1 for a mistake, and with `check` also for a template that is
 * not formatted.
 * @throws FwError `cli.option-invalid` for a file that is no template of the application
 */
export function format(files: readonly string[], options: FormatOptions): void {
  const root = applicationRoot(options.app)
  const { webInf } = projectPaths({ root })
  const templates =
    files.length === 0
      ? templatesOf(webInf, ['.ssp'])
      : files.map((file) => relative(webInf, resolve(file)).replaceAll('\\', '/'))
  const result: FormatResult = { changed: [], mistakes: [] }
  for (const file of templates) {
    const path = join(webInf, file)
    const text = file.startsWith('../') || !file.endsWith('.ssp') ? undefined : readText(path)
    if (text === undefined)
      throw new FwError('cli.option-invalid', `${path} is no template of the application ${root}`)
    formatOne(relative(root, path).replaceAll('\\', '/'), { file, path, text }, result, options)
  }
  printResult(templates.length, result, options)
}

function formatOne(
  shown: string,
  { file, path, text }: Readonly<Record<'file' | 'path' | 'text', string>>,
  { changed, mistakes }: FormatResult,
  { check }: FormatOptions,
): void {
  try {
    const formatted = formatTemplate(file, text)
    if (formatted === text) return
    changed.push(shown)
    if (check !== true) writeFileSync(path, formatted)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    const { line, column, reason: message, frame } = error
    mistakes.push({ file: shown, line, column, code: 'view.syntax', message, frame })
  }
}

function printResult(
  templates: number,
  { changed, mistakes }: FormatResult,
  { check, json }: FormatOptions,
): void {
  if (mistakes.length > 0 || (check === true && changed.length > 0)) process.exitCode = 1
  if (json === true) return printJson({ changed, mistakes })
  for (const mistake of mistakes) printLine(formatDiagnostic(mistake))
  for (const file of changed) printLine(file)
  const action = check === true ? 'not formatted' : 'formatted'
  printLine(
    `${count(templates, 'template')}, ${changed.length} ${action}` +
      (mistakes.length > 0 ? `, ${count(mistakes.length, 'mistake')}` : ''),
  )
}
