/** The five views of a scaffold, and the partial of one field that all forms share. */
import type { Draft } from './draft.ts'
import type { Field } from './field.ts'
import { fillTemplate } from './fill-template.ts'
import type { ResourceNames } from './resource-names.ts'

const folder = 'src/main/webapp/WEB-INF/views'
const shared = 'src/main/webapp/WEB-INF/views/shared/_field.html.ssp'
const views = ['_form', 'new', 'edit', 'index', 'show'] as const

/** The field by which a person knows a record; absent where no text is required. */
export const titleField = (fields: readonly Field[]): Field | undefined =>
  fields.find(({ type, isOptional }) => type.name === 'String' && !isOptional)

/** Beside the first one: a list is read across, the page of a record shows every field. */
const mostColumns = 5

const dates: ReadonlySet<string> = new Set(['LocalDate', 'LocalTime', 'LocalDateTime', 'DateTime'])

/** What prints a field: an expression of a template, or markup around it. */
function shown(field: Field, messages: string): string {
  const value = `item.${field.name.camel}`
  const { name } = field.type
  if (name === 'ByteArray') return `\${${value}${field.isOptional ? '?' : ''}.length}`
  if (dates.has(name)) return `<time>\${${value}}</time>`
  if (name !== 'Boolean') return `\${${value}}`
  const yesOrNo = `${value} ? s.i18n.get('${messages}.view.yes') : s.i18n.get('${messages}.view.no')`
  return field.isOptional ? `\${${value} === undefined ? '' : ${yesOrNo}}` : `\${${yesOrNo}}`
}

function input(field: Field, messages: string): string {
  const { type, name, sql } = field
  const values = [`name: '${name.camel}'`, `label: s.i18n.get('${messages}.${name.camel}')`]
  const isLong = type.name === 'String' && /^text$/i.test(sql)
  if (isLong) values.push("type: 'textarea'")
  else if (type.input !== 'text') values.push(`type: '${type.input}'`)
  if (type.inputmode !== undefined) values.push(`inputmode: '${type.inputmode}'`)
  if (field.isOptional && type.input !== 'checkbox')
    values.push(`optional: s.i18n.get('${messages}.view.optional')`)
  return `<%@include '/shared/_field' { ${values.join(', ')} } %>`
}

/** The cells of the list; the first one links to the record. */
function columns(names: ResourceNames, fields: readonly Field[]) {
  const messages = names.resource.camel
  const title = titleField(fields)
  const route = `s.url(routes.${names.resources.camel}.showUrl, { id: item.id })`
  const link = (text: string) => `<a href="\${${route}}">${text}</a>`
  const label = (key: string) => `\${s.i18n.get('${messages}.${key}')}`
  const others = fields.filter((field) => field !== title).slice(0, mostColumns)
  const first =
    title === undefined
      ? { key: 'id', cell: link('${item.id}') }
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
export function viewDrafts(names: ResourceNames, fields: readonly Field[]): Draft[] {
  const { resources, resource } = names
  const messages = resource.camel
  const title = titleField(fields)
  const detail = (field: Field) =>
    `<dt>\${s.i18n.get('${messages}.${field.name.camel}')}</dt><dd>${shown(field, messages)}</dd>`
  const values = {
    m: messages,
    key: resources.camel,
    Model: resource.name.upper,
    modelFile: resource.file,
    heading:
      title === undefined
        ? `\`\${s.i18n.get('${messages}.view.detail')} \${item.id}\``
        : `item.${title.name.camel}`,
    ...columns(names, fields),
    details: fields.map(detail).join('\n'),
    fields: fields.map((field) => input(field, messages)).join('\n'),
  }
  const drafts = views.map((view): Draft => ({
    path: `${folder}${resources.path}/${view}.html.ssp`,
    text: fillTemplate(`scaffold/views/${view}.html.ssp`, values),
  }))
  const partial = fillTemplate(`application/${shared}`, {})
  return [...drafts, { path: shared, text: partial, kind: 'shared' }]
}
