/** Generates the five views of a resource, and the partial of a form field, which all forms share. */
import { attachmentName, isAttachment } from './attachments.ts'
import { hasLabels, labelKey } from './enum-labels.ts'
import { findTitleField, hasLimit, type Field } from './field.ts'
import { fillFile, fillTemplate, sharedFile } from './fill-template.ts'
import { formatMembers, quote, quoteInTemplate } from './format-code.ts'
import type { Resource } from './generate-resource-controller.ts'
import { chooseListFields, searchForm } from './list-fields.ts'
import type { GeneratedFile } from './project.ts'
import { messageKey, type ParentNames, type ResourceNames } from './resource-names.ts'
import {
  importType,
  isSearched,
  isTitled,
  memberName,
  optionsName,
  optionValues,
  recordType,
  titledModels,
  typeImports,
  type TitledField,
} from './relation-parts.ts'

const folder = 'src/main/webapp/WEB-INF/views'
const sharedField = `${folder}/shared/_field.html.ssp`
const views = ['_form', 'new', 'edit', 'index', 'show'] as const

/** Generates the views. Those of a read-only resource are the list, and with a key the page of a record. */
export function generateViews(shown: Resource): GeneratedFile[] {
  const { names, fields, key, kind } = shown
  const isReadOnly = kind === 'reads'
  const { resources, resource } = names
  const { parent } = resources
  const messages = messageKey(names)
  const title = findTitleField(fields)
  const hasNewOnlyFields = fields.some(({ inForm }) => inForm === 'create')
  const keyField = key?.field ?? ''
  const links = {
    m: messages,
    key: resources.camel,
    itemParams: pathParams(parent, `id: item.${keyField}`),
  }
  const button = (route: string, params: string, text: string): string =>
    isReadOnly
      ? ''
      : `<a class="button" href="\${s.url(routes.${resources.camel}.${route}${params})}">\${s.i18n.get('${text}')}</a>`
  const values = {
    ...links,
    addLink: button('newUrl', pathParams(parent), `${messages}.view.add`),
    changeLink: button('editUrl', links.itemParams, 'common.edit'),
    deleteForm: isReadOnly ? '' : fillTemplate('scaffold/parts/delete.html.ssp', links).trimEnd(),
    Model: resource.name.pascal,
    modelFile: resource.file,
    crumbs: crumbs(names),
    editCrumbs: crumbs(
      names,
      `<a href="\${s.url(routes.${resources.camel}.showUrl${links.itemParams})}">${isolate(`item.${title?.name.camel ?? keyField}`)}</a>\n`,
    ),
    record: recordType(resource, fields),
    relationImports: typeImports(resource, fields),
    // Only for `_form` and `new`: the other views import the model for `item`, and must not import it again.
    ownImport: fields.some(({ references }) => references?.file === resource.file)
      ? importType(resource)
      : '',
    optionValues: optionValues(fields),
    passedOptions: titledModels(fields)
      .map(({ references: model }) => `, ${optionsName(model)}`)
      .join(''),
    heading:
      title === undefined
        ? `\`\${s.i18n.get('${messages}.view.detail')} \${item.${keyField}}\``
        : `item.${title.name.camel}`,
    listParams: pathParams(parent),
    listParamsOrNone: parent === undefined ? ', {}' : pathParams(parent),
    parentImport: parent === undefined ? '' : importType(parent.resource),
    parentValue: parent === undefined ? '' : `<%@val parent: ${parent.resource.name.pascal} %>`,
    parentLink:
      parent?.hasPages === true
        ? `<p>\${s.i18n.get('${messages}.view.parent')}: ${parentLink(parent)}</p>`
        : '',
    ...listColumns(shown),
    searchForm: searchForm(fields, {
      m: messages,
      url: `\${s.url(routes.${resources.camel}.indexUrl${pathParams(parent)})}`,
    }),
    details: fields
      .map((field) => `<dt>${label(messages, field)}</dt><dd>${formatValue(field, messages)}</dd>`)
      .join('\n'),
    fields: fields
      .filter(({ inForm }) => inForm !== 'none')
      .map((field) => formatInput(field, messages, isTitled(field) && isSearched(field, fields)))
      .join('\n'),
    encoding: fields.some(isAttachment) ? ' enctype="multipart/form-data"' : '',
    isNew: hasNewOnlyFields ? '<%@val isNew: boolean = false %>' : '',
    newValue: hasNewOnlyFields ? ', isNew: true' : '',
  }
  const written = isReadOnly ? (key === undefined ? ['index'] : ['index', 'show']) : views
  return [
    ...written.map((view) =>
      fillFile(
        `${folder}${resources.path}/${view}.html.ssp`,
        `scaffold/views/${view}.html.ssp`,
        values,
      ),
    ),
    ...(isReadOnly ? [] : [sharedFile(sharedField, `application/${sharedField}`)]),
  ]
}

