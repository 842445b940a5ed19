/** A model with its table and what its tests write: model, relations, migration, factory. */
import { FwError } from '../base.ts'
import { callText, capital, factoryHead, importLine } from './code-text.ts'
import type { Draft, Site } from './draft.ts'
import type { Association, Attributes, Field } from './field.ts'
import { fillTemplate } from './fill-template.ts'
import { migrationDraft } from './migration-draft.ts'
import { modelFile, modelMissing, referenceTarget } from './reference-target.ts'
import { columnSql, tableSql } from './sql-text.ts'
import type { Name, PlacedName } from './resource-names.ts'

/** A model and its table. */
export interface ModelNames {
  readonly model: PlacedName
  readonly table: string
}

/** A list may be empty, so it needs no `optional`. */
function typeOf({ type, isOptional }: Field): string {
  if (type.code !== undefined) return type.code
  const one = type.name === 'Json' ? 'json<unknown>()' : `ParamType.${type.name}`
  return isOptional ? `ParamType.optional(${one})` : one
}

/** `name: ParamType.String,` for each field. */
export const typedFields = (fields: readonly Field[]): string =>
  fields.map((field) => `${field.name.camel}: ${typeOf(field)},`).join('\n')

function modelDraft({ model, table }: ModelNames, fields: readonly Field[]): Draft {
  return {
    path: `src/main/model/${model.file}.ts`,
    text: fillTemplate('scaffold/model.ts', {
      title: capital(model.name.one),
      table,
      imports: importLine(['model', 'ParamType', 'type RowOf'], 'fwjs'),
      Model: model.name.upper,
      columns: typedFields(fields),
    }),
  }
}

function tableDraft(site: Site, { table }: ModelNames, fields: readonly Field[]): Draft {
  const columns = fields.map((field) =>
    columnSql(field, field.references && referenceTarget(site, field.references)),
  )
  const indexes = fields
    .filter(({ references }) => references !== undefined)
    .map(({ name }) => `create index on ${tableSql(table)} (${name.snake});`)
  const text = fillTemplate('scaffold/migration.sql', {
    table: tableSql(table),
    columns: columns.map((column) => `${column},`).join('\n'),
    indexes: indexes.join('\n'),
  })
  return migrationDraft(site, `create_${table}`, text)
}

const factoryFile = (name: Name): string => `src/test/factory/${name.file}.ts`

/** Fields that a factory fills: an optional row of another table is left out. */
const sampled = (fields: readonly Field[]): Field[] =>
  fields.filter(({ references, isOptional }) => references === undefined || !isOptional)

const sampleOf = ({ name, type, references }: Field): string =>
  references === undefined
    ? `${name.camel}: ${type.sampleCode},`
    : `${name.camel}: fields.${name.camel} ?? (await create${references.upper}()),`

/** The imports of the factories of what the fields need. @throws FwError `generate.model-missing` */
export function parentImports(site: Site, fields: readonly Field[]): readonly string[] {
  const parents = new Map<string, Name>()
  for (const { references } of sampled(fields))
    if (references !== undefined) parents.set(references.snake, references)
  return [...parents.values()].map((name) => {
    if (site.read(factoryFile(name)) === undefined && site.read(modelFile(name)) === undefined)
      throw modelMissing(name)
    return `import { create${name.upper} } from '#test/factory/${name.file}'`
  })
}

function factoryDraft(site: Site, { model }: ModelNames, fields: readonly Field[]): Draft {
  const names = ['permitValues']
  const used = sampled(fields)
  const code = used.map(({ type }) => type.sampleCode).join(' ')
  if (code.includes('Temporal.')) names.push('Temporal')
  if (code.includes('BigDecimal')) names.push('type BigDecimal')
  const keys = fields.map(({ name }) => `'${name.camel}'`)
  // An argument on a line of its own is indented by two more.
  const permit = callText('permitValues', ['values', ...keys], 5)
  const imports = [
    importLine(names, 'fwjs'),
    `import { ${model.name.upper} } from '#model/${model.file}'`,
    ...parentImports(site, fields),
  ]
  return {
    path: `src/test/factory/${model.file}.ts`,
    text: fillTemplate('scaffold/factory.ts', {
      words: model.name.one,
      imports: imports.join('\n'),
      Model: model.name.upper,
      counter: '',
      count: '',
      gives: 'The id of a new row',
      head: factoryHead(
        model.name.upper,
        'number',
        used.some(({ references }) => references !== undefined),
      ),
      samples: used.map(sampleOf).join('\n'),
      create: callText(`return ${model.name.upper}.createWithPermittedAttributes`, [permit], 2),
    }),
  }
}

/** Relations stand beside the models, for models that import each other cannot both be first. */
function relationsDraft(site: Site, { model }: ModelNames, attributes: Attributes): Draft[] {
  const references = attributes.fields.flatMap(({ references }): Association[] =>
    references === undefined ? [] : [{ name: references, kind: 'belongsTo', model: references }],
  )
  const all = [...references, ...attributes.associations]
  if (all.length === 0) return []
  const own = model.name
  for (const each of attributes.associations) checkAssociation(site, own, attributes, each)
  const others = new Map(all.map(({ model: other }) => [other.file, other]))
  others.delete(model.file)
  const lines = [
    `/** What ${own.one} belongs to and has; \`${own.upper}.include({ … })\` takes it. */`,
    importLine(
      all.map(({ kind }) => kind),
      'fwjs',
    ),
    `import { ${own.upper} } from '#model/${model.file}'`,
    ...[...others.values()].map((other) => `import { ${other.upper} } from '#model/${other.file}'`),
    '',
    ...all.map((each) => relation(own, each)),
  ]
  return [{ path: `src/main/model/${model.file}-relations.ts`, text: `${lines.join('\n')}\n` }]
}

/** The model exists, and the field that joins the two. @throws FwError `generate.model-missing`, `generate.field-invalid` */
function checkAssociation(
  site: Site,
  own: Name,
  { fields }: Attributes,
  { name, kind, model }: Association,
): void {
  const text = site.read(modelFile(model))
  if (text === undefined) throw modelMissing(model)
  const key = kind === 'belongsTo' ? `${name.camel}Id` : `${own.camel}Id`
  const isThere =
    kind === 'belongsTo'
      ? fields.some((field) => field.name.camel === key)
      : new RegExp(`\\b${key}\\s*:`).test(text)
  if (isThere) return
  const holder = kind === 'belongsTo' ? own.words : model.words
  throw new FwError(
    'generate.field-invalid',
    `The relation '${name.camel}' cannot stand: the ${holder} has no field ${key}, by which the two are joined.`,
  )
}

function relation(own: Name, { name, kind, model }: Association): string {
  const call =
    kind === 'belongsTo'
      ? `belongsTo(${own.upper}, '${name.camel}Id', ${model.upper})`
      : `hasMany(${own.upper}, ${model.upper}, '${own.camel}Id')`
  return `export const ${own.camel}${name.upper} = ${call}`
}

/** Model, relations, migration and factory. @throws FwError `generate.model-missing` */
export function modelDrafts(site: Site, names: ModelNames, attributes: Attributes): Draft[] {
  const { fields } = attributes
  return [
    modelDraft(names, fields),
    ...relationsDraft(site, names, attributes),
    tableDraft(site, names, fields),
    factoryDraft(site, names, fields),
  ]
}
