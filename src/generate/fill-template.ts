/** Templates of generated files: text in which `{{name}}` stands for a value. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { FwError } from '../base.ts'

export type TemplateValues = Readonly<Record<string, string>>

// The same two folders up from the sources and from `dist`.
const folder = fileURLToPath(new URL('../../templates/', import.meta.url))
// One pass: what stands in a value is no placeholder.
const placeholder = /^([ \t]*)\{\{(\w+)\}\}[ \t]*\n|\{\{(\w+)\}\}/gm

/** A template's text, its values put in. A placeholder alone on its line gives its indentation to every line, or vanishes. */
export function fillTemplate(name: string, values: TemplateValues): string {
  const text = readFileSync(`${folder}${name}.tpl`, 'utf8')
  const valueOf = (key: string): string => {
    const value = values[key]
    if (value !== undefined) return value
    throw new FwError('generate.template-invalid', `The template ${name} asks for '${key}'.`)
  }
  return text.replace(placeholder, (_found, indent: string, own?: string, inline?: string) =>
    own === undefined ? valueOf(inline!) : indented(valueOf(own), indent),
  )
}

function indented(value: string, indent: string): string {
  if (value === '') return ''
  return value
    .split('\n')
    .map((line) => (line === '' ? '\n' : `${indent}${line}\n`))
    .join('')
}

/** The names of all templates below a folder of templates. */
export function templatesIn(name: string): string[] {
  return readdirSync(folder + name, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.tpl'))
    .map((entry) => `${entry.parentPath}/${entry.name}`.replaceAll('\\', '/'))
    .map((path) => path.slice(path.indexOf(`templates/${name}/`) + `templates/${name}/`.length, -4))
    .sort()
}
