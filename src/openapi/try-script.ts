/** The script of the page on which routes are tried; whatever it shows, it sets as text. */
export const tryScript = `
const main = document.querySelector('main')
const token = document.querySelector('meta[name="csrf-token"]').content
const spec = await (await fetch(main.dataset.document)).json()
const base = spec.servers[0].url === '/' ? '' : spec.servers[0].url

function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '')
    else if (value !== undefined && value !== false) element.setAttribute(name, value)
  }
  element.append(...children)
  return element
}

const resolve = (schema = {}) =>
  schema.$ref === undefined ? schema : resolve(spec.components.schemas[schema.$ref.split('/').at(-1)])

function typeText(schema) {
  if (schema?.$ref !== undefined) return schema.$ref.split('/').at(-1)
  const { type, format, items, enum: values } = schema ?? {}
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (type === 'array') return 'list of ' + typeText(items)
  return [[type ?? 'any'].flat().join(' or '), format].filter(Boolean).join(', ')
}

function boundsText(schema) {
  return ['minLength', 'maxLength', 'minimum', 'maximum', 'pattern', 'default']
    .filter((key) => schema[key] !== undefined && Math.abs(schema[key]) !== Number.MAX_SAFE_INTEGER)
    .map((key) => key + ' ' + schema[key])
    .join(', ')
}

const today = new Date().toISOString()
const byFormat = {
  date: today.slice(0, 10),
  'date-time': today.slice(0, 19) + 'Z',
  'date-time-local': today.slice(0, 19),
  'time-local': today.slice(11, 19),
  email: 'ann@example.com',
}

// What a schema holds again of its own kind is left open: it would never end.
function sample(given, around = []) {
  const schema = resolve(given)
  if (around.includes(schema)) return null
  const type = [schema.type].flat()[0]
  if (schema.examples !== undefined) return schema.examples[0]
  if (schema.default !== undefined) return schema.default
  if (schema.enum !== undefined) return schema.enum[0]
  if (type === 'object') {
    const members = Object.entries(schema.properties ?? {})
    return Object.fromEntries(members.map(([key, member]) => [key, sample(member, [...around, schema])]))
  }
  if (type === 'array') return []
  if (type === 'boolean') return false
  if (type === 'integer' || type === 'number') return Math.max(schema.minimum > -1000 ? schema.minimum : 0, 0)
  return byFormat[schema.format] ?? 'text'.padEnd(schema.minLength ?? 0, 't').slice(0, schema.maxLength)
}

const xmlText = (text) => String(text).replace(/[&<>]/g, (found) => '&#' + found.charCodeAt(0) + ';')

function written(type, value) {
  if (type.endsWith('json')) return JSON.stringify(value, undefined, 2)
  const fields = Object.entries(value ?? {}).filter(([, each]) => each !== null)
  if (type.endsWith('xml'))
    return '<record>\\n' + fields.map(([key, each]) => '  <' + key + '>' + xmlText(each) + '</' + key + '>\\n').join('') + '</record>'
  return String(new URLSearchParams(fields)).replaceAll('&', '\\n&')
}

function parameterInput({ name, in: where, required, schema }) {
  const input = make('input', {
    name: where + ' ' + name,
    required,
    placeholder: schema.default === undefined ? undefined : String(schema.default),
  })
  if (where === 'path' && [schema.type].flat().includes('integer')) input.value = '1'
  const about = [where, typeText(schema), boundsText(schema)].filter(Boolean).join('; ')
  return make('label', {}, make('span', {}, make('code', {}, name), required ? ' *' : ''), input, make('small', {}, about))
}

function bodyInputs({ content }) {
  const types = Object.keys(content)
  const type = make('select', { name: 'type', 'aria-label': 'Media type' }, ...types.map((each) => make('option', {}, each)))
  const text = make('textarea', { name: 'body', spellcheck: 'false', 'aria-label': 'Body' })
  const fill = () => (text.value = written(type.value, sample(content[type.value].schema)))
  type.addEventListener('change', fill)
  fill()
  const { properties = {}, required = [] } = resolve(content[types[0]].schema)
  const rows = Object.entries(properties).map(([key, schema]) =>
    make('tr', {}, make('td', {}, make('code', {}, key), required.includes(key) ? ' *' : ''), make('td', {}, typeText(schema)), make('td', {}, boundsText(resolve(schema)))))
  return [make('h3', {}, 'Body'), type, text, make('table', {}, make('tbody', {}, ...rows))]
}

function answersOf({ responses }) {
  const rows = Object.entries(responses).map(([status, { description, content = {} }]) =>
    make('tr', {}, make('th', { scope: 'row' }, status), make('td', {}, description),
      make('td', {}, Object.entries(content).map(([type, { schema }]) => schema === undefined ? type : type + ': ' + typeText(schema)).join('; '))))
  return make('div', { class: 'answers' }, make('h3', {}, 'Answers'), make('table', {}, make('tbody', {}, ...rows)))
}

function acceptInput({ responses }) {
  const told = Object.values(responses).flatMap(({ content = {} }) => Object.keys(content))
  const types = told.filter((type) => !/problem|plain/.test(type))
  if (types.length === 0) types.push('application/json', 'text/html')
  types.sort((a, b) => Number(b === 'application/json') - Number(a === 'application/json'))
  return make('select', { name: 'accept', 'aria-label': 'Accept' }, ...[...new Set(types)].map((type) => make('option', {}, type)))
}

// The boundary of a multipart form stands in its type, which the browser says itself.
function bodyOf(type, text) {
  const isMultipart = type === 'multipart/form-data'
  if (!isMultipart && !type.endsWith('form-urlencoded')) return text
  const fields = text.replace(/\\s*\\n/g, '')
  if (!isMultipart) return fields
  const form = new FormData()
  for (const [name, value] of new URLSearchParams(fields)) form.append(name, value)
  return form
}

async function send(form, method, path, operation, output) {
  const fields = new FormData(form)
  const headers = new Headers({ accept: fields.get('accept') })
  const query = new URLSearchParams()
  let address = base + path
  for (const { name, in: where } of operation.parameters ?? []) {
    const value = fields.get(where + ' ' + name)
    if (where === 'path') address = address.replace('{' + name + '}', encodeURIComponent(value))
    else if (value !== '' && where === 'query') query.append(name, value)
    else if (value !== '') headers.set(name, value)
  }
  if (query.size > 0) address += '?' + query
  if (operation.security !== undefined) headers.set('x-csrf-token', token)
  let body
  if (fields.has('body')) {
    const type = fields.get('type')
    body = bodyOf(type, fields.get('body'))
    if (!(body instanceof FormData)) headers.set('content-type', type)
  }
  const began = performance.now()
  try {
    const response = await fetch(address, { method: method.toUpperCase(), headers, body, redirect: 'manual' })
    const millis = Math.round(performance.now() - began)
    show(output, method.toUpperCase() + ' ' + address, response, millis, await response.text())
  } catch (error) {
    output.replaceChildren(make('p', { class: 'failed' }, String(error)))
  }
}

/** Those that an application gives itself. */
function headersText({ headers }) {
  const told = ['location', 'content-type', 'etag', 'x-total-count'].filter((name) => headers.has(name))
  return ['Headers', ...told.map((name) => name + ' ' + headers.get(name))].join('; ')
}

function show(output, line, response, millis, text) {
  const type = response.headers.get('content-type') ?? ''
  const isRedirect = response.type === 'opaqueredirect'
  let body = text
  if (/json/.test(type)) try { body = JSON.stringify(JSON.parse(text), undefined, 2) } catch {}
  const status = isRedirect ? 'A redirect: browsers do not tell scripts where to.' : response.status + ' ' + response.statusText
  output.replaceChildren(
    make('h3', {}, line),
    make('p', { class: response.status >= 400 ? 'failed' : undefined }, status + ' in ' + millis + ' ms'),
    ...(body === '' ? [] : [make('pre', {}, body)]),
    make('details', {}, make('summary', { class: 'more' }, headersText(response)),
      make('pre', {}, [...response.headers].map(([name, value]) => name + ': ' + value).join('\\n'))),
  )
}

function routeOf(path, method, operation) {
  const { summary = '', description, parameters = [], requestBody, deprecated } = operation
  const output = make('div', { class: 'answers', 'aria-live': 'polite' })
  const details = make('details', { class: deprecated ? 'route old' : 'route', id: operation.operationId },
    make('summary', {}, make('span', { class: 'method' }, method.toUpperCase()), make('span', { class: 'path' }, base + path), make('span', { class: 'about' }, summary)))
  details.addEventListener('toggle', () => {
    if (!details.open || details.children.length > 1) return
    const form = make('form', {},
      ...(description === undefined ? [] : [make('p', {}, description)]),
      ...(parameters.length > 0 ? [make('h3', {}, 'Parameters'), ...parameters.map(parameterInput)] : []),
      ...(requestBody === undefined ? [] : bodyInputs(requestBody)),
      make('div', { class: 'actions' }, make('button', {}, 'Send'), make('span', {}, 'as ', acceptInput(operation)),
        operation.security === undefined ? '' : make('span', { class: 'about' }, 'with the token of your session')))
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void send(form, method, path, operation, output)
    })
    details.append(form, output, answersOf(operation))
  })
  return details
}

const find = make('input', { class: 'find', type: 'search', placeholder: 'Find a route', 'aria-label': 'Find a route' })
main.append(find)
for (const tag of spec.tags) {
  const routes = Object.entries(spec.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag.name))
      .map(([method, operation]) => routeOf(path, method, operation)))
  main.append(make('section', { class: 'group' }, make('h2', {}, tag.name),
    ...(tag.description === undefined ? [] : [make('p', {}, tag.description)]), ...routes))
}
find.addEventListener('input', () => {
  const words = find.value.toLowerCase().split(/\\s+/)
  for (const route of main.querySelectorAll('details.route')) {
    const text = route.firstElementChild.textContent.toLowerCase()
    route.hidden = !words.every((word) => text.includes(word))
  }
  for (const group of main.querySelectorAll('.group'))
    group.hidden = group.querySelector('details.route:not([hidden])') === null
})
if (location.hash !== '') {
  const route = document.getElementById(location.hash.slice(1))
  if (route !== null) { route.open = true; route.scrollIntoView() }
}
`
