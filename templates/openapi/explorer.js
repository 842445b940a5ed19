/** The script of the page `/openapi`: lists the routes of the document and sends requests to them. */
const main = document.querySelector('main')
const token = document.querySelector('meta[name="csrf-token"]').content
const spec = await (await fetch(main.dataset.document)).json()
const base = spec.servers[0].url === '/' ? '' : spec.servers[0].url

function element(tag, attributes = {}, ...children) {
  const created = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) created.setAttribute(name, '')
    else if (value !== undefined && value !== false) created.setAttribute(name, value)
  }
  created.append(...children)
  return created
}

const resolve = (schema = {}) =>
  schema.$ref === undefined
    ? schema
    : resolve(spec.components.schemas[schema.$ref.split('/').at(-1)])

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

// A schema inside itself is null: its sample would be endless.
function sample(reference, ancestors = []) {
  const schema = resolve(reference)
  if (ancestors.includes(schema)) return null
  const type = [schema.type].flat()[0]
  if (schema.examples !== undefined) return schema.examples[0]
  if (schema.default !== undefined) return schema.default
  if (schema.enum !== undefined) return schema.enum[0]
  if (type === 'object') {
    const members = Object.entries(schema.properties ?? {})
    return Object.fromEntries(
      members.map(([key, member]) => [key, sample(member, [...ancestors, schema])]),
    )
  }
  if (type === 'array') return []
  if (type === 'boolean') return false
  if (type === 'integer' || type === 'number')
    return Math.max(schema.minimum > -1000 ? schema.minimum : 0, 0)
  return (
    byFormat[schema.format] ?? 'text'.padEnd(schema.minLength ?? 0, 't').slice(0, schema.maxLength)
  )
}

const xmlText = (text) =>
  String(text).replace(/[&<>]/g, (found) => '&#' + found.charCodeAt(0) + ';')

function formatBody(type, value) {
  if (type.endsWith('json')) return JSON.stringify(value, undefined, 2)
  const fields = Object.entries(value ?? {}).filter(([, each]) => each !== null)
  if (type.endsWith('xml'))
    return (
      '<record>\n' +
      fields.map(([key, each]) => '  <' + key + '>' + xmlText(each) + '</' + key + '>\n').join('') +
      '</record>'
    )
  return String(new URLSearchParams(fields)).replaceAll('&', '\n&')
}

function renderParameter({ name, in: where, required, schema }) {
  const input = element('input', {
    name: where + ' ' + name,
    required,
    placeholder: schema.default === undefined ? undefined : String(schema.default),
  })
  if (where === 'path' && [schema.type].flat().includes('integer')) input.value = '1'
  const about = [where, typeText(schema), boundsText(schema)].filter(Boolean).join('; ')
  return element(
    'label',
    {},
    element('span', {}, element('code', {}, name), required ? ' *' : ''),
    input,
    element('small', {}, about),
  )
}

function renderBody({ content }) {
  const types = Object.keys(content)
  const type = element(
    'select',
    { name: 'type', 'aria-label': 'Media type' },
    ...types.map((each) => element('option', {}, each)),
  )
  const text = element('textarea', { name: 'body', spellcheck: 'false', 'aria-label': 'Body' })
  const fill = () => (text.value = formatBody(type.value, sample(content[type.value].schema)))
  type.addEventListener('change', fill)
  fill()
  const { properties = {}, required = [] } = resolve(content[types[0]].schema)
  const rows = Object.entries(properties).map(([key, schema]) =>
    element(
      'tr',
      {},
      element('td', {}, element('code', {}, key), required.includes(key) ? ' *' : ''),
      element('td', {}, typeText(schema)),
      element('td', {}, boundsText(resolve(schema))),
    ),
  )
  return [
    element('h3', {}, 'Body'),
    type,
    text,
    element('table', {}, element('tbody', {}, ...rows)),
  ]
}

function renderResponses({ responses }) {
  const rows = Object.entries(responses).map(([status, { description, content = {} }]) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, status),
      element('td', {}, description),
      element(
        'td',
        {},
        Object.entries(content)
          .map(([type, { schema }]) =>
            schema === undefined ? type : type + ': ' + typeText(schema),
          )
          .join('; '),
      ),
    ),
  )
  return element(
    'div',
    { class: 'responses' },
    element('h3', {}, 'Responses'),
    element('table', {}, element('tbody', {}, ...rows)),
  )
}

function renderAccept({ responses }) {
  const all = Object.values(responses).flatMap(({ content = {} }) => Object.keys(content))
  const types = all.filter((type) => !/problem|plain/.test(type))
  if (types.length === 0) types.push('application/json', 'text/html')
  types.sort((a, b) => Number(b === 'application/json') - Number(a === 'application/json'))
  return element(
    'select',
    { name: 'accept', 'aria-label': 'Accept' },
    ...[...new Set(types)].map((type) => element('option', {}, type)),
  )
}

// The browser sets the type of a multipart form itself, because it contains the boundary.
function encodeBody(type, text) {
  const isMultipart = type === 'multipart/form-data'
  if (!isMultipart && !type.endsWith('form-urlencoded')) return text
  const fields = text.replace(/\s*\n/g, '')
  if (!isMultipart) return fields
  const form = new FormData()
  for (const [name, value] of new URLSearchParams(fields)) form.append(name, value)
  return form
}

