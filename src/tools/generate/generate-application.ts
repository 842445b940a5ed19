/** Generates a new application for `fw new`. */
import { readFileSync } from 'node:fs'
import { parseDocument } from 'yaml'
import { FwError, packageFile } from '../../runtime/base.ts'
import { fillFile, fillTemplate, listTemplates, type TemplateValues } from './fill-template.ts'
import { capitalize, quote } from './format-code.ts'
import type { GeneratedFile } from './project.ts'

/** The options of `fw new`. */
export interface ApplicationOptions {
  /** The name of the folder. The package's name is derived from it. */
  readonly name: string
  /** The version of fwjs, or `file:` followed by the path of a folder or of a tarball in the folder `vendor`. */
  readonly fwjs: string
  /** Whether the application serves only JSON, without pages, layouts and style sheets. */
  readonly api?: boolean
  /** The URL of a PostgreSQL server for development; by default, the database is embedded. */
  readonly database?: string
  /** The language of the texts, from `applicationLanguages`; default `en`. */
  readonly language?: string
}

/** Matches template names that get a leading dot. Templates have none, because npm omits or renames dot files. */
const dotFiles = /(^|\/)(gitignore|dockerignore|gitkeep|github)(?=\/|$)/g

function parsePackageName(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll('ß', 'ss')
    // Letters keep their base: `bücher` becomes `bucher`.
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z\d._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '')
  if (plain !== '' && plain.length <= 214) return plain
  throw new FwError(
    'generate.name-invalid',
    `The name '${name}' is invalid: a package name contains a letter or a digit, and at most 214 characters.`,
  )
}

/** Matches the messages that only pages have. */
const pageMessages = /^(?:root|problem|repeat):\n(?:[ ].*\n)*/gm

/** Matches the templates that an application without pages omits. */
const pageTemplate = /^src\/main\/(?:webapp\/|controller\/application-controller\.ts)/
const messagesFile = 'src/main/resources/messages.yml'

/** Returns the template of each file, by the path of the file. */
function findTemplates({ api = false, language = 'en' }: ApplicationOptions): Map<string, string> {
  const templates = new Map<string, string>()
  const add = (folder: string): void => {
    for (const name of listTemplates(folder))
      templates.set(name.replace(dotFiles, '$1.$2'), `${folder}/${name}`)
  }
  add('application')
  templates.set(messagesFile, `languages/${language}.yml`)
  if (!api) return templates
  for (const path of templates.keys()) if (pageTemplate.test(path)) templates.delete(path)
  add('api-application')
  templates.set('src/main/controller/api-controller.ts', 'scaffold/api-controller.ts')
  return templates
}

const databaseLines = `db:
  default:
    url: \${DATABASE_URL:-}`

/** Returns the text of a message key, such as `root.heading`, as a string literal. */
function readText(messages: string, key: string): string {
  const text: unknown = parseDocument(messages).getIn(key.split('.'))
  return quote(String(text))
}

/** Returns the title of pages: the words of the folder's name, which contain no character that YAML or a message treats specially. */
const formatTitle = (name: string): string =>
  capitalize(
    name
      .normalize('NFC')
      .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
      .trim(),
  )

function templateValues(options: ApplicationOptions, packageName: string): TemplateValues {
  const { api = false, language = 'en', fwjs } = options
  const title = formatTitle(options.name)
  const names = { packageName, title, titleText: quote(title) }
  const messages = fillTemplate(`languages/${language}.yml`, names)
  return {
    ...names,
    fwjs,
    vendorLines: fwjs.startsWith('file:vendor/') ? 'COPY vendor ./vendor' : '',
    headingText: readText(messages, 'root.heading'),
    notFoundText: readText(messages, 'problem.notFound'),
    databaseLines: options.database === undefined ? '' : databaseLines,
    localeLines: language === 'en' ? '' : `i18n:\n  defaultLocale: ${language}`,
    pageFiles: api ? '' : fillTemplate('small/agents-files.md', {}).trimEnd(),
    pageRules: api ? '' : fillTemplate('small/agents-rules.md', {}).trimEnd(),
    resource: api ? 'api-resource' : 'scaffold',
    resourceParts: api ? 'JSON, XML, a table and tests' : 'pages, JSON, XML, a table and tests',
  }
}

/** Generates all files of an application, including the launcher `fw`. @throws FwError `generate.name-invalid` */
export function generateApplication(options: ApplicationOptions): GeneratedFile[] {
  const values = templateValues(options, parsePackageName(options.name))
  const launcher = readFileSync(packageFile('fw'), 'utf8')
  const environment = { path: '.env', text: `DATABASE_URL=${options.database}\n`, mode: 0o600 }
  return [
    { path: 'fw', text: launcher, mode: 0o755 },
    ...(options.database === undefined ? [] : [environment]),
    ...[...findTemplates(options)].map(([path, template]) => {
      const file = fillFile(path, template, values)
      const hasPageMessages = path === messagesFile && options.api === true
      return hasPageMessages ? { ...file, text: file.text.replace(pageMessages, '') } : file
    }),
  ]
}
