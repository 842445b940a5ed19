/** The model of an existing table, and the factory that writes rows of it for tests. */
import { callText, capital, factoryHead, importLine, quoted, told } from './code-text.ts'
import type { Draft } from './draft.ts'
import type { Field } from './field.ts'
import { fillTemplate } from './fill-template.ts'
import { reverseRelationsDraft } from './reverse-relations.ts'
import type { ReverseTable, ReverseTables } from './reverse-tables.ts'

const property = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name))

/** `{ primaryKey: 'filmId', columnNames: { … } }`; nothing where nothing is to be said. */
function optionsText({ table, source }: ReverseTable): string[] {
  const { primaryKey, columnNames } = source
  const names = Object.entries(columnNames).map(
    ([field, column]) => `${property(field)}: ${quoted(column)}`,
  )
  const options = [
    ...(table.primaryKey.length === 1 && primaryKey !== 'id'
      ? [`primaryKey: '${primaryKey}'`]
      : []),
    ...(names.length === 0 ? [] : [`columnNames: ${object(names, 14)}`]),
  ]
  return options.length === 0 ? [] : [object(options, 2)]
}

/** On one line where it fits behind `indent` columns. */
function object(entries: readonly string[], indent: number): string {
  const line = `{ ${entries.join(', ')} }`
  if (indent + line.length < 98 && !line.includes('\n')) return line
  return `{\n${entries.map((entry) => `  ${entry.replaceAll('\n', '\n  ')},\n`).join('')}}`
}

function modelDraft(own: ReverseTable): Draft {
  const { table, source, names } = own
  const columns = source.fields.map(({ name, code }) => `  ${property(name)}: ${code},\n`).join('')
  const args = [quoted(table.name), `{\n${columns}}`, ...optionsText(own)]
  const definition =
    args.length === 2
      ? `model(${args.join(', ')})`
      : `model(\n${args.map((arg) => `  ${arg.replaceAll('\n', '\n  ')},\n`).join('')})`
  const used = ['defaulted', 'json'].filter(
    (name) => columns.includes(`${name}(`) || columns.includes(`${name}<`),
  )
  const { name, file } = names.resource
  return {
    path: `src/main/model/${file}.ts`,
    text: fillTemplate('scaffold/reverse-model.ts', {
      title: capital(name.one),
      table: told(table.name),
      imports: importLine(['model', 'ParamType', 'type RowOf', ...used], 'fwjs'),
      Model: name.upper,
      definition,
    }),
  }
}

/** What a factory gives by itself: an optional row of another table is left out, and what the database fills. */
function sampled({ inForm, references, isOptional, type, distinct }: Field): boolean {
  if (inForm === 'none' || (type.sample === '' && distinct === undefined)) return false
  return references === undefined || !isOptional
}

function sampleOf({ name, type, references, distinct }: Field): string {
  if (references !== undefined)
    return `${name.camel}: fields.${name.camel} ?? (await create${references.upper}()),`
  return `${name.camel}: ${distinct ?? type.sampleCode},`
}

/** The imports of the factories of rows that a new one needs, its own left out. */
export function parentFactories({ fields }: ReverseTable): readonly string[] {
  const parents = new Map(
    fields
      .filter((field) => field.references !== undefined && sampled(field))
      .map(({ references }) => [references!.snake, references!]),
  )
  return [...parents.values()].map(
    (name) => `import { create${name.upper} } from '#test/factory/${name.kebab}'`,
  )
}

function factoryDraft(own: ReverseTable): Draft {
  const { source, names, fields, key } = own
  const { name, file } = names.resource
  const used = fields.filter(sampled)
  const samples = used.map(sampleOf)
  const code = samples.join(' ')
  const imported = ['permitValues']
  if (code.includes('Temporal.')) imported.push('Temporal')
  if (code.includes('BigDecimal')) imported.push('type BigDecimal')
  const keys = source.fields
    .filter((field) => !field.isGenerated)
    .map((field) => quoted(field.name))
  const permit = callText('permitValues', ['values', ...keys], 5)
  const isCounted = /\bmade\b/.test(code)
  const hasKey = own.table.primaryKey.length === 1
  const create = `${hasKey ? 'return' : 'await'} ${name.upper}.createWithPermittedAttributes`
  const isAsync = !hasKey || code.includes('await ')
  return {
    path: `src/test/factory/${file}.ts`,
    text: fillTemplate('scaffold/factory.ts', {
      words: name.one,
      imports: [
        importLine(imported, 'fwjs'),
        `import { ${name.upper} } from '#model/${file}'`,
        ...parentFactories(own),
      ].join('\n'),
      Model: name.upper,
      counter: isCounted
        ? '/** How many there are, so that no two are alike. */\nlet made = 10\n'
        : '',
      count: isCounted ? 'made += 1' : '',
      gives: hasKey ? 'The id of a new row' : 'Adds a row',
      head: factoryHead(name.upper, hasKey ? (key?.type ?? 'unknown') : 'void', isAsync),
      samples: samples.join('\n'),
      create: callText(create, [permit], 2),
    }),
  }
}

/** Model, relations, and a factory where one can be. */
export function reverseModelDrafts(
  own: ReverseTable,
  tables: ReverseTables,
  known: ReadonlySet<string>,
): readonly Draft[] {
  return [
    modelDraft(own),
    ...reverseRelationsDraft(own, tables, known),
    ...(own.unsampled === undefined ? [factoryDraft(own)] : []),
  ]
}
