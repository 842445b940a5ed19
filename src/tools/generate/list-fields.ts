/** The fields by which a list sorts, filters and searches, and the code that they add to controller, view and tests. */
import { listParameters } from '../../runtime/resource.ts'
import { hasLabels, labelKey } from './enum-labels.ts'
import type { Field } from './field.ts'
import { fillTemplate, type TemplateValues } from './fill-template.ts'
import { formatLines, formatObject, quote, quoteInTemplate, textInTemplate } from './format-code.ts'
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

/** Generates the tests of order, filters and search; empty if the list has none of them. */
export const listTests = (fields: readonly Field[], values: TemplateValues): string =>
  listNames(fields)
    .map(([list, listed]) => fillTemplate(`scaffold/parts/${list}.ts`, { ...values, listed }))
    .join('\n')
