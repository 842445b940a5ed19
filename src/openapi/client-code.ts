/** A typed client of a document: one file of TypeScript that needs nothing but `fetch`. */
import type { JsonSchema } from '../validation.ts'
import { clientRuntime } from './client-runtime.ts'
import { declarationText, docText, keyText, typeText } from './client-types.ts'
import type { Content, OpenApiDocument, Operation, Parameter } from './document.ts'

interface ClientMethod {
  readonly group: string
  readonly name: string
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

const isJson = (type: string): boolean => /[/+]json$/.test(type)

/** The schemas of the JSON among the bodies; `undefined` for none. */
function jsonOf(content: Content): readonly JsonSchema[] | undefined {
  const found = Object.entries(content).filter(([type]) => isJson(type))
  return found.length === 0 ? undefined : found.map(([, { schema = {} }]) => schema)
}

/** What the client, which asks for JSON, finds in an answer. */
function bodyType(content: Content | undefined): string {
  if (content === undefined) return 'undefined'
  const json = jsonOf(content)
  if (json !== undefined)
    return [...new Set(json.map((schema) => typeText(schema, '        ')))].join(' | ')
  return Object.keys(content).every((type) => type.startsWith('text/')) ? 'string' : 'unknown'
}

/** A page alone is for browsers, not for programs; so are the routes of other suffixes. */
function isForPrograms({ responses }: Operation, path: string): boolean {
  if (path.endsWith('.xml')) return false
  const { 200: page } = responses
  return (
    page?.content === undefined || Object.keys(page.content).some((type) => type !== 'text/html')
  )
}

function methodsOf({ paths }: OpenApiDocument): readonly ClientMethod[] {
  return Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod)
      .filter(([, operation]) => isForPrograms(operation, path))
      .map(([method, operation]) => {
        const [group = '', name = ''] = operation['x-fw-route'].split('.')
        return { group, name, method: method.toUpperCase(), path, operation }
      }),
  )
}

/** JSON, else a form, else what there is. */
function sentType({ requestBody }: Operation): string | undefined {
  const types = Object.keys(requestBody?.content ?? {})
  return types.find(isJson) ?? types.find((type) => type !== 'application/xml') ?? types[0]
}

function fields(parameters: readonly Parameter[], indent: string): string {
  const all = parameters.map(({ name, required, schema }) => {
    const type = typeText(schema, indent)
    return required === true
      ? `${keyText(name)}: ${type}`
      : `${keyText(name)}?: ${type} | undefined`
  })
  return `{ ${all.join('; ')} }`
}

/** The members of a method's argument, and whether it must be there. */
function argumentOf(operation: Operation): { readonly type: string; readonly must: boolean } {
  const { parameters = [], requestBody } = operation
  const members: string[] = []
  let isRequired = false
  const add = (name: string, type: string, must: boolean): void => {
    members.push(must ? `readonly ${name}: ${type}` : `readonly ${name}?: ${type} | undefined`)
    isRequired ||= must
  }
  for (const where of ['path', 'query'] as const) {
    const own = parameters.filter((parameter) => parameter.in === where)
    if (own.length > 0)
      add(
        where,
        fields(own, '      '),
        own.some(({ required }) => required === true),
      )
  }
  const type = sentType(operation)
  if (type !== undefined) {
    const text = typeText(requestBody?.content[type]?.schema ?? {}, '      ')
    add(
      'body',
      type === 'multipart/form-data' ? `${text} | FormData` : text,
      requestBody?.required === true,
    )
  }
  const own = members.length === 0 ? '' : `{ ${members.join('; ')} } & `
  return { type: `${own}Asked`, must: isRequired }
}

function answerOf({ responses }: Operation): string {
  const told = Object.entries(responses).filter(
    // Redirects are followed before an answer is seen.
    ([status]) => status !== 'default' && !/^30[12378]$/.test(status),
  )
  const bodies = told.map(([status, { content }]) => `${status}: ${bodyType(content)}`)
  const { default: other } = responses
  const rest = other?.content === undefined ? 'unknown, HttpStatus' : bodyType(other.content)
  return `Answer<{ ${bodies.join('; ')} }, ${rest}>`
}

function methodText({ name, method, path, operation }: ClientMethod, base: string): string {
  const { type, must } = argumentOf(operation)
  const sends = sentType(operation)
  const body = sends === undefined ? '' : `, type: '${sends}'`
  const { summary, description, deprecated } = operation
  const about = [
    `${summary === undefined ? '' : `${summary}: `}${method} ${path}`,
    ...(description === undefined ? [] : [description]),
    ...(deprecated === true ? ['@deprecated'] : []),
  ]
  return (
    docText(about.join('\n'), '      ') +
    `      ${keyText(name)}: (asked${must ? '' : '?'}: ${type}): Promise<${answerOf(operation)}> =>\n` +
    `        send({ method: '${method}', path: ${JSON.stringify(base + path)}${body} }, asked),\n`
  )
}

/** The text of the file. */
export function clientOf(document: OpenApiDocument): string {
  const { info, servers, components, tags } = document
  const base = servers[0]?.url === '/' ? '' : (servers[0]?.url ?? '')
  const groups = Map.groupBy(methodsOf(document), ({ group }) => group)
  const used = [...groups].map(([group, methods]) => {
    const about = tags.find(({ name }) => name === group)?.description
    const texts = methods.map((method) => methodText(method, base)).join('')
    return `${docText(about, '    ')}    ${keyText(group)}: {\n${texts}    },\n`
  })
  const schemas = Object.entries(components.schemas).map(([name, schema]) =>
    declarationText(name, schema),
  )
  return [
    docText(
      `A typed client of ${info.title} ${info.version}, written by \`fw client\`: change the application, not this file.`,
    ),
    ...schemas,
    clientRuntime,
    `/** \`const api = createClient({ baseUrl: 'https://example.com' })\` */
export function createClient(options: ClientOptions = {}) {
  const send = sender(options)
  return {
${used.join('')}  }
}

/** What \`createClient\` gives. */
export type Client = ReturnType<typeof createClient>
`,
  ].join('\n')
}
