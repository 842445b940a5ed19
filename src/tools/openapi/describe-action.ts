/** Describes hand-written actions from their source code: their responses, and the fields that they read. */
import type { MountedRoute } from '../../runtime/app.ts'
import type { DescribedFields, ResponseDescription } from '../../runtime/controller.ts'
import { isSafeMethod } from '../../runtime/action.ts'
import type { ParamTypes } from '../../runtime/params.ts'
import type { JsonSchema } from '../../runtime/validation.ts'
import { fieldErrors } from './describe-resource.ts'
import { ParameterReader } from './read-parameters.ts'
import type { SchemaSet } from './schema-set.ts'
import type { AnyNode, TypeOf, TypeProject } from './type-project.ts'
import { TypeSchemas } from './type-schema.ts'

/** The description of an action that its source code yields. */
export interface SourceDescription {
  /** The responses by status; `2XX` is a success whose status the action sets. Absent if the result has an unknown type. */
  readonly responses?: Readonly<Record<string, ResponseDescription>>
  /** The fields that `permit` or a form reads from the body. */
  readonly body?: ParamTypes
  /** The query parameters that an action without a body reads. */
  readonly query?: DescribedFields
}

/** The types that an action may return, sorted by kind. */
interface Results {
  /** The types of JSON values that the action returns without a status. */
  readonly values: TypeOf[]
  /** The body types of results with a status, by status; the list is empty if no body type is known. */
  readonly byStatus: Map<number, TypeOf[]>
  isEmpty: boolean
  isText: boolean
  /** True if a result is a stream or a file, whose media type is unknown. */
  isBinary: boolean
  /** True if a result contains the messages of a failed validation. */
  isInvalid: boolean
  isUnknown: boolean
}

const binaryTypes: ReadonlySet<string> = new Set(
  'ArrayBuffer Blob Buffer File HttpResponse ReadableStream Readable Response Uint8Array'.split(
    ' ',
  ),
)
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

interface DescriberOptions {
  readonly project: TypeProject
  readonly schemas: SchemaSet
  /** The status of the response to a failed validation. */
  readonly invalidStatus: number
}

export class ActionDescriber {
  readonly #project: TypeProject
  readonly #schemas: SchemaSet
  readonly #types: TypeSchemas
  readonly #invalidStatus: number

  constructor({ project, schemas, invalidStatus }: DescriberOptions) {
    this.#project = project
    this.#schemas = schemas
    this.#types = new TypeSchemas(project, schemas)
    this.#invalidStatus = invalidStatus
  }

