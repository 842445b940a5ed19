/** Describes hand-written actions from their source code: their responses, and the fields that they read. */
import type { MountedRoute } from '../../runtime/app.ts'
import type { DescribedFields, ResponseDescription } from '../../runtime/controller.ts'
import { isSafeMethod, redirectStatus } from '../../runtime/action.ts'
import type { ParamTypes } from '../../runtime/params.ts'
import type { JsonSchema } from '../../runtime/validation.ts'
import { fieldErrors } from './describe-resource.ts'
import { ParameterReader } from './read-parameters.ts'
import { StatusReader } from './read-statuses.ts'
import type { SchemaSet } from './schema-set.ts'
import type { AnyNode, TypeOf, TypeProject } from './type-project.ts'
import { TypeSchemas } from './type-schema.ts'

/** The description of an action that its source code yields. */
interface SourceDescription {
  /**
   * The responses by status; `2XX` is a success whose status only the running action knows. Absent if the result has an unknown
   * type.
   */
  readonly responses?: Readonly<Record<string, ResponseDescription>>
  /** The fields that `permit` or a form reads from the body. */
  readonly body?: ParamTypes
  /** The query parameters that an action without a body reads. */
  readonly query?: DescribedFields
}

/** The kind of response to which the type of an action's result leads. */
type ResultKind = 'unknown' | 'status' | 'invalid' | 'empty' | 'text' | 'binary' | 'json'

