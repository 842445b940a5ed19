/** Replaces what many operations of an OpenAPI document repeat by references to its components. */
import { reasonPhrase } from '../../runtime/http.ts'
import { toUpperCamelCase } from '../../runtime/params.ts'
import type { OpenApiDocument, Operation, Parameter, RequestBody, Response } from './document.ts'

type Kind = 'parameters' | 'headers' | 'requestBodies' | 'responses'
type Header = NonNullable<Response['headers']>[string]
type Part = Parameter | Header | RequestBody | Response

interface Reference {
  readonly $ref: string
}

/** An OpenAPI document with references in its operations. An operation without `security` has that of the document. */
export interface SharedDocument extends Omit<OpenApiDocument, 'paths' | 'components'> {
  readonly security?: Operation['security']
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly components: OpenApiDocument['components'] &
    Partial<Record<Kind, Readonly<Record<string, object>>>>
}

/** Components of one kind: the parts that several users have, and their names in the order of the document. */
class SharedParts {
  readonly components: Record<string, object> = {}
  readonly #kind: Kind
  readonly #users = new Map<string, Set<string>>()
  readonly #names = new Map<string, string>()

  constructor(kind: Kind) {
    this.#kind = kind
  }

  count(part: Part, user: string, name = ''): void {
    const text = name + JSON.stringify(part)
    const users = this.#users.get(text) ?? new Set()
    this.#users.set(text, users.add(user))
  }

  /** Returns a reference to the part, or `own` if only one user has it. Headers are counted with their names. */
  refer(part: Part, name: string, own: object = part): object | Reference {
    const text = (this.#kind === 'headers' ? name : '') + JSON.stringify(part)
    if (this.#users.get(text)!.size < 2) return own
    let known = this.#names.get(text)
    if (known === undefined) {
      known = this.#freeName(componentName(name))
      this.#names.set(text, known)
      this.components[known] = own
    }
    return { $ref: `#/components/${this.#kind}/${known}` }
  }

  #freeName(name: string): string {
    let free = name
    for (let count = 2; Object.hasOwn(this.components, free); count++) free = `${name}${count}`
    return free
  }
}

const operationsOf = ({ paths }: OpenApiDocument): readonly (readonly [string, Operation])[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.values(operations).map((operation) => [path, operation] as const),
  )

const namedRanges: Readonly<Record<string, string>> = { default: 'Error', '2XX': 'Success' }

/** Returns the reason phrase with the schema's name; without it for problem details, which all errors have. */
function responseName(status: string, response: Response): string {
  const range = namedRanges[status]
  if (range !== undefined) return range
  const schema = schemaName(response) ?? ''
  const phrase = reasonPhrase(Number(status)).replace(/\W+/g, '_').toLowerCase()
  return toUpperCamelCase(phrase) + (schema === 'Problem' ? '' : schema)
}

/** Returns the name of the schema of a part's first media type that has one: `Member` also for a list of members. */
function schemaName({ content = {} }: RequestBody | Response): string | undefined {
  for (const { schema } of Object.values(content)) {
    const { $ref } = schema?.items ?? schema ?? {}
    if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1)
  }
  return undefined
}

/** What must differ for a part to be a component: the operation if the part has a schema that names it, else the tag. */
const userOf = (part: RequestBody | Response, { tags, operationId }: Operation): string =>
  schemaName(part) === undefined ? (tags[0] ?? '') : operationId

/** Returns the name of a component, which may contain only these characters. */
const componentName = (name: string): string => name.replaceAll(/[^A-Za-z0-9._-]+/g, '_')

/** Returns false for a response that has only XML or texts: openapi-client-axios-typegen does not find such a component. */
const isShareable = ({ content }: Response): boolean =>
  content === undefined ||
  Object.entries(content).some(
    ([type, { schema }]) => type.endsWith('json') && schema !== undefined,
  )

/**
 * Returns false for the paths that API clients call: swagger-typescript-api does not resolve the reference to a body, and then
 * sends JSON as `text/plain`.
 */
const isBodyShareable = (path: string): boolean => !path.endsWith('.json')

/**
 * Returns the security that most protected operations have, as JSON: of those with the same number, the first of the document.
 * Returns `undefined` if no two operations have the same one.
 */
function findCommonSecurity(document: OpenApiDocument): string | undefined {
  const counts = new Map<string, number>()
  for (const [, { security }] of operationsOf(document)) {
    if (security.length === 0) continue
    const text = JSON.stringify(security)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  const most = Math.max(2, ...counts.values())
  return [...counts].find(([, count]) => count === most)?.[0]
}

/**
 * Returns the document with components for the parameters, headers, bodies and responses that operations of several tags repeat,
 * and for the bodies and responses with a schema that several operations repeat. The security that most protected
 * operations have is that of the document.
 */
export function shareComponents(document: OpenApiDocument): SharedDocument {
  const parts = {
    parameters: new SharedParts('parameters'),
    headers: new SharedParts('headers'),
    requestBodies: new SharedParts('requestBodies'),
    responses: new SharedParts('responses'),
  }
  for (const [path, operation] of operationsOf(document)) {
    const { tags, parameters = [], requestBody, responses } = operation
    const tag = tags[0] ?? ''
    for (const parameter of parameters) parts.parameters.count(parameter, tag)
    if (requestBody !== undefined && isBodyShareable(path))
      parts.requestBodies.count(requestBody, userOf(requestBody, operation))
    for (const response of Object.values(responses)) {
      parts.responses.count(response, userOf(response, operation))
      for (const [name, header] of Object.entries(response.headers ?? {}))
        parts.headers.count(header, tag, name)
    }
  }
  const commonSecurity = findCommonSecurity(document)
  const shareResponse = (status: string, response: Response): object => {
    const { headers } = response
    const own =
      headers === undefined
        ? response
        : {
            ...response,
            headers: mapValues(headers, (name, header) => parts.headers.refer(header, name)),
          }
    return isShareable(response)
      ? parts.responses.refer(response, responseName(status, response), own)
      : own
  }
  const shareOperation = (path: string, operation: Operation): object => {
    const { security, ...others } = operation
    const { parameters, requestBody, responses } = others
    return {
      ...others,
      ...(parameters && {
        parameters: parameters.map((one) => parts.parameters.refer(one, one.name)),
      }),
      ...(requestBody &&
        isBodyShareable(path) && {
          requestBody: parts.requestBodies.refer(
            requestBody,
            `${schemaName(requestBody) ?? ''}Body`,
          ),
        }),
      responses: mapValues(responses, shareResponse),
      ...(JSON.stringify(security) !== commonSecurity && { security }),
    }
  }
  const paths = mapValues(document.paths, (path, operations) =>
    mapValues(operations, (_method, operation) => shareOperation(path, operation)),
  )
  const shared = Object.entries(parts).map(([kind, { components }]) => [kind, components] as const)
  const used = shared.filter(([, components]) => Object.keys(components).length > 0)
  return {
    ...document,
    ...(commonSecurity !== undefined && {
      security: JSON.parse(commonSecurity) as Operation['security'],
    }),
    paths,
    components: { ...document.components, ...Object.fromEntries(used) },
  }
}

const mapValues = <T, U>(
  members: Readonly<Record<string, T>>,
  map: (name: string, value: T) => U,
): Record<string, U> =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, map(name, value)]))
