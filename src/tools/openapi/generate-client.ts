/** Generates a typed client from an OpenAPI document: one TypeScript file without imports, which uses `fetch`. */
import { readFileSync } from 'node:fs'
import { packageFile } from '../../runtime/base.ts'
import type { JsonSchema, JsonType } from '../../runtime/validation.ts'
import type { Content, OpenApiDocument, Operation, Parameter } from './document.ts'
import { readRefName } from './schema-set.ts'

/** The names of types that the client declares or uses. A schema with such a name would shadow the type. */
const usedTypes: ReadonlySet<string> = new Set(
  (
    'ApiResponse Client ClientOptions Failure HttpStatus MaybePromise OneResponse Operation PageGlobals RequestOptions ' +
    'RequestParts Send StatusResponse Success AbortSignal BodyInit Exclude FormData Headers Promise Readonly Record ' +
    'RequestInit Response TypeError URLSearchParams'
  ).split(' '),
)

/** The names of functions that the client declares or calls. */
const usedFunctions: ReadonlySet<string> = new Set(
  (
    'buildForm buildUrl createClient createSend encodeBody encodeFields encodeSegment readBody readPageToken ' +
    'toProblem toText encodeURIComponent globalThis'
  ).split(' '),
)

export const typeName = (name: string): string => (usedTypes.has(name) ? `${name}Schema` : name)

export const functionName = (operationId: string): string =>
  usedFunctions.has(operationId) ? `${operationId}Operation` : operationId

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

const indent = (code: string): string => code.replaceAll('\n', '\n  ')

const formatMember = (name: string, type: string, isRequired: boolean): string =>
  formatKey(name) + (isRequired ? `: ${type}` : `?: ${type} | undefined`)

/** Returns a JSDoc comment with the lines of `text`; an empty string if there is no text. */
function formatDoc(text = ''): string {
  const lines = text.trim().replaceAll('*/', '*\\/').split('\n')
  if (lines.length > 1)
    return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
  return lines[0] === '' ? '' : `/** ${lines[0]} */\n`
}

/** Returns the TypeScript type of a schema. Ignores keywords that TypeScript cannot express. */
function formatType(schema: JsonSchema): string {
  const { $ref, type, enum: values, anyOf, oneOf, allOf = [] } = schema
  if ($ref !== undefined) return typeName(readRefName($ref))
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(schema.const)
  if (values !== undefined) return union(values.map((value) => JSON.stringify(value)))
  const choices = anyOf ?? oneOf
  if (choices !== undefined) return union(choices.map(formatType))
  if (type !== undefined) return union([type].flat().map((each) => formatJsonType(each, schema)))
  if (schema.properties !== undefined) return formatObject(schema)
  const parts = allOf.map(formatType).filter((part) => part !== 'unknown')
  return parts.map(parenthesize).join(' & ') || 'unknown'
}

function formatJsonType(type: JsonType, schema: JsonSchema): string {
  if (type === 'object') return formatObject(schema)
  if (type !== 'array') return plainTypes[type]
  const { items, prefixItems } = schema
  if (prefixItems !== undefined) return `readonly [${prefixItems.map(formatType).join(', ')}]`
  return items === undefined ? plainTypes.array : `readonly ${parenthesize(formatType(items))}[]`
}

function formatObject({
  properties = {},
  required = [],
  additionalProperties,
}: JsonSchema): string {
  const members = Object.entries(properties).map(([key, property]) => {
    const member = formatMember(key, formatType(property), required.includes(key))
    return `\n${formatDoc(property.description)}${member}`
  })
  if (members.length > 0) return `{${indent(members.join(''))}\n}`
  if (typeof additionalProperties === 'object')
    return `Readonly<Record<string, ${formatType(additionalProperties)} | undefined>>`
  return plainTypes.object
}

/** The keywords that `formatType` reads before `properties`. */
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

/** Returns false for routes that only send HTML. */
function isForPrograms({ responses }: Operation): boolean {
  const content = responses['200']?.content
  return content === undefined || Object.keys(content).some((type) => type !== 'text/html')
}

const isJson = (mediaType: string): boolean => /[/+]json$/.test(mediaType)

/** Returns the TypeScript type of a response body. Prefers JSON, because the client's requests accept JSON. */
function formatBodyType(content: Content | undefined): string {
  if (content === undefined) return 'undefined'
  const json = Object.keys(content).filter(isJson)
  if (json.length > 0)
    return union(json.map((type) => indent(formatType(content[type]?.schema ?? {}))))
  const isText = Object.entries(content).every(
    ([type, { schema }]) => type.startsWith('text/') || schema?.type === 'string',
  )
  return isText ? 'string' : 'unknown'
}

/** The statuses with which Fw itself responds to malformed input. */
const malformed: ReadonlySet<string> = new Set(['400', '422'])

/** Returns the type of an error's body: that of the action's own schema if it has one, else problem details. */
function formatErrorType(status: string, content: Content = {}): string {
  const problem = Object.keys(content).find((type) => type.endsWith('problem+json'))
  const own = content['application/json']?.schema
  if (problem === undefined) return formatBodyType(content)
  const types = [problem].filter(() => own === undefined || malformed.has(status))
  return formatBodyType({
    ...Object.fromEntries(types.map((type) => [type, content[type]!])),
    ...(own === undefined ? {} : { 'application/json': { schema: own } }),
  })
}

