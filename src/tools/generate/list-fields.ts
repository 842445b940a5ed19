/** The fields by which a list sorts, filters and searches, and the code that they add to controller, view and tests. */
import { listParameters } from '../../runtime/resource.ts'
import { hasLabels, labelKey } from './enum-labels.ts'
import type { Field } from './field.ts'
import { fillTemplate, type TemplateValues } from './fill-template.ts'
import {
  formatLines,
  formatObject,
  present,
  quote,
  quoteInTemplate,
  textInTemplate,
} from './format-code.ts'
import { isTitled, optionsName } from './relation-parts.ts'

const listParams: ReadonlySet<string> = new Set(listParameters)
const textColumn = /^(?:character varying|varchar|character|char|text|citext)\b/i

const isText = ({ type, sql, references }: Field): boolean =>
  type.isText &&
  references === undefined &&
  (type.input === 'text' || type.input === 'textarea') &&
  textColumn.test(sql) &&
  !sql.endsWith('[]')

const isChoice = (field: Field): boolean =>
  !listParams.has(field.name.camel) &&
  (field.type.input === 'checkbox' || field.type.options !== undefined || isTitled(field))

/** Chooses the fields of a list. Only indexed fields are sortable, so that each page of a large table is fast. */
export function chooseListFields(fields: readonly Field[]) {
  return {
    sort: fields.filter(
      ({ type, isIndexed, uniqueCode }) =>
        (isIndexed === true || uniqueCode !== undefined) && type.isSortable,
    ),
    filter: fields.filter(isChoice),
    search: fields.filter(isText).slice(0, 5),
  }
}

/** Returns the names of the fields in each list that is not empty, as code. */
const listNames = (fields: readonly Field[]): (readonly [list: string, names: string])[] =>
  Object.entries(chooseListFields(fields))
    .filter(([, listed]) => listed.length > 0)
    .map(([list, listed]) => [list, listed.map(({ name }) => `'${name.camel}'`).join(', ')])

export function pageByKeyOption(fields: readonly Field[]): string {
  const members = listNames(fields).map(([list, names]) => `${list}: [${names}]`)
  return `pageByKey: ${formatObject(members, 'pageByKey: '.length)},`
}

/** Returns the search form above a list; empty without searchable or filterable fields. */
export function searchForm(
  fields: readonly Field[],
  values: { readonly m: string; readonly url: string },
): string {
  const { filter, search } = chooseListFields(fields)
  if (filter.length === 0 && search.length === 0) return ''
  const { m } = values
  const text = fillTemplate('scaffold/parts/search-text.html.ssp', values).trimEnd()
  return fillTemplate('scaffold/parts/search.html.ssp', {
    ...values,
    search: search.length === 0 ? '' : text,
    filters: filter.map((field) => filterInput(field, m)).join('\n'),
  }).trimEnd()
}

function filterInput(field: Field, m: string): string {
  const { camel } = field.name
  const option = (value: string, chosen: string, text: string): string =>
    `<option value="${value}" selected="\${list.filter('${camel}') === ${chosen}}">${text}</option>`
  const options = (): string[] => {
    if (isTitled(field)) {
      const { references, target } = field
      const value = `String(each.${target.key})`
      return [
        `#for (each of ${optionsName(references)})`,
        option(`\${${value}}`, value, `\${each.${target.title}}`),
        '#end',
      ]
    }
    const yesOrNo = (key: string): string => `\${s.i18n.get('common.${key}')}`
    return field.type.options === undefined
      ? [option('true', "'true'", yesOrNo('yes')), option('false', "'false'", yesOrNo('no'))]
      : field.type.options.map((value) => {
          const key = quoteInTemplate(labelKey(m, field, value))
          const text = hasLabels(field) ? `\${s.i18n.get(${key})}` : textInTemplate(value)
          return option(textInTemplate(value), quoteInTemplate(value), text)
        })
  }
  return [
    `<label>\${s.i18n.get('${m}.${camel}')}`,
    `<select name="${camel}">`,
    '<option value=""></option>',
    ...options(),
    '</select></label>',
  ].join('\n')
}

/** Returns test queries as code: each sorts, filters or searches the list by one of its fields. */
export function listQueries(fields: readonly Field[]): string {
  const { sort, filter, search } = chooseListFields(fields)
  const queries = [
    ...sort.flatMap(({ name }) => [`{ sort: '${name.camel}' }`, `{ sort: '-${name.camel}' }`]),
    ...filter.map(({ name, type }) => `{ ${name.camel}: ${quote(type.options?.[0] ?? 'true')} }`),
    ...(search.length === 0 ? [] : ["{ q: 'a' }"]),
    '{ size: 2 }',
  ]
  return formatLines(queries).trimEnd()
}