const label = (messages: string, { name }: Field): string =>
  `\${s.i18n.get('${messages}.${name.camel}')}`

/** Whether a column is a quantity, which pages format and align to the right. Keys and years are not quantities. */
const isNumber = ({ type, name, references }: Field): boolean =>
  type.facet.display === 'number' &&
  type.input === 'text' &&
  references === undefined &&
  !/(?:^|_)(?:year|id|no|number|code)$/.test(name.snake)

/** Whether the field's text may have several lines. */
const isLongText = ({ type, sql, maxLength = 0 }: Field): boolean =>
  type.name === 'String' && type.input === 'text' && (/^text$/i.test(sql) || maxLength > 512)

function formatValue(field: Field, messages: string, isInList = false): string {
  const value = `item.${field.name.camel}`
  const { input, facet } = field.type
  const { display } = facet
  const access = field.isOptional ? '?.' : '.'
  if (display === 'json') return `<code>\${JSON.stringify(${value})}</code>`
  if (display === 'size') return `\${${value}${access}length}`
  if (input === 'list') return formatText(`${value}${access}join(', ')`)
  if (hasLabels(field)) return formatLabel(messages, field)
  if (isTitled(field)) return formatTitle(field)
  if (isAttachment(field)) return formatAttachment(field, isInList)
  if (field.linksTo !== undefined) return formatLink(field, value, field.linksTo)
  if (display === 'date' || display === 'instant') return formatDate(field, value)
  if (input === 'url' || input === 'email') return formatAddress(field, value)
  const orEmpty = field.isOptional ? `${value} === undefined ? '' : ` : ''
  if (isNumber(field)) return `\${${orEmpty}s.i18n.formatNumber(${value})}`
  if (field.type.own !== undefined) return `\${${orEmpty}String(${value})}`
  if (display !== 'boolean')
    return field.type.name === 'String' ? formatText(value) : `\${${value}}`
  return `\${${orEmpty}${value} ? s.i18n.get('common.yes') : s.i18n.get('common.no')}`
}

/** Returns the markup of a text, which has its own direction: a Latin text may be on a page from right to left. */
const isolate = (value: string): string => `<bdi>\${${value}}</bdi>`

/** Like `isolate`, but empty for an empty text, for which style sheets show a dash. */
const formatText = (value: string): string => `#if (${value})${isolate(value)}#end`

/** Returns the label of an enum's value. Its key does not compile if a value has no label. */
function formatLabel(messages: string, field: Field): string {
  const value = `item.${field.name.camel}`
  const text = `\${s.i18n.get(\`${labelKey(messages, field, `\${${value}}`)}\`)}`
  return field.isOptional ? `#if (${value})${text}#end` : text
}

/** Returns the markup of a date in the page's language. Instants are displayed in the page's time zone, as in forms. */
function formatDate({ isOptional }: Field, value: string): string {
  const time = `<time datetime="\${${value}}">\${s.i18n.formatDate(${value})}</time>`
  return isOptional ? `#if (${value})${time}#end` : time
}

/** Returns the markup of the referenced record's title, linked to the record's page if it has one. */
function formatTitle(field: TitledField): string {
  const record = `item.${memberName(field)}`
  const { target, linksTo } = field
  if (linksTo === undefined) return formatText(`${record}?.${target.title}`)
  const url = `s.url(routes.${linksTo}.showUrl, { id: ${record}.${target.key} })`
  return `#if (${record})<a href="\${${url}}">${isolate(`${record}.${target.title}`)}</a>#end`
}

