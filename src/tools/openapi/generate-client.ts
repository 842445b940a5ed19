/** Generates a typed client from a document: one TypeScript file that only needs `fetch`. */
import { readFileSync } from 'node:fs'
import { packageFile } from '../../runtime/base.ts'
import type { JsonSchema, JsonType } from '../../runtime/validation.ts'
import type { Content, OpenApiDocument, Operation, Parameter } from './document.ts'
import { readRefName } from './schema-set.ts'

/** Types that the client declares or uses. A schema of the same name would shadow them. */
const usedTypes: ReadonlySet<string> = new Set(
  (
    'ApiResponse Client ClientOptions Failure HttpStatus MaybePromise Operation Page RequestOptions RequestParts ' +
    'StatusResponse Success createClient AbortSignal BodyInit Exclude FormData Headers Promise Readonly Record ' +
    'RequestCredentials RequestInit Response ReturnType URLSearchParams'
  ).split(' '),
)

/** The name of a schema's type. */
export const typeName = (name: string): string => (usedTypes.has(name) ? `${name}Schema` : name)

const formatKey = (key: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key)

const plainTypes: Readonly<Record<JsonType, string>> = {
  array: 'readonly unknown[]',
  boolean: 'boolean',
  integer: 'number',
  null: 'null',
  number: 'number',
  object: 'Readonly<Record<string, unknown>>',
  string: 'string',
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'never'
const parenthesize = (type: string): string => (/[|&]/.test(type) ? `(${type})` : type)

/** A JSDoc comment with a line for each line of the text; empty without text. */
function formatDoc(text: string | undefined, indent = ''): string {
  if (text === undefined || text.trim() === '') return ''
  const lines = text.trim().replaceAll('*/', '*\\/').split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

/** The TypeScript type of a schema. Keywords that TypeScript cannot express are ignored. */
function formatType(schema: JsonSchema, indent = ''): string {
  const { $ref, type, enum: values, anyOf, oneOf, allOf } = schema
  if ($ref !== undefined) return typeName(readRefName($ref))
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(schema.const)
  if (values !== undefined) return union(values.map((value) => JSON.stringify(value)))
  const choices = anyOf ?? oneOf
  if (choices !== undefined) return union(choices.map((choice) => formatType(choice, indent)))
  if (type !== undefined)
    return union([type].flat().map((each) => formatJsonType(each, schema, indent)))
  if (schema.properties !== undefined) return formatObject(schema, indent)
  const parts = (allOf ?? [])
    .map((part) => formatType(part, indent))
    .filter((part) => part !== 'unknown')
  return parts.length > 0 ? parts.map(parenthesize).join(' & ') : 'unknown'
}

function formatJsonType(type: JsonType, schema: JsonSchema, indent: string): string {
  if (type === 'object') return formatObject(schema, indent)
  if (type !== 'array') return plainTypes[type]
  const { items, prefixItems } = schema
  if (prefixItems !== undefined)
    return `readonly [${prefixItems.map((item) => formatType(item, indent)).join(', ')}]`
  return items === undefined
    ? plainTypes.array
    : `readonly ${parenthesize(formatType(items, indent))}[]`
}

function formatObject(schema: JsonSchema, indent: string): string {
  const { properties = {}, required = [], additionalProperties } = schema
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(([key, property]) => {
    const type = formatType(property, inner)
    const member = required.includes(key) ? `: ${type}` : `?: ${type} | undefined`
    return `${formatDoc(property.description, inner)}${inner}${formatKey(key)}${member}\n`
  })
  if (lines.length > 0) return `{\n${lines.join('')}${indent}}`
  if (typeof additionalProperties === 'object')
    return `Readonly<Record<string, ${formatType(additionalProperties, indent)} | undefined>>`
  return plainTypes.object
}

/** Keywords that `formatType` prefers to `properties`. */
const nonObjectKeywords: readonly string[] = ['$ref', 'const', 'enum', 'anyOf', 'oneOf', 'allOf']

function formatDeclaration(name: string, schema: JsonSchema): string {
  const { type = 'object', properties = {}, description } = schema
  const isInterface =
    type === 'object' &&
    Object.keys(properties).length > 0 &&
    !nonObjectKeywords.some((keyword) => Object.hasOwn(schema, keyword))
  const head = isInterface ? `interface ${typeName(name)}` : `type ${typeName(name)} =`
  return `${formatDoc(description)}export ${head} ${formatType(schema)}\n`
}

interface ClientMethod {
  readonly group: string
  readonly name: string
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** Excludes routes that only send HTML, and the `.xml` paths of resources. */
function isForPrograms({ responses }: Operation, path: string): boolean {
  if (path.endsWith('.xml')) return false
  const content = responses['200']?.content
  return content === undefined || Object.keys(content).some((type) => type !== 'text/html')
}

function clientMethods({ paths }: OpenApiDocument): readonly ClientMethod[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => isForPrograms(operation, path))
      .map(([method, operation]) => {
        const [group = '', name = ''] = operation['x-fw-route'].split('.')
        return { group, name, method: method.toUpperCase(), path, operation }
      }),
  )
}

const isJson = (mediaType: string): boolean => /[/+]json$/.test(mediaType)

/** The body of a response to a request that accepts JSON. */
function formatBodyType(content: Content | undefined): string {
  if (content === undefined) return 'undefined'
  const json = Object.keys(content).filter(isJson)
  if (json.length > 0)
    return union(json.map((type) => formatType(content[type]?.schema ?? {}, '        ')))
  return Object.keys(content).every((type) => type.startsWith('text/')) ? 'string' : 'unknown'
}

function formatResponseType({ responses }: Operation): string {
  const bodies = Object.entries(responses)
    // `fetch` follows redirects, so the client never receives them.
    .filter(([status]) => status !== 'default' && !/^30[12378]$/.test(status))
    .map(([status, { content }]) => `${status}: ${formatBodyType(content)}`)
  const other = responses['default']?.content
  const rest = other === undefined ? 'unknown, HttpStatus' : formatBodyType(other)
  return `ApiResponse<{ ${bodies.join('; ')} }, ${rest}>`
}

/** JSON, else a form, else the first media type. */
function chooseMediaType({ requestBody }: Operation): string | undefined {
  const types = Object.keys(requestBody?.content ?? {})
  return types.find(isJson) ?? types.find((type) => type !== 'application/xml') ?? types[0]
}

function formatParameters(parameters: readonly Parameter[]): string {
  const members = parameters.map(({ name, required, schema }) => {
    const type = formatType(schema, '      ')
    return formatKey(name) + (required === true ? `: ${type}` : `?: ${type} | undefined`)
  })
  return `{ ${members.join('; ')} }`
}

/** The parameter of a client method: `request: { … } & RequestOptions`. */
function formatRequestParameter(operation: Operation): string {
  const { parameters = [], requestBody } = operation
  const members: string[] = []
  let isRequired = false
  const add = (name: string, type: string, required: boolean): void => {
    members.push(`readonly ${name}${required ? `: ${type}` : `?: ${type} | undefined`}`)
    isRequired ||= required
  }
  for (const location of ['path', 'query'] as const) {
    const own = parameters.filter((parameter) => parameter.in === location)
    const required = own.some((parameter) => parameter.required === true)
    if (own.length > 0) add(location, formatParameters(own), required)
  }
  const mediaType = chooseMediaType(operation)
  if (mediaType !== undefined) {
    const type = formatType(requestBody?.content[mediaType]?.schema ?? {}, '      ')
    const isMultipart = mediaType === 'multipart/form-data'
    add('body', isMultipart ? `${type} | FormData` : type, requestBody?.required === true)
  }
  const parts = members.length === 0 ? '' : `{ ${members.join('; ')} } & `
  return `request${isRequired ? '' : '?'}: ${parts}RequestOptions`
}

function formatMethod({ name, method, path, operation }: ClientMethod, base: string): string {
  const { summary, description, deprecated } = operation
  const mediaType = chooseMediaType(operation)
  const type = mediaType === undefined ? '' : `, type: '${mediaType}'`
  const doc = [
    `${summary === undefined ? '' : `${summary}: `}${method} ${path}`,
    ...(description === undefined ? [] : [description]),
    ...(deprecated === true ? ['@deprecated'] : []),
  ]
  const signature = `(${formatRequestParameter(operation)}): Promise<${formatResponseType(operation)}>`
  return (
    formatDoc(doc.join('\n'), '      ') +
    `      ${formatKey(name)}: ${signature} =>\n` +
    `        send({ method: '${method}', path: ${JSON.stringify(base + path)}${type} }, request),\n`
  )
}

/** Returns the text of the file. */
export function generateClient(document: OpenApiDocument): string {
  const { info, servers, components, tags } = document
  const base = servers[0]?.url === '/' ? '' : (servers[0]?.url ?? '')
  const groups = [...Map.groupBy(clientMethods(document), ({ group }) => group)].map(
    ([group, methods]) => {
      const doc = formatDoc(tags.find(({ name }) => name === group)?.description, '    ')
      const texts = methods.map((method) => formatMethod(method, base)).join('')
      return `${doc}    ${formatKey(group)}: {\n${texts}    },\n`
    },
  )
  const schemas = Object.entries(components.schemas).map(([name, schema]) =>
    formatDeclaration(name, schema),
  )
  const header = `A typed client of ${info.title} ${info.version}, written by \`fw client\`. Change the application, not this file.`
  const values: Readonly<Record<string, string>> = {
    header: `${formatDoc(header)}\n`,
    schemas: schemas.map((schema) => `${schema}\n`).join(''),
    groups: groups.join(''),
  }
  return readFileSync(packageFile('templates/openapi/client.ts.tpl'), 'utf8').replace(
    /\{\{(\w+)\}\}\n?/g,
    (_match, name: string) => values[name]!,
  )
}
