/** The five views of a scaffold, and the partial of one field that all forms share. */
import { quoted } from './code-text.ts'
import type { Draft } from './draft.ts'
import type { Field } from './field.ts'
import { fieldTypes } from './field-type.ts'
import { fillTemplate } from './fill-template.ts'
import { plainKey, type ResourceKey } from './resource-key.ts'
import { textsOf, type ParentNames, type ResourceNames } from './resource-names.ts'

const folder = 'src/main/webapp/WEB-INF/views'
const shared = 'src/main/webapp/WEB-INF/views/shared/_field.html.ssp'
const views = ['_form', 'new', 'edit', 'index', 'show'] as const

const calledTitle: ReadonlySet<string> = new Set(['name', 'title', 'label'])

/** The field by which a person knows a record; absent where no text is required. */
export function titleField(fields: readonly Field[]): Field | undefined {
  const texts = fields.filter(
    ({ type, isOptional, references }) =>
      type.name === 'String' && type.input === 'text' && !isOptional && references === undefined,
  )
  return texts.find(({ name }) => calledTitle.has(name.camel)) ?? texts[0]
}

/** Beside the first one: a list is read across, the page of a record shows every field. */
const mostColumns = 5

const dates: ReadonlySet<string> = new Set(['LocalDate', 'LocalTime', 'LocalDateTime', 'DateTime'])

/** Too long for a list. */
const isLong = ({ type }: Field): boolean => type.name === 'ByteArray' || type.input === 'textarea'

/** What prints a field: an expression of a template, or markup around it. */
function shown(field: Field, messages: string): string {
  const value = `item.${field.name.camel}`
  const { name } = field.type
  if (field.type.input === 'list') return `\${${value}${field.isOptional ? '?' : ''}.join(', ')}`
  if (name === 'Json') return `<code>\${JSON.stringify(${value})}</code>`
  if (field.linksTo !== undefined) return linkTo(field, value, field.linksTo)
  if (name === 'ByteArray') return `\${${value}${field.isOptional ? '?' : ''}.length}`
  if (dates.has(name)) return `<time>\${${value}}</time>`
  if (name !== 'Boolean') return `\${${value}}`
  const yesOrNo = `${value} ? s.i18n.get('${messages}.view.yes') : s.i18n.get('${messages}.view.no')`
  return field.isOptional ? `\${${value} === undefined ? '' : ${yesOrNo}}` : `\${${yesOrNo}}`
}

function linkTo({ isOptional }: Field, value: string, routes: string): string {
  const link = `<a href="\${s.url(routes.${routes}.showUrl, { id: ${value} })}">\${${value}}</a>`
  return isOptional ? `#if (${value} !== undefined)${link}#end` : link
}

function input(field: Field, messages: string): string {
  const { type, name, sql } = field
  const values = [`name: '${name.camel}'`, `label: s.i18n.get('${messages}.${name.camel}')`]
  const isArea = type.name === 'String' && type === fieldTypes.get('String') && /^text$/i.test(sql)
  if (isArea) values.push("type: 'textarea'")
  else if (type.input !== 'text') values.push(`type: '${type.input}'`)
  if (type.options !== undefined) values.push(`options: [${type.options.map(quoted).join(', ')}]`)
  if (type.inputmode !== undefined && type.input === 'text')
    values.push(`inputmode: '${type.inputmode}'`)
  if (field.isOptional && type.input !== 'checkbox')
    values.push(`optional: s.i18n.get('${messages}.view.optional')`)
  const include = `<%@include '/shared/_field' { ${values.join(', ')} } %>`
  return field.inForm === 'create' ? `#if (isNew)\n${include}\n#end` : include
}

/** `, { companyId: parent.id, id: item.id }`: what a path of the resource asks for; nothing where it asks for nothing. */
function pathParams(parent: ParentNames | undefined, ...own: readonly string[]): string {
  const inside = parent === undefined ? [] : [`${parent.param}: parent.${parent.key.field}`]
  const params = [...inside, ...own]
  return params.length === 0 ? '' : `, { ${params.join(', ')} }`
}