const binaryTypes: ReadonlySet<string> = new Set(
  'ArrayBuffer Blob Buffer File HttpResponse ReadableStream Readable Response Uint8Array'.split(
    ' ',
  ),
)
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export class ActionDescriber {
  readonly #project: TypeProject
  readonly #schemas: SchemaSet
  readonly #types: TypeSchemas
  readonly #invalidStatus: number

  /** @param invalidStatus the status of the response to a failed validation */
  constructor(project: TypeProject, schemas: SchemaSet, invalidStatus: number) {
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
    const read = new ParameterReader(this.#project).read(node)
    const isQuery = isSafeMethod(route.method) || route.method === 'DELETE'
    const fields = Object.entries(isQuery ? { ...read.query, ...read.body } : read.body).filter(
      ([name]) => !inPath.has(name),
    )
    return {
      ...(responses === undefined ? {} : { responses }),
      ...(fields.length === 0 ? {} : { [isQuery ? 'query' : 'body']: Object.fromEntries(fields) }),
    }
  }

  /** Returns the result type and the declaration of the route's action. */
  #findAction({ action, declared, mounted }: MountedRoute) {
    const { checker } = this.#project
    if (declared.actionName === undefined) {
      const method = declared.method.toLowerCase()
      const node = this.#project.findInlineAction(method, declared.pattern)
      return node && { node, type: this.#project.returnType(checker.getTypeAtLocation(node)) }
    }
    const methods = Object.getOwnPropertyNames(mounted.controllerClass.prototype)
    const instance = this.#project.findClass(
      mounted.controllerClass.name,
      methods.filter((name) => name !== 'constructor'),
    )
    const symbol = instance && checker.getPropertyOfType(instance, action!)
    const node = symbol && this.#project.declarationOf(symbol)
    return node && { node, type: this.#project.returnType(checker.getTypeOfSymbol(symbol)) }
  }

  #responses(
    type: TypeOf,
    { mounted, method }: MountedRoute,
    node: AnyNode,
  ): SourceDescription['responses'] {
    const results = Map.groupBy(this.#listTypes(type), (one) => this.#kindOf(one))
    if (results.has('unknown')) return undefined
    const { errorFormat } = mounted.controllerClass as { readonly errorFormat?: string }
    // A controller with HTML errors is for pages, so its texts are HTML. Texts of others may have any media type.
    const textType = errorFormat === 'html' ? 'text/html' : '*/*'
    const responses: Record<string, ResponseDescription> = {}
    const bodyTypes = (results.get('status') ?? []).flatMap((one) => {
      const types = this.#listTypes(this.#argumentsOf(one)[1]!)
      return this.#statusesOf(one, method).map((status) => ({ status, types }))
    })
    for (const [status, all] of Map.groupBy(bodyTypes, (one) => one.status))
      responses[status] = redirects.has(status)
        ? { headers: { Location: { type: 'string' } } }
        : this.#content(
            all.flatMap(({ types }) => types),
            textType,
          )
    const bodies = (['binary', 'json', 'text', 'empty'] as const).flatMap(
      (kind) => results.get(kind) ?? [],
    )
    if (bodies.length > 0)
      for (const status of new StatusReader(this.#project).read(node))
        responses[status] ??= this.#content(bodies, textType)
    if (results.has('invalid'))
      responses[this.#invalidStatus] = {
        description: 'The messages of each invalid field.',
        body: this.#schemas.add('FieldErrors', fieldErrors),
      }
    return responses
  }

  /** Returns the content of a response: bytes of any media type, texts of `textType`, and all other types as JSON. */
  #content(types: readonly TypeOf[], textType: string): ResponseDescription {
    const byKind = Map.groupBy(types, (one) => this.#kindOf(one))
    if (byKind.has('binary')) return { content: { '*/*': {} } }
    const text: JsonSchema = { type: 'string' }
    const schema = this.#types.convertUnion(
      types.filter((one) => !['text', 'empty'].includes(this.#kindOf(one))),
    )
    const content = {
      ...(schema && { 'application/json': schema }),
      ...(byKind.has('text') ? { [textType]: text } : {}),
    }
    return Object.keys(content).length === 0 ? {} : { content }
  }

  /** Returns the types that a promise or a union consists of. */
  #listTypes(type: TypeOf): readonly TypeOf[] {
    const awaited = this.#types.unwrapPromise(type)
    if (awaited !== type) return this.#listTypes(awaited)
    if (type.isUnionType() && !this.#types.is(type, 'Boolean'))
      return type.getTypes().flatMap((one) => this.#listTypes(one))
    return this.#types.is(type, 'Never') ? [] : [type]
  }

  #kindOf(type: TypeOf): ResultKind {
    const types = this.#types
    const name = type.getSymbol()?.name ?? ''
    // A returned number is the status of the response; the `default` response describes it.
    if (types.is(type, 'Any', 'Unknown', 'NumberLike')) return 'unknown'
    if (types.is(type, 'Undefined', 'Void', 'Null')) return 'empty'
    if (types.is(type, 'Primitive') || name === 'SafeHtml') return 'text'
    if (name === 'ActionResult' && type.isTypeReference())
      return this.#statusesOf(type).length === 0 ? 'unknown' : 'status'
    if (name === 'KeyAndErrorMessages') return 'invalid'
    return this.#isBinary(type, name) ? 'binary' : 'json'
  }

  #argumentsOf(type: TypeOf): readonly TypeOf[] {
    return type.isTypeReference() ? this.#project.checker.getTypeArguments(type) : []
  }

  /** Returns the possible statuses of a result, that of `redirect` by the method; none if its type does not tell. */
  #statusesOf(result: TypeOf, method = 'GET'): readonly number[] {
    const [argument] = this.#argumentsOf(result)
    const types = argument === undefined ? [] : this.#listTypes(argument)
    const statuses = types.flatMap((one) => (one.isNumberLiteralType() ? one.value : []))
    if (statuses.length < types.length) return []
    const isRedirect =
      statuses.length === 2 && statuses.every((each) => each === 302 || each === 303)
    return isRedirect ? [redirectStatus(method)] : statuses
  }

  #isBinary(type: TypeOf, name: string): boolean {
    if (binaryTypes.has(name)) return true
    const members = this.#project.checker.getPropertiesOfType(type)
    return members.some((member) => member.name.startsWith('__@asyncIterator'))
  }
}
