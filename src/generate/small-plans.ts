/** The generators of single things: controller, model, migration, filter, view. */
import { FwError } from '../base.ts'
import type { Draft, Plan, Site } from './draft.ts'
import { readAttributes, type Attributes } from './field.ts'
import { fillTemplate } from './fill-template.ts'
import { knownFields } from './known-fields.ts'
import { migrationDraft } from './migration-draft.ts'
import { modelDrafts, type ModelNames } from './model-drafts.ts'
import { mounted, unmounted } from './mounting.ts'
import { plural } from './plural.ts'
import { withReferenceTypes } from './reference-target.ts'
import { toControllers } from './resource-controller-draft.ts'
import { Name, PlacedName, splitName } from './resource-names.ts'

const views = 'src/main/webapp/WEB-INF/views'

function placed(words: readonly string[], usage: string): PlacedName {
  const [first, second] = words
  if (first === undefined || words.length > 2)
    throw new FwError('generate.arguments-invalid', usage)
  const { namespace, name } = splitName(second === undefined ? first : `${first}.${second}`)
  return new PlacedName(namespace, name)
}

function viewDraft(path: string, title: string): Draft {
  return {
    path: `${views}${path}.html.ssp`,
    text: fillTemplate('small/view.html.ssp', { title }),
  }
}

function controllerDrafts(name: PlacedName): Draft[] {
  const values = {
    title: name.name.title,
    words: name.name.words,
    basePath: `${toControllers(name)}application-controller.ts`,
    Controller: `${name.name.upper}Controller`,
    path: name.path,
    key: name.camel,
  }
  return [
    {
      path: `src/main/controller/${name.file}-controller.ts`,
      text: fillTemplate('small/controller.ts', values),
    },
    viewDraft(`${name.path}/index`, name.name.title),
    {
      path: `src/test/controller/${name.file}-controller.test.ts`,
      text: fillTemplate('small/controller.test.ts', values),
    },
  ]
}

/** A controller with one page, its view and its test. */
export function controllerPlan(site: Site, words: readonly string[], usage: string): Plan {
  const name = placed(words, usage)
  const { drafts, notes } = mounted(site, name)
  return { drafts: [...controllerDrafts(name), ...drafts], notes }
}

/** What takes it away again. */
export function controllerRemoval(site: Site, words: readonly string[], usage: string): Plan {
  const name = placed(words, usage)
  const { drafts, notes } = unmounted(site, name)
  return { drafts: [...drafts, ...controllerDrafts(name)], notes }
}

function readModel(words: readonly string[], usage: string) {
  const first = words.findIndex((word) => word.includes(':'))
  const at = first < 0 ? words.length : first
  const model = placed(words.slice(0, at), usage)
  return { model, table: plural(model.snake), attributes: readAttributes(words.slice(at)) }
}

function typedModelDrafts(site: Site, names: ModelNames, attributes: Attributes): Draft[] {
  const fields = withReferenceTypes(site, attributes.fields)
  return modelDrafts(site, names, { ...attributes, fields })
}

/** A model with its relations, its migration and its factory. @throws FwError `generate.model-missing` */
export function modelPlan(site: Site, words: readonly string[], usage: string): Plan {
  const { model, table, attributes } = readModel(words, usage)
  if (attributes.fields.length === 0) throw new FwError('generate.arguments-invalid', usage)
  return { drafts: typedModelDrafts(site, { model, table }, attributes), notes: [] }
}

/** What takes it away again; fields that are not given are those of the model. */
export function modelRemoval(site: Site, words: readonly string[], usage: string): Plan {
  const { model, table, attributes: given } = readModel(words, usage)
  const attributes = given.fields.length > 0 ? given : knownFields(site, model, table)
  return { drafts: typedModelDrafts(site, { model, table }, attributes), notes: [] }
}

/** A migration with the SQL given, its way back behind `-- down` where it has one, or none yet. */
export function migrationPlan(site: Site, words: readonly string[], usage: string): Plan {
  const [given, ...sql] = words
  if (given === undefined) throw new FwError('generate.arguments-invalid', usage)
  const name = new Name(given)
  const text = sql.map((part) => part.replace(/^'(.*)'$/s, '$1')).join(' ')
  const filled = /^--[ \t]*down\b/im.test(text)
    ? `${text.trimEnd()}\n`
    : fillTemplate('small/migration.sql', { sql: text || `-- ${name.words}` })
  return { drafts: [migrationDraft(site, name.snake, filled)], notes: [] }
}

/** A trait for controllers. */
export function filterPlan(_site: Site, words: readonly string[], usage: string): Plan {
  const [given] = words
  if (given === undefined || words.length > 1)
    throw new FwError('generate.arguments-invalid', usage)
  const name = new Name(given.replace(/[-_]?filter$/i, ''))
  const values = {
    title: `${name.title} filter`,
    words: name.words,
    Filter: `${name.upper}Filter`,
    Name: name.upper,
    method: name.camel,
  }
  const path = `src/main/controller/filter/${name.kebab}-filter.ts`
  return { drafts: [{ path, text: fillTemplate('small/filter.ts', values) }], notes: [] }
}

/** A page without values. */
export function viewPlan(_site: Site, words: readonly string[], usage: string): Plan {
  const name = placed(words, usage)
  return { drafts: [viewDraft(name.path, name.name.title)], notes: [] }
}