/** What views inside another resource declare, and the link that leads back to it. */
function parentValues(parent: ParentNames | undefined, messages: string) {
  if (parent === undefined) return { parentImport: '', parentValue: '', parentLink: '' }
  const { resources, resource, key, title, hasPages } = parent
  const { upper } = resource.name
  const url = `s.url(routes.${resources.camel}.showUrl, { id: parent.${key.field} })`
  const link = `<a href="\${${url}}">\${parent.${title ?? key.field}}</a>`
  return {
    parentImport: `<%@import type { ${upper} } from '#model/${resource.file}' %>`,
    parentValue: `<%@val parent: ${upper} %>`,
    parentLink: hasPages ? `<p>\${s.i18n.get('${messages}.view.parent')}: ${link}</p>` : '',
  }
}

/** The cells of the list; the first one links to the record. */
function columns(names: ResourceNames, fields: readonly Field[], key: ResourceKey) {
  const messages = textsOf(names)
  const title = titleField(fields)
  const params = pathParams(names.resources.parent, `id: item.${key.field}`)
  const route = `s.url(routes.${names.resources.camel}.showUrl${params})`
  const link = (text: string) => `<a href="\${${route}}">${text}</a>`
  const label = (key: string) => `\${s.i18n.get('${messages}.${key}')}`
  const others = fields.filter((field) => field !== title && !isLong(field)).slice(0, mostColumns)
  const first =
    title === undefined
      ? { key: 'id', cell: link(`\${item.${key.field}}`) }
      : { key: title.name.camel, cell: link(`\${item.${title.name.camel}}`) }
  const all = [
    first,
    ...others.map((field) => ({ key: field.name.camel, cell: shown(field, messages) })),
  ]
  return {
    headings: all.map(({ key }) => `<th scope="col">${label(key)}</th>`).join('\n'),
    cells: all.map(({ key, cell }) => `<td data-label="${label(key)}">${cell}</td>`).join('\n'),
  }
}

/** Each view of the resource, then the shared partial where there is none. */
export function viewDrafts(
  names: ResourceNames,
  fields: readonly Field[],
  key: ResourceKey = plainKey,
): Draft[] {
  const { resources, resource } = names
  const messages = textsOf(names)
  const { parent } = resources
  const title = titleField(fields)
  const isForked = fields.some(({ inForm }) => inForm === 'create')
  const detail = (field: Field) =>
    `<dt>\${s.i18n.get('${messages}.${field.name.camel}')}</dt><dd>${shown(field, messages)}</dd>`
  const values = {
    m: messages,
    key: resources.camel,
    Model: resource.name.upper,
    modelFile: resource.file,
    heading:
      title === undefined
        ? `\`\${s.i18n.get('${messages}.view.detail')} \${item.${key.field}}\``
        : `item.${title.name.camel}`,
    listParams: pathParams(parent),
    listParamsOrNone: parent === undefined ? ', {}' : pathParams(parent),
    itemParams: pathParams(parent, `id: item.${key.field}`),
    ...parentValues(parent, messages),
    ...columns(names, fields, key),
    details: fields.map(detail).join('\n'),
    fields: fields
      .filter(({ inForm }) => inForm !== 'none')
      .map((field) => input(field, messages))
      .join('\n'),
    isNew: isForked ? '<%@val isNew: boolean = false %>' : '',
    newValue: isForked ? ', isNew: true' : '',
  }
  const drafts = views.map((view): Draft => ({
    path: `${folder}${resources.path}/${view}.html.ssp`,
    text: fillTemplate(`scaffold/views/${view}.html.ssp`, values),
  }))
  const partial = fillTemplate(`application/${shared}`, {})
  return [...drafts, { path: shared, text: partial, kind: 'shared' }]
}
