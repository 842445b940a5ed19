/** A new application. */
import { readFileSync } from 'node:fs'
import { FwError } from '../base.ts'
import { quoted } from './code-text.ts'
import type { Draft } from './draft.ts'
import { fillTemplate, templatesIn } from './fill-template.ts'

/** What a new application is called and stands on. */
export interface ApplicationWords {
  /** Of its folder: the package is named after it. */
  readonly name: string
  /** The version of fwjs, or `file:` and the path of a tarball. */
  readonly fwjs: string
}

// npm leaves out or renames files that begin with a dot, so the templates have none.
const dotted: Readonly<Record<string, string>> = {
  gitignore: '.gitignore',
  dockerignore: '.dockerignore',
  gitkeep: '.gitkeep',
}

function pathOf(template: string): string {
  const parts = template.split('/')
  const name = parts.pop()!
  const folder = parts.map((part) => (part === 'github' ? '.github' : part))
  return [...folder, dotted[name] ?? name].join('/')
}

function packageName(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z\d._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '')
  if (plain !== '' && plain.length <= 214) return plain
  throw new FwError(
    'generate.name-invalid',
    `The name '${name}' cannot stand: a package's name has a letter or a digit.`,
  )
}

function titleOf(name: string): string {
  const words = name.replace(/[-_.]+/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Every file of it, the launcher among them. @throws FwError `generate.name-invalid` */
export function applicationDrafts({ name, fwjs }: ApplicationWords): Draft[] {
  const own = packageName(name)
  const title = titleOf(own)
  const values = { packageName: own, title, titleText: quoted(title), fwjs }
  const launcher = readFileSync(new URL('../../fw', import.meta.url), 'utf8')
  return [
    { path: 'fw', text: launcher, isExecutable: true },
    ...templatesIn('application').map((template) => ({
      path: pathOf(template),
      text: fillTemplate(`application/${template}`, values),
    })),
  ]
}
