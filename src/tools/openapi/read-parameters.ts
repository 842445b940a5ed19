/** Finds the parameters that an action reads, with their types, in the action's source code. */
import { ParamType, type ParamTypes } from '../../runtime/params.ts'
import type { AnyNode, SymbolOf, TypeProject } from './type-project.ts'

type AnyParamType = ParamType<unknown>

interface ReadParameters {
  /** The fields that `permit` and forms read. */
  readonly body: ParamTypes
  /** The parameters that `params.getAs` reads; all are optional. */
  readonly query: ParamTypes
}

/** The maximum depth of nested calls of helper methods that are followed. */
const maxDepth = 4

const types = ParamType as unknown as Readonly<
  Record<string, AnyParamType | ((...args: readonly unknown[]) => AnyParamType)>
>

export class ParameterReader {
  readonly #project: TypeProject
  readonly #visited = new Set<AnyNode>()
  readonly #body: Record<string, AnyParamType> = {}
  readonly #query: Record<string, AnyParamType> = {}

  constructor(project: TypeProject) {
    this.#project = project
  }

  /** Returns the parameters that an action reads, either itself or in the methods that it calls on `this`. */
  read(action: AnyNode): ReadParameters {
    this.#visit(action, 0)
    return { body: this.#body, query: this.#query }
  }

  #visit(declaration: AnyNode, depth: number): void {
    if (this.#visited.has(declaration)) return
    this.#visited.add(declaration)
    const visit = (node: AnyNode): void => {
      if (node.arguments !== undefined) this.#readCall(node, depth)
      node.forEachChild((child) => visit(child as AnyNode))
    }
    visit(declaration)
  }

  #readCall({ expression, arguments: args = [] }: AnyNode, depth: number): void {
    const name = expression?.name?.text
    if (name === undefined) return
    const owner = expression!.expression?.getText()
    if (name === 'permit') Object.assign(this.#body, this.#readFields(args[0]))
    else if (name === 'validation') Object.assign(this.#body, this.#readFields(args[1]))
    else if (name === 'getAs' && /params$/i.test(owner ?? '')) this.#readQuery(args)
    else if (owner === 'this' && depth < maxDepth) {
      const method = this.#declarationOf(expression!.name!)
      if (method !== undefined) this.#visit(method, depth + 1)
    }
  }

  #readQuery([key, type]: readonly AnyNode[]): void {
    const read = type && this.#readType(type)
    if (key?.text === undefined || read === undefined) return
    this.#query[key.text] = ParamType.optional(read)
  }

  #declarationOf(name: AnyNode): AnyNode | undefined {
    const { checker, compiler } = this.#project
    const symbol = checker.getSymbolAtLocation(name)
    if (symbol === undefined) return undefined
    const isAlias = (symbol.flags & compiler.SymbolFlags.Alias) !== 0
    return this.#project.declarationOf(isAlias ? checker.getAliasedSymbol(symbol) : symbol)
  }

  /** Returns the fields of an object literal or of a constant. Leaves out members that are not a `ParamType`. */
  #readFields(node: AnyNode | undefined): Record<string, AnyParamType> {
    if (node === undefined) return {}
    if (node.properties === undefined) return this.#readFields(this.#valueOf(node))
    const fields: Record<string, AnyParamType> = {}
    for (const property of node.properties) {
      const key = property.name?.text
      if (key === undefined) Object.assign(fields, this.#readFields(property.expression))
      else {
        const value = property.initializer ?? this.#shorthandValue(property)
        const type = value && this.#readType(value)
        if (type !== undefined) fields[key] = type
      }
    }
    return fields
  }

  /** Returns the initializer of a constant, or `x` for `x as T` and `x satisfies T`; for a call `undefined`. */
  #valueOf(node: AnyNode): AnyNode | undefined {
    if (node.arguments !== undefined) return undefined
    const isNamed = node.text !== undefined || node.name !== undefined
    const value = isNamed ? this.#declarationOf(node.name ?? node)?.initializer : node.expression
    return value === node ? undefined : value
  }

  #shorthandValue(property: AnyNode): AnyNode | undefined {
    const symbol: SymbolOf | undefined =
      this.#project.checker.getShorthandAssignmentValueSymbol(property)
    return symbol && this.#project.declarationOf(symbol)?.initializer
  }

  /** Evaluates `ParamType.Int`, `ParamType.optional(…)`, or a constant with such a value. */
  #readType(node: AnyNode): AnyParamType | undefined {
    const callee = node.arguments === undefined ? node : node.expression
    if (callee?.expression?.text === 'ParamType') {
      const type = types[callee.name?.text ?? '']
      if (node.arguments === undefined) return typeof type === 'object' ? type : undefined
      const args = node.arguments.map((argument) => this.#readType(argument) ?? argument.text)
      return typeof type === 'function' && args[0] !== undefined ? type(...args) : undefined
    }
    const inner = this.#valueOf(node)
    return inner && this.#readType(inner)
  }
}