/** Returns the tests of order, filters and search, and the function that filters and search use; empty for lists without them. */
export function listTestValues(fields: readonly Field[], values: TemplateValues): TemplateValues {
  const sorted = listNames(fields).find(([list]) => list === 'sort')
  const tests = [
    sorted === undefined
      ? ''
      : fillTemplate('scaffold/parts/sort.ts', { ...values, listed: sorted[1] }),
    filterTest(fields, values),
    searchTest(fields, values),
  ].filter((test) => test !== '')
  const isCounted = tests.some((test) => test.includes('countFound('))
  return {
    listTests: tests.join('\n'),
    countFound: isCounted ? fillTemplate('scaffold/parts/count-found.ts', values) : '',
  }
}

const expectFound = (query: string, count: number): string =>
  `assert.equal(await countFound({ ${query} }), ${count})`

const readRecord = ({ pathText, Model }: TemplateValues, argument: string): string =>
  `const id = await create${Model}(${argument})\n` +
  `const record = (await visitor.get(\`${pathText}/\${id}.json\`)).json()`

/** Whether a row of the factory has the field's sample. */
const hasSample = ({ inForm, type, uniqueCode }: Field): boolean =>
  inForm !== 'none' && type.sample !== '' && uniqueCode === undefined

/** Generates the test that a filter finds the records with its value, and no others. */
function filterTest(fields: readonly Field[], values: TemplateValues): string {
  const { filter } = chooseListFields(fields)
  const isReference = (field: Field): boolean =>
    isTitled(field) && !field.isOptional && field.inForm !== 'none'
  const isListed = (field: Field): boolean => !isTitled(field) && hasSample(field)
  // The factory creates a record for each required reference, so two rows have different ones.
  const references = filter.filter(isReference).map(({ name }) => {
    return expectFound(`${name.camel}: record.${name.snake}`, 1)
  })
  const rows = references.length === 0 ? 1 : 2
  const choices = filter.filter(isListed).flatMap(({ name: { camel }, type }) => {
    const { sample, options = ['true', 'false'] } = type
    const other = options.find((value) => value !== sample)
    return [
      expectFound(`${camel}: ${quote(sample)}`, rows),
      ...(other === undefined ? [] : [expectFound(`${camel}: ${quote(other)}`, 0)]),
    ]
  })
  if (references.length + choices.length === 0) return ''
  const create = `await create${values['Model']}(${values['owner']})`
  return fillTemplate('scaffold/parts/filter.ts', {
    ...values,
    filterSetup: rows === 1 ? create : `${readRecord(values, values['owner']!)}\n${create}`,
    filterChecks: [...references, ...choices].join('\n'),
  })
}

/** Different words for the searched columns, so that the search finds each only in its column. */
const words = ['alpha', 'bravo', 'charlie', 'delta', 'echo']

const acceptsWord = ({ type, maxLength = 99, sql, inForm, isRestricted }: Field): boolean =>
  type.name === 'String' &&
  type.own === undefined &&
  maxLength >= 10 &&
  isRestricted !== true &&
  inForm !== 'none' &&
  !/^char/i.test(sql.replace(/^character varying/i, ''))

/** Generates the test that the search finds the text of each searched column. */
function searchTest(fields: readonly Field[], values: TemplateValues): string {
  const { search } = chooseListFields(fields)
  const found = search.flatMap((field, index) => {
    const { name, type, uniqueCode } = field
    const word = quote(words[index]!)
    if (acceptsWord(field)) return { code: word, member: `${name.camel}: ${word}` }
    if (hasSample(field)) return { code: quote(type.sample) }
    return uniqueCode === undefined ? [] : { code: `record.${name.snake}` }
  })
  if (found.length === 0) return ''
  const members = [
    ...present([values['ownerMembers'] || undefined]),
    ...present(found.map(({ member }) => member)),
  ]
  const codes = found.map(({ code }) => code)
  const argument = members.length === 0 ? '' : formatObject(members, 24)
  return fillTemplate('scaffold/parts/search.ts', {
    ...values,
    searchSetup: codes.some((code) => code.startsWith('record.'))
      ? readRecord(values, argument)
      : `await create${values['Model']}(${argument})`,
    searchChecks: formatSearches(codes),
  })
}

/** Formats the checks that the search finds each text, with an indent of four columns. */
function formatSearches(codes: readonly string[]): string {
  if (codes.length === 1) return expectFound(`q: ${codes[0]}`, 1)
  const body = 'assert.equal(await countFound({ q }), 1)'
  const head = `for (const q of [${codes.join(', ')}])`
  if (head.length + body.length < 96) return `${head} ${body}`
  return head.length <= 96
    ? `${head}\n  ${body}`
    : `for (const q of [\n${formatLines(codes)}])\n  ${body}`
}
