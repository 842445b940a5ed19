/** Generates a model with its relations, its migration and its factory. */
import { FwError } from '../../runtime/base.ts'
import { enumCode } from './enum-labels.ts'
import { isEnum } from './field-type.ts'
import type { Association, Attributes, Field } from './field.ts'
import { fillFile, fillTemplate } from './fill-template.ts'
import {
  capitalize,
  commentText,
  formatCall,
  formatImport,
  formatLines,
  importFactory,
  importModel,
  present,
  quote,
  type Importable,
} from './format-code.ts'
import type { OwnerScope } from './owner-scope.ts'
import { pluralize } from './pluralize.ts'
import { PlannedProject, type GeneratedFile, type Project } from './project.ts'
import { missingModel, modelPath, type ModelNames } from './read-model.ts'
import { Name, type QualifiedName } from './resource-names.ts'
import { relationName } from './table-fields.ts'
import {
  columnDefinitions,
  createIndexes,
  createTriggers,
  distributeTable,
  generateAttachments,
  generateMigration,
  ownedKeys,
  quoteTable,
} from './table-sql.ts'

/** Whether the model is a join table, and the owner of its rows. */
interface ModelKind {
  readonly isJoin?: boolean
  readonly scope?: OwnerScope | undefined
}

/** Generates the files of a model. @throws FwError `generate.model-missing`, `generate.field-invalid` */
export function generateModel(
  project: Project,
  names: ModelNames,
  { fields, associations }: Attributes,
  { isJoin = false, scope }: ModelKind = {},
): GeneratedFile[] {
  const { model, table } = names
  for (const each of associations) checkAssociation(project, model, { fields, associations }, each)
  const planned = new PlannedProject(project)
  planned.add(generateAttachments(project, fields))
  const joined = isJoin ? joinedFields(model.name, fields) : undefined
  return [
    ...planned.files,
    generateDefinition(model, {
      table,
      types: fields.flatMap(({ type }) => type.own ?? []),
      columns: [
        'id: ParamType.Long',
        ...fields.map((field) => `${field.name.camel}: ${typeCode(field)}`),
        'createdAt: ParamType.DateTime',
        'updatedAt: ParamType.DateTime',
      ],
      options: scope === undefined ? [] : [`{ scopedBy: '${scope.field}' }`],
    }),
    ...generateRelations(model, [
      ...modelRelations(model, { fields, associations }),
      ...(joined === undefined
        ? []
        : [joinRelation(model, ...joined), joinRelation(model, joined[1], joined[0])]),
    ]),
    generateTable(planned, names, fields, { joined, scope }),
    generateFactory({
      model,
      samples: sampledFields(fields),
      keyType: 'number',
      scope,
    }),
  ]
}

/** The table or view of a model, its columns as code, and the options of `model` as code. */
interface ModelDefinition {
  readonly kind?: 'table' | 'view'
  readonly table: string
  readonly columns: readonly string[]
  /** The types of the application that the columns have. */
  readonly types?: NonNullable<Field['type']['own']>[]
  readonly options?: readonly string[]
}

export function generateDefinition(
  { name, file }: QualifiedName,
  { kind = 'table', table, columns, types = [], options = [] }: ModelDefinition,
): GeneratedFile {
  const args = [quote(table), `{\n${formatLines(columns)}}`, ...options]
  const functions = ['defaulted', 'json'].filter((each) =>
    columns.some((column) => column.includes(`${each}(`) || column.includes(`${each}<`)),
  )
  return fillFile(`src/main/model/${file}.ts`, 'scaffold/model.ts', {
    title: capitalize(name.withArticle),
    kind,
    table: commentText(table),
    imports: [
      formatImport(['model', 'ParamType', 'type RowOf', ...functions], 'fwjs'),
      ...new Set(types.map((type) => formatImport([type.name], type.path))),
    ].join('\n'),
    Model: name.pascal,
    definition:
      options.length === 0 ? `model(${args.join(', ')})` : `model(\n${formatLines(args)})`,
  })
}

/** Returns the code of a field's type. A list may be empty, so its type needs no `optional`. */
export function typeCode({ name, type, isOptional }: Field): string {
  if (type.code !== undefined) return type.code
  if (isEnum(type)) return enumCode(name.camel, type.options, isOptional)
  const code =
    type.own?.name ?? (type.name === 'Json' ? 'json<unknown>()' : `ParamType.${type.name}`)
  return isOptional ? `ParamType.optional(${code})` : code
}

/**
 * Formats a controller's permitted fields. A field of JSON, an enum, or a type of the application has the type of the model's
 * column, so that its schema applies and its values stand once.
 */
export const permittedDeclarations = (model: Name, fields: readonly Field[]): string =>
  fields
    .map((field) => {
      const { camel } = field.name
      const { name, input, own } = field.type
      const isOfModel =
        own !== undefined || isEnum(field.type) || (name === 'Json' && input !== 'list')
      return `${camel}: ${isOfModel ? `${model.pascal}.columns.${camel}` : typeCode(field)},`
    })
    .join('\n')