const hasScheme = ({ security = [] }, name) => security.some((one) => name in one)

function securityText(operation) {
  if (hasScheme(operation, 'csrfToken')) return 'with the CSRF token of your session'
  if (!hasScheme(operation, 'bearerAuth')) return ''
  const scopes = operation.security.flatMap(({ bearerAuth = [] }) => bearerAuth)
  return 'with the bearer token' + (scopes.length > 0 ? ', scopes ' + scopes.join(' ') : '')
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
  if (hasScheme(operation, 'csrfToken')) headers.set('x-csrf-token', token)
  if (hasScheme(operation, 'bearerAuth')) headers.set('authorization', 'Bearer ' + bearer.value)
  let body
  if (fields.has('body')) {
    const type = fields.get('type')
    body = encodeBody(type, fields.get('body'))
    if (!(body instanceof FormData)) headers.set('content-type', type)
  }
  const start = performance.now()
  try {
    const response = await fetch(address, {
      method: method.toUpperCase(),
      headers,
      body,
      redirect: 'manual',
    })
    const millis = Math.round(performance.now() - start)
    show(output, method.toUpperCase() + ' ' + address, response, millis, await response.text())
  } catch (error) {
    output.replaceChildren(element('p', { class: 'failed' }, String(error)))
  }
}

/** The headers that an application usually sets. */
function headersText({ headers }) {
  const names = ['location', 'content-type', 'etag', 'x-total-count'].filter((name) =>
    headers.has(name),
  )
  return ['Headers', ...names.map((name) => name + ' ' + headers.get(name))].join('; ')
}

function show(output, line, response, millis, text) {
  const type = response.headers.get('content-type') ?? ''
  const isRedirect = response.type === 'opaqueredirect'
  let body = text
  if (/json/.test(type))
    try {
      body = JSON.stringify(JSON.parse(text), undefined, 2)
    } catch {}
  const status = isRedirect
    ? 'A redirect. Browsers hide its target from scripts.'
    : response.status + ' ' + response.statusText
  output.replaceChildren(
    element('h3', {}, line),
    element(
      'p',
      { class: response.status >= 400 ? 'failed' : undefined },
      status + ' in ' + millis + ' ms',
    ),
    ...(body === '' ? [] : [element('pre', {}, body)]),
    element(
      'details',
      {},
      element('summary', { class: 'more' }, headersText(response)),
      element(
        'pre',
        {},
        [...response.headers].map(([name, value]) => name + ': ' + value).join('\n'),
      ),
    ),
  )
}

function renderRoute(path, method, operation) {
  const { summary = '', description, parameters = [], requestBody, deprecated } = operation
  const output = element('div', { class: 'responses', 'aria-live': 'polite' })
  const details = element(
    'details',
    { class: deprecated ? 'route old' : 'route', id: operation.operationId },
    element(
      'summary',
      {},
      element('span', { class: 'method' }, method.toUpperCase()),
      element('span', { class: 'path' }, base + path),
      element('span', { class: 'about' }, summary),
    ),
  )
  details.addEventListener('toggle', () => {
    if (!details.open || details.children.length > 1) return
    const form = element(
      'form',
      {},
      ...(description === undefined ? [] : [element('p', {}, description)]),
      ...(parameters.length > 0
        ? [element('h3', {}, 'Parameters'), ...parameters.map(renderParameter)]
        : []),
      ...(requestBody === undefined ? [] : renderBody(requestBody)),
      element(
        'div',
        { class: 'actions' },
        element('button', {}, 'Send'),
        element('span', {}, 'as ', renderAccept(operation)),
        element('span', { class: 'about' }, securityText(operation)),
      ),
    )
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void send(form, method, path, operation, output)
    })
    details.append(form, output, renderResponses(operation))
  })
  return details
}

const find = element('input', {
  class: 'find',
  type: 'search',
  placeholder: 'Find a route',
  'aria-label': 'Find a route',
})
main.append(find)
const bearer = element('input', {
  class: 'find',
  placeholder: 'Bearer token',
  'aria-label': 'Bearer token',
  autocomplete: 'off',
})
if (spec.components.securitySchemes?.bearerAuth !== undefined) main.append(bearer)
for (const tag of spec.tags) {
  const routes = Object.entries(spec.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags.includes(tag.name))
      .map(([method, operation]) => renderRoute(path, method, operation)),
  )
  main.append(
    element(
      'section',
      { class: 'group' },
      element('h2', {}, tag.name),
      ...(tag.description === undefined ? [] : [element('p', {}, tag.description)]),
      ...routes,
    ),
  )
}
find.addEventListener('input', () => {
  const words = find.value.toLowerCase().split(/\s+/)
  for (const route of main.querySelectorAll('details.route')) {
    const text = route.firstElementChild.textContent.toLowerCase()
    route.hidden = !words.every((word) => text.includes(word))
  }
  for (const group of main.querySelectorAll('.group'))
    group.hidden = group.querySelector('details.route:not([hidden])') === null
})
if (location.hash !== '') {
  const route = document.getElementById(location.hash.slice(1))
  if (route !== null) {
    route.open = true
    route.scrollIntoView()
  }
}