const successes = [200, 201, 202, 203, 204, 205, 206, 207, 208, 226].map(String)

/** Expands `2XX` to every success status that `all` does not contain. Returns any other status as a list of one. */
function expandStatus(status: string, all: readonly string[]): readonly string[] {
  return status === '2XX' ? successes.filter((one) => !all.includes(one)) : [status]
}

/** Returns whether `fetch` handles the status: it follows redirects, and replaces a 304 by the cached response. */
const isRedirect = (status: string): boolean => /^30[12378]$/.test(status)

function formatResponseType({ responses }: Operation): string {
  const statuses = Object.keys(responses)
  const bodies = Object.entries(responses)
    .filter(([status]) => status !== 'default' && !status.startsWith('3'))
    .flatMap(([status, { content }]) =>
      expandStatus(status, statuses).map(
        (one) => `${one}: ${one < '400' ? formatBodyType(content) : formatErrorType(one, content)}`,
      ),
    )
  const isRedirected = statuses.some(isRedirect) && !statuses.some((one) => one.startsWith('2'))
  if (isRedirected) bodies.unshift('200: unknown')
  const other = responses['default']?.content
  const rest = other === undefined ? 'unknown, HttpStatus' : formatErrorType('default', other)
  return `ApiResponse<{ ${bodies.join('; ')} }, ${rest}>`
}

/** Returns the media type in which the client sends a body: JSON, else a form, else the first media type. */
function chooseMediaType({ requestBody }: Operation): string | undefined {
  const types = Object.keys(requestBody?.content ?? {})
  return types.find(isJson) ?? types.find((type) => type !== 'application/xml') ?? types[0]
}

/** Returns the type of a parameter. A string in a path may also be a number, because a path contains its digits. */
const formatParameterType = ({ in: location, schema }: Parameter): string =>
  location === 'path' && schema.type === 'string' && schema.enum === undefined
    ? 'string | number'
    : indent(formatType(schema))

function formatParameters(parameters: readonly Parameter[]): string {
  const members = parameters.map((parameter) =>
    formatMember(parameter.name, formatParameterType(parameter), parameter.required === true),
  )
  return `{ ${members.join('; ')} }`
}

/** Returns the parameter of a client function: `request: { … } & RequestOptions`. */
function formatRequestParameter(operation: Operation): string {
  const { parameters = [], requestBody } = operation
  const members: string[] = []
  let isRequired = false
  const add = (name: string, type: string, required: boolean): void => {
    members.push(`readonly ${formatMember(name, type, required)}`)
    isRequired ||= required
  }
  for (const location of ['path', 'query'] as const) {
    const own = parameters.filter((parameter) => parameter.in === location)
    const required = own.some((parameter) => parameter.required === true)
    if (own.length > 0) add(location, formatParameters(own), required)
  }
  const mediaType = chooseMediaType(operation)
  if (mediaType !== undefined) {
    const type = indent(formatType(requestBody?.content[mediaType]?.schema ?? {}))
    add('body', `${type} | FormData | URLSearchParams`, requestBody?.required === true)
  }
  const parts = members.length === 0 ? '' : `{ ${members.join('; ')} } & `
  return `request${isRequired ? '' : '?'}: ${parts}RequestOptions`
}

function formatFunction(
  operation: Operation,
  [method, path]: readonly [string, string],
  base: string,
): string {
  const { operationId, summary, description, deprecated } = operation
  const mediaType = chooseMediaType(operation)
  const type = mediaType === undefined ? '' : `, type: '${mediaType}'`
  const doc = [
    `${summary === undefined ? '' : `${summary}: `}${method} ${path}`,
    ...(description === undefined ? [] : [description]),
    ...(deprecated === true ? ['@deprecated'] : []),
  ]
  return (
    formatDoc(doc.join('\n')) +
    `export const ${functionName(operationId)} = (\n  client: Client,\n  ${formatRequestParameter(operation)},\n` +
    `): Promise<${formatResponseType(operation)}> =>\n` +
    `  client({ method: '${method}', path: ${JSON.stringify(base + path)}${type} }, request)\n`
  )
}

const readText = (path: string): string => readFileSync(packageFile(path), 'utf8')

/** Reads the code that sends requests, without its first comment, which does not apply to the generated client. */
const readSender = (): string =>
  readText('src/runtime/client/send-request.ts').replace(/^\/\*\*[\s\S]*?\*\/\n+/, '')

/** Returns the source text of the client. */
export function generateClient(document: OpenApiDocument): string {
  const { info, servers, paths, components } = document
  const base = servers[0]?.url === '/' ? '' : (servers[0]?.url ?? '')
  const schemas = Object.entries(components.schemas).map(([name, schema]) =>
    formatDeclaration(name, schema),
  )
  const functions = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => isForPrograms(operation))
      .map(([method, operation]) => formatFunction(operation, [method.toUpperCase(), path], base)),
  )
  const header = `A typed client of ${info.title} ${info.version}, written by \`fw client\`. Change the application, not this file.`
  const values: Readonly<Record<string, string>> = {
    header: `${formatDoc(header)}\n`,
    schemas: schemas.map((schema) => `${schema}\n`).join(''),
    sender: `${readSender()}\n`,
    functions: functions.join('\n'),
  }
  return readText('templates/openapi/client.ts.tpl').replace(
    /\{\{(\w+)\}\}\n?/g,
    (_match, name: string) => values[name]!,
  )
}