export interface Relation {
  /** The relation's name, without the model's name in front. */
  readonly name: string
  /** The name of the exported constant; by default the model's name followed by `name`. */
  readonly constant?: string
  readonly kind: 'belongsTo' | 'hasMany' | 'hasOne' | 'hasManyThrough'
  /** The model itself, the join model of `hasManyThrough`, and the other model. */
  readonly models: readonly Importable[]
  /** The fields of the foreign keys. */
  readonly keys: readonly string[]
}

/** Returns the foreign key of a relation. The key of many records of the own model is the one that refers to the model. */
function relationKey(
  own: QualifiedName,
  { fields, associations }: Attributes,
  { name, kind, model }: Association,
): string {
  if (kind === 'belongsTo') return `${name.camel}Id`
  const key = `${own.name.camel}Id`
  if (model.file !== own.file || fields.some((field) => field.name.camel === key)) return key
  const reference = fields.find(({ references }) => references?.file === own.file)
  if (reference !== undefined) return reference.name.camel
  const up = associations.find((each) => each.kind === 'belongsTo' && each.model.file === own.file)
  return up === undefined ? key : `${up.name.camel}Id`
}

function modelRelations(own: QualifiedName, attributes: Attributes): Relation[] {
  const { fields, associations } = attributes
  const references = fields.flatMap(({ name, references: model }): Association[] =>
    model === undefined ? [] : [{ name: relationName(name.camel), kind: 'belongsTo', model }],
  )
  return [...references, ...associations].map((association) => ({
    name: association.name.pascal,
    kind: association.kind,
    models: [own, association.model],
    keys: [relationKey(own, attributes, association)],
  }))
}

type Reference = Field & Required<Pick<Field, 'references'>>

/** Returns the two references of a join table. @throws FwError `generate.field-invalid` */
function joinedFields(own: Name, fields: readonly Field[]): readonly [Reference, Reference] {
  const [one, other, ...more] = fields.filter(
    (field): field is Reference => field.references !== undefined && !field.isOptional,
  )
  if (one !== undefined && other !== undefined && more.length === 0) return [one, other]
  throw new FwError(
    'generate.field-invalid',
    `With --through the model of ${own.withArticle} joins two others: write fw g model post_tag post:references tag:references --through`,
  )
}

/** Creates a relation over a join table, such as `postTags`. */
const joinRelation = (join: QualifiedName, from: Reference, to: Reference): Relation => ({
  name: '',
  constant: from.references.camel + new Name(pluralize(relationName(to.name.camel).snake)).pascal,
  kind: 'hasManyThrough',
  models: [from.references, join, to.references],
  keys: [from.name.camel, to.name.camel],
})

/** Generates the relations in a separate file, because two models cannot import each other before their definition. */
export function generateRelations(
  model: QualifiedName,
  relations: readonly Relation[],
): GeneratedFile[] {
  if (relations.length === 0) return []
  const { pascal, camel, withArticle } = model.name
  const others = new Map(
    relations.flatMap(({ models }) => models.map((each) => [each.file, importModel(each)])),
  )
  others.delete(model.file)
  const lines = [
    `/** The relations of ${withArticle}, for \`${pascal}.include({ … })\`. */`,
    formatImport(
      relations.map(({ kind }) => kind),
      'fwjs',
    ),
    importModel(model),
    ...others.values(),
    '',
    ...relations.map((relation) => {
      const { name, constant = `${camel}${name}`, kind } = relation
      return formatCall(`export const ${constant} = ${kind}`, relationArguments(relation), 0)
    }),
  ]
  return [{ path: `src/main/model/${model.file}-relations.ts`, text: `${lines.join('\n')}\n` }]
}

function relationArguments({ kind, models, keys }: Relation): string[] {
  const names = models.map(({ pascal }) => pascal)
  return names.toSpliced(kind === 'belongsTo' ? 1 : 2, 0, ...keys.map((key) => `'${key}'`))
}

/** Checks that a relation's model and foreign key exist. @throws FwError `generate.model-missing`, `generate.field-invalid` */
function checkAssociation(
  project: Project,
  own: QualifiedName,
  attributes: Attributes,
  association: Association,
): void {
  const { name, kind, model } = association
  const { fields } = attributes
  const isOwn = model.file === own.file
  const text = project.read(modelPath(model)) ?? ''
  if (text === '' && !isOwn) throw missingModel(model)
  const isBelongsTo = kind === 'belongsTo'
  const key = relationKey(own, attributes, association)
  const exists =
    isBelongsTo || isOwn
      ? fields.some((field) => field.name.camel === key)
      : new RegExp(`\\b${key}\\s*:`).test(text)
  if (exists) return
  throw new FwError(
    'generate.field-invalid',
    `The relation '${name.camel}' is invalid: it needs the field ${key} of the ${isBelongsTo ? own.name.words : model.words}.`,
  )
}