  /** Describes the action of a route. Returns `undefined` if its declaration is not found. */
  describe(route: MountedRoute): SourceDescription | undefined {
    const found = this.#findAction(route)
    if (found === undefined) return undefined
    const { type, node } = found
    const responses = type && this.#responses(type, route, node)
    const inPath = new Set(route.path.match(/(?<=:)\w+/g))
    const read = node && new ParameterReader(this.#project).read(node)
    const isQuery = isSafeMethod(route.method) || route.method === 'DELETE'
    const query = Object.entries({ ...read?.query, ...(isQuery ? read?.body : {}) }).filter(
      ([name]) => !inPath.has(name),
    )
    const body = Object.entries(read?.body ?? {}).filter(([name]) => !inPath.has(name))
    return {
      ...(responses === undefined ? {} : { responses }),
      ...(isQuery && query.length > 0 ? { query: Object.fromEntries(query) } : {}),
      ...(!isQuery && body.length > 0 ? { body: Object.fromEntries(body) } : {}),
    }
  }

  /** Returns the result type and the declaration of the route's action. */
  #findAction({ action, declared, mounted }: MountedRoute) {
    const { checker, compiler } = this.#project
    const returnType = (type: TypeOf | undefined): TypeOf | undefined => {
      const [signature] =
        type === undefined ? [] : checker.getSignaturesOfType(type, compiler.SignatureKind.Call)
      return signature && checker.getReturnTypeOfSignature(signature)
    }
    if (declared.actionName === undefined) {
      const method = declared.method.toLowerCase()
      const node = this.#project.findInlineAction(method, declared.pattern)
      return node && { node, type: returnType(checker.getTypeAtLocation(node)) }
    }
    const methods = Object.getOwnPropertyNames(mounted.controllerClass.prototype)
    const instance = this.#project.findClass(
      mounted.controllerClass.name,
      methods.filter((name) => name !== 'constructor'),
    )
    const symbol = instance && checker.getPropertyOfType(instance, action!)
    if (symbol === undefined) return undefined
    const node = this.#project.declarationOf(symbol)
    return node && { node, type: returnType(checker.getTypeOfSymbol(symbol)) }
  }

  #responses(
    type: TypeOf,
    { mounted }: MountedRoute,
    node: AnyNode | undefined,
  ): Readonly<Record<string, ResponseDescription>> | undefined {
    const results = this.#collect(type)
    if (results.isUnknown) return undefined
    const { errorFormat } = mounted.controllerClass as { readonly errorFormat?: string }
    const responses: Record<string, ResponseDescription> = {}
    for (const [status, bodies] of results.byStatus)
      responses[status] = redirects.has(status)
        ? { headers: { Location: { type: 'string' } } }
        : this.#content({ types: bodies, isText: false, isPage: false })
    const hasPlain =
      results.values.length > 0 || results.isEmpty || results.isText || results.isBinary
    const setsStatus = /\bstatus\s*=[^=]/.test(node?.getText() ?? '')
    if (hasPlain)
      responses[setsStatus ? '2XX' : '200'] ??= results.isBinary
        ? { content: { '*/*': {} } }
        : this.#content({
            types: results.values,
            isText: results.isText,
            isPage: errorFormat === 'html',
          })
    if (results.isInvalid)
      responses[this.#invalidStatus] = {
        description: 'The messages of each invalid field.',
        body: this.#schemas.add('FieldErrors', fieldErrors),
      }
    return responses
  }

  /** Returns the content of a response. A text is HTML if the controller has pages, else it may have any media type. */
  #content(body: {
    readonly types: readonly TypeOf[]
    readonly isText: boolean
    readonly isPage: boolean
  }): ResponseDescription {
    const schema = this.#types.convertUnion(body.types)
    const text: JsonSchema = { type: 'string' }
    const content: Record<string, JsonSchema> = {
      ...(schema === undefined ? {} : { 'application/json': schema }),
      ...(body.isText ? { [body.isPage ? 'text/html' : '*/*']: text } : {}),
    }
    return Object.keys(content).length === 0 ? {} : { content }
  }

  #collect(type: TypeOf): Results {
    const results: Results = {
      values: [],
      byStatus: new Map(),
      isEmpty: false,
      isText: false,
      isBinary: false,
      isInvalid: false,
      isUnknown: false,
    }
    this.#add(type, results)
    return results
  }

  #add(type: TypeOf, results: Results): void {
    const types = this.#types
    const awaited = types.unwrapPromise(type)
    if (awaited !== type) return this.#add(awaited, results)
    if (type.isUnionType() && !types.is(type, 'Boolean')) {
      for (const one of type.getTypes()) this.#add(one, results)
      return
    }
    if (types.is(type, 'Never')) return
    const name = type.getSymbol()?.name ?? ''
    if (types.is(type, 'Any', 'Unknown')) results.isUnknown = true
    else if (types.is(type, 'Undefined', 'Void', 'Null')) results.isEmpty = true
    // A returned number is the status of the response; the `default` response describes it.
    else if (types.is(type, 'NumberLike')) results.isUnknown = true
    else if (types.is(type, 'Primitive') || name === 'SafeHtml') results.isText = true
    else if (name === 'ActionResult' && type.isTypeReference()) this.#addResult(type, results)
    else if (name === 'KeyAndErrorMessages') results.isInvalid = true
    else if (this.#isBinary(type, name)) results.isBinary = true
    else results.values.push(type)
  }

  #addResult(type: TypeOf, results: Results): void {
    const { checker } = this.#project
    const [status, body] = type.isTypeReference() ? checker.getTypeArguments(type) : []
    if (status?.isNumberLiteralType() !== true) results.isUnknown = true
    else {
      const known = results.byStatus.get(status.value) ?? []
      results.byStatus.set(status.value, body === undefined ? known : [...known, body])
    }
  }

  #isBinary(type: TypeOf, name: string): boolean {
    if (binaryTypes.has(name)) return true
    const members = this.#project.checker.getPropertiesOfType(type)
    return members.some((member) => member.name.startsWith('__@asyncIterator'))
  }
}
