/** Generates a new application for `fw new`. */
import { readFileSync } from 'node:fs'
import { FwError } from '../../runtime/base.ts'
import { fillTemplate, listTemplates } from './fill-template.ts'
import { quote } from './format-code.ts'
import type { GeneratedFile } from './project.ts'

/** Options of `fw new`. */
export interface ApplicationOptions {
  /** The name of the folder, from which the package name follows. */
  readonly name: string
  /** A version of fwjs, or `file:` and the path of a tarball. */
  readonly fwjs: string
}

/** npm omits or renames files that start with a dot, so the templates' names have none. */
const dotFiles = /(^|\/)(gitignore|dockerignore|gitkeep|github)(?=\/|$)/g

function packageName(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z\d._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '')
  if (plain !== '' && plain.length <= 214) return plain
  throw new FwError(
    'generate.name-invalid',
    `The name '${name}' is invalid: a package name contains a letter or a digit, and at most 214 characters.`,
  )
}

/** Every file, including the launcher `fw`. @throws FwError `generate.name-invalid` */
export function generateApplication({ name, fwjs }: ApplicationOptions): GeneratedFile[] {
  const ownName = packageName(name)
  const words = ownName.replace(/[-_.]+/g, ' ')
  const title = words.charAt(0).toUpperCase() + words.slice(1)
  const values = { packageName: ownName, title, titleText: quote(title), fwjs }
  const launcher = readFileSync(new URL('../../../fw', import.meta.url), 'utf8')
  return [
    { path: 'fw', text: launcher, isExecutable: true },
    ...listTemplates('application').map((template) => ({
      path: template.replace(dotFiles, '$1.$2'),
      text: fillTemplate(`application/${template}`, values),
    })),
  ]
}