/** Returns a preview of an attachment with a link to the file. In a list, its name is only the alternative text. */
function formatAttachment(field: Field, isInList: boolean): string {
  const record = `item.${attachmentName(field)}`
  const url = (route: string) => `\${s.url(routes.attachments.${route}, { id: ${record}.id })}`
  const image = (alt: string): string =>
    `<img src="${url('previewUrl')}" alt="${alt}" loading="lazy">`
  const content = isInList ? image(`\${${record}.name}`) : image('') + isolate(`${record}.name`)
  return `#if (${record})<a href="${url('showUrl')}">${content}</a>#end`
}

function formatAddress({ type, isOptional }: Field, value: string): string {
  const link = `<a href="${type.input === 'email' ? 'mailto:' : ''}\${${value}}">${isolate(value)}</a>`
  return isOptional ? `#if (${value})${link}#end` : link
}

function formatLink({ isOptional }: Field, value: string, routes: string): string {
  const link = `<a href="\${s.url(routes.${routes}.showUrl, { id: ${value} })}">\${${value}}</a>`
  return isOptional ? `#if (${value} !== undefined)${link}#end` : link
}

function formatInput(field: Field, messages: string, hasSearch: boolean): string {
  const { type, name, isOptional, maxLength } = field
  const include = (partial: string, values: Parameters<typeof formatMembers>[0]): string =>
    `<%@include '/shared/${partial}' { ${formatMembers(values).join(', ')} } %>`
  const label = `s.i18n.get('${messages}.${name.camel}')`
  const optional = isOptional && `s.i18n.get('common.optional')`
  if (isAttachment(field)) {
    const remove = isOptional && `s.i18n.get('common.removeFile')`
    return include('_attachment', { name: `'${attachmentName(field)}'`, label, optional, remove })
  }
  // A checkbox has no state for NULL.
  const isChoice = isTitled(field) || (type.input === 'checkbox' && isOptional)
  const input = isChoice ? 'select' : isLongText(field) ? 'textarea' : type.input
  const hasMaximum = maxLength !== undefined && /^(?:text|textarea|url|email)$/.test(input)
  const partial = include('_field', {
    name: `'${name.camel}'`,
    label,
    type: input !== 'text' && `'${input}'`,
    zone: type.facet.display === 'instant' && 's.i18n.timeZoneName',
    options: formatOptions(field, messages),
    inputmode: input === 'text' && type.inputmode && `'${type.inputmode}'`,
    number: isNumber(field) && 'true',
    maxlength: hasMaximum && String(maxLength),
    search: hasSearch && `s.i18n.get('common.search')`,
    optional: input !== 'checkbox' && optional,
    limit: hasLimit(field) && `s.i18n.get('common.limit', ${maxLength})`,
  })
  return field.inForm === 'create' ? `#if (isNew)\n${partial}\n#end` : partial
}

/** Returns the options of a select as code; `undefined` for another input. */
function formatOptions(field: Field, messages: string): string | undefined {
  const { type, isOptional } = field
  if (isTitled(field)) {
    const { references, target } = field
    return `${optionsName(references)}.map((each) => [String(each.${target.key}), each.${target.title}] as const)`
  }
  if (type.input === 'checkbox' && isOptional) {
    const answer = (value: boolean, key: string) =>
      `['${value}', s.i18n.get('common.${key}')] as const`
    return `[${answer(true, 'yes')}, ${answer(false, 'no')}]`
  }
  const label = (value: string): string =>
    `[${quoteInTemplate(value)}, s.i18n.get(${quoteInTemplate(labelKey(messages, field, value))})] as const`
  const option = hasLabels(field) ? label : quoteInTemplate
  return type.options && `[${type.options.map(option).join(', ')}]`
}

