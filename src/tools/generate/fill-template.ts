/** Replaces the placeholders `{{name}}` in templates of generated files. */
import { readdirSync, readFileSync } from 'node:fs'
import { FwError, packageFile } from '../../runtime/base.ts'
import type { GeneratedFile } from './project.ts'

export type TemplateValues = Readonly<Record<string, string>>

const folder = packageFile('templates/')
const placeholder = /^([ \t]*)\{\{(\w+)\}\}[ \t]*\n|\{\{(\w+)\}\}/gm

/**
 * Fills a template with values. If a placeholder is alone on its line, each line of the value gets its indentation, and an
 * empty value removes the line.
 * @throws FwError `generate.template-invalid` if a placeholder has no value
 */
export function fillTemplate(name: string, values: TemplateValues): string {
  const text = readFileSync(`${folder}${name}.tpl`, 'utf8')
  const readValue = (key: string): string => {
    const value = values[key]
    if (value !== undefined) return value
    throw new FwError(
      'generate.template-invalid',
      `The template ${name} needs a value for '${key}'.`,
    )
  }
  return text.replace(placeholder, (_match, indent: string, block?: string, inline?: string) =>
    block === undefined ? readValue(inline!) : indentLines(readValue(block), indent),
  )
}

export const fillFile = (
  path: string,
  template: string,
  values: TemplateValues = {},
): GeneratedFile => ({ path, text: fillTemplate(template, values) })

/** Generates a file from a template, which is written only if the file does not exist. */
export const sharedFile = (path: string, template: string): GeneratedFile => ({
  ...fillFile(path, template),
  kind: 'shared',
})

function indentLines(value: string, indent: string): string {
  if (value === '') return ''
  return value
    .split('\n')
    .map((line) => (line === '' ? '\n' : `${indent}${line}\n`))
    .join('')
}

/** Returns the sorted paths of all templates below a folder, without the ending `.tpl`. */
export function listTemplates(name: string): string[] {
  return readdirSync(folder + name, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.tpl'))
    .map((path) => path.replaceAll('\\', '/').slice(0, -'.tpl'.length))
    .sort()
}