function generateTable(
  project: Project,
  names: ModelNames,
  fields: readonly Field[],
  { joined, scope }: { joined: readonly Field[] | undefined; scope: OwnerScope | undefined },
): GeneratedFile {
  const { table } = names
  const columns = [
    ...columnDefinitions(project, fields, names, scope),
    ...(joined === undefined
      ? []
      : [`unique (${joined.map(({ name }) => name.snake).join(', ')})`]),
    ...ownedKeys(project, fields, { own: names, scope }),
  ]
  const text = fillTemplate('scaffold/migration.sql', {
    table: quoteTable(table),
    columns: columns.map((column) => `${column},`).join('\n'),
    key: scope?.isDistributed === true ? '' : ' primary key',
    indexes: [
      ...createIndexes(table, fields, scope),
      ...createTriggers(table, fields),
      ...distributeTable(project, fields, { own: names, scope }),
    ].join('\n'),
  })
  return generateMigration(project, `create_${table}`, text)
}

/** Returns the fields that a factory sets, which are all fields except optional references. */
const sampledFields = (fields: readonly Field[]): Field[] =>
  fields.filter(({ references, isOptional }) => references === undefined || !isOptional)

export function factoryImports(samples: readonly Field[]): string[] {
  const models = samples.flatMap(({ references }) => references ?? [])
  return [...new Map(models.map((model) => [model.snake, importFactory(model)])).values()]
}

export const parentImports = (fields: readonly Field[]): string[] =>
  factoryImports(sampledFields(fields))

interface FactoryOptions {
  readonly model: QualifiedName
  /** The fields that the factory sets. */
  readonly samples: readonly Field[]
  /** The names of the fields that the database computes, which a caller of the factory cannot set. */
  readonly computed?: readonly string[]
  /** The type of the key that the factory returns; `undefined` if the table has no key of one column. */
  readonly keyType: 'number' | 'string' | 'unknown' | undefined
  /** The owner of the rows. */
  readonly scope?: OwnerScope | undefined
}

/** Generates a factory such as `createMember(fields)`, which inserts a row for tests. */
export function generateFactory({
  model,
  samples,
  computed = [],
  keyType,
  scope,
}: FactoryOptions): GeneratedFile {
  const { pascal, withArticle } = model.name
  const code = samples.map((field) => sampleCode(model, field, scope)).join('\n')
  const isAsync = keyType === undefined || scope !== undefined || code.includes('await ')
  const isCounted = samples.some(({ references, uniqueCode }) => {
    return references === undefined && /\bcount\b/.test(uniqueCode ?? '')
  })
  const imports = present([
    'permitValues',
    code.includes('Temporal.') && 'Temporal',
    code.includes('BigDecimal') && 'type BigDecimal',
  ])
  const object = code === '' ? '{}' : `{\n${code.replaceAll(/^(?=.)/gm, '  ')}\n}`
  const call = `${keyType === undefined ? 'await' : 'return'} ${pascal}${scope === undefined ? '' : '.unscoped'}.createWithPermittedAttributes`
  return fillFile(`src/test/factory/${model.file}.ts`, 'scaffold/factory.ts', {
    words: withArticle,
    imports: [formatImport(imports, 'fwjs'), importModel(model), ...factoryImports(samples)].join(
      '\n',
    ),
    counter: isCounted ? '/** Makes unique values differ. */\nlet count = 10\n' : '',
    increment: [...(isCounted ? ['count += 1'] : []), ...ownerLine(scope)].join('\n'),
    result: keyType === undefined ? '' : ', and returns its key',
    head: formatFactoryHead(pascal, { computed, keyType: keyType ?? 'void', isAsync }),
    samples: `const samples = ${object} satisfies Partial<${pascal}>`,
    create: formatCall(call, ['permitValues({ ...samples, ...fields })'], 2),
  })
}

/** Creates the owner before the other rows, which must have the same owner. */
const ownerLine = (scope: OwnerScope | undefined): string[] =>
  scope === undefined
    ? []
    : [`const ${scope.field} = fields.${scope.field} ?? (await create${scope.model.pascal}())`]

function sampleCode(
  { pascal }: QualifiedName,
  field: Field,
  scope: OwnerScope | undefined,
): string {
  const { name, type, references, uniqueCode, isOwned } = field
  const { camel } = name
  if (camel === scope?.field) return `${camel},`
  if (references !== undefined) {
    const owner = isOwned === true ? `{ ${scope?.field} }` : ''
    return `${camel}: fields.${camel} ?? (await create${references.pascal}(${owner})),`
  }
  const isParsed = type.own !== undefined && type.facet.code === undefined
  const parsed = `${pascal}.columns.${camel}.parse(${quote(type.sample)})!`
  return `${camel}: ${uniqueCode ?? (isParsed ? parsed : type.sampleCode)},`
}

function formatFactoryHead(
  model: string,
  {
    computed,
    keyType,
    isAsync,
  }: { computed: readonly string[]; keyType: string; isAsync: boolean },
): string {
  const head = `export ${isAsync ? 'async ' : ''}function create${model}(`
  const names = computed.map((name) => `'${name}'`).join(' | ')
  const row = names === '' ? model : `Omit<${model}, ${names}>`
  const [parameter, tail] = [`fields: Partial<${row}> = {}`, `): Promise<${keyType}> {`]
  const line = head + parameter + tail
  return line.length <= 100 ? line : `${head}\n  ${parameter},\n${tail}`
}