/** Returns the breadcrumb navigation: links to the parent, to the list, and to the record that a form edits. */
function crumbs(names: ResourceNames, record = ''): string {
  const { parent, camel } = names.resources
  const list = `\${s.i18n.get('${messageKey(names)}.view.list')}`
  const link = `<a href="\${s.url(routes.${camel}.indexUrl${pathParams(parent)})}">${list}</a>`
  const above = parent?.hasPages === true ? `${parentLink(parent)}\n` : ''
  return `<nav class="crumbs" aria-label="\${s.i18n.get('common.path')}">\n${above}${link}\n${record}</nav>`
}

function parentLink({ resources, key, title }: ParentNames): string {
  const url = `s.url(routes.${resources.camel}.showUrl, { id: parent.${key.field} })`
  return `<a href="\${${url}}">${isolate(`parent.${title ?? key.field}`)}</a>`
}

/** Returns the path parameters of a route as code: `, { companyId: parent.id, id: item.id }`. Empty if the route has none. */
function pathParams(parent: ParentNames | undefined, ...own: readonly string[]): string {
  const ofParent = parent === undefined ? [] : [`${parent.param}: parent.${parent.key.field}`]
  const params = [...ofParent, ...own]
  return params.length === 0 ? '' : `, { ${params.join(', ')} }`
}

/** The maximum number of columns in a list, in addition to the title. */
const maxColumns = 6

/** Returns the headings and cells of the list. The first cell links to the record. */
function listColumns({ names, fields, key, kind }: Resource) {
  const messages = messageKey(names)
  const title =
    key && (findTitleField(fields) ?? fields.find(({ name }) => name.camel === key.field))
  const params = pathParams(names.resources.parent, `id: item.${key?.field}`)
  const url = `s.url(routes.${names.resources.camel}.showUrl${params})`
  const others = fields
    .filter((field) => {
      const { facet, input } = field.type
      return (
        field !== title && facet.display !== 'size' && input !== 'textarea' && !isLongText(field)
      )
    })
    .slice(0, maxColumns)
  const { sort } = chooseListFields(fields)
  const indexUrl = `routes.${names.resources.camel}.indexUrl${pathParams(names.resources.parent) || ', {}'}`
  const column = (field: Field | undefined, text: string, cell: string): Column => {
    const align = field !== undefined && isNumber(field) ? ' class="number"' : ''
    const kind = field !== undefined && hasLabels(field) ? ' class="label"' : align
    const data = `<td data-label="${text}"${kind}>${cell}</td>`
    if (field === undefined || !sort.includes(field))
      return { heading: `<th scope="col"${align}>${text}</th>`, cell: data }
    const name = quote(field.name.camel)
    const link = `<a href="\${s.url(${indexUrl}, list.sortBy(${name}))}">${text}</a>`
    const order = `aria-sort="\${list.sortOf(${name})}"`
    return { heading: `<th scope="col"${align} ${order}>${link}</th>`, cell: data }
  }
  const columns = others.map((field) =>
    column(field, label(messages, field), formatValue(field, messages, true)),
  )
  if (key !== undefined) {
    const text = title === undefined ? `\${s.i18n.get('${messages}.id')}` : label(messages, title)
    const name = title?.name.camel ?? key.field
    columns.unshift(column(title, text, `<a href="\${${url}}">${isolate(`item.${name}`)}</a>`))
    if (kind !== 'reads') columns.push(rowActions(names, { url, params, name }))
  }
  return {
    headings: columns.map(({ heading }) => heading).join('\n'),
    cells: columns.map(({ cell }) => cell).join('\n'),
  }
}

interface Column {
  readonly heading: string
  readonly cell: string
}

/** Returns the last column of a list, with links to edit and to delete the record. */
function rowActions(
  names: ResourceNames,
  { url, params, name }: { readonly url: string; readonly params: string; readonly name: string },
): Column {
  const hidden = `<span class="visually-hidden"> \${item.${name}}</span>`
  const text = (key: string): string => `\${s.i18n.get('common.${key}')}`
  const editUrl = `s.url(routes.${names.resources.camel}.editUrl${params})`
  return {
    heading: `<th scope="col"><span class="visually-hidden">${text('actions')}</span></th>`,
    cell: `<td class="links">\n<a href="\${${editUrl}}">${text('edit')}${hidden}</a>\n<a class="danger" href="\${${url}}#delete">${text('delete')}${hidden}</a>\n</td>`,
  }
}
