/** Finds the statuses that an action sets itself, in its source code. */
import type { AnyNode, TypeOf, TypeProject } from './type-project.ts'

export class StatusReader {
  readonly #project: TypeProject

  constructor(project: TypeProject) {
    this.#project = project
  }

  /**
   * Returns the statuses of a result without a status of its own: 200, and those that assignments such as `this.status = 201` set.
   * For a status that is not a constant, returns `2XX`.
   */
  read(action: AnyNode): readonly string[] {
    const isAssignment = statusAssignments(action)
    const assigned = this.#assignments(action, isAssignment).flatMap((value) => this.#values(value))
    if (assigned.includes(undefined)) return ['2XX']
    const statuses = assigned.filter((status) => status! >= 100 && status! <= 599)
    const always = statuses.length > 0 && this.#isAlwaysAssigned(action, isAssignment)
    return [...new Set([...(always ? [] : [200]), ...statuses])].map(String)
  }

  /** Returns the assigned values. */
  #assignments(node: AnyNode, isAssignment: IsAssignment): readonly AnyNode[] {
    const found: AnyNode[] = []
    const visit = (child: AnyNode): void => {
      if (isAssignment(child)) found.push(child.right!)
      child.forEachChild((one) => visit(one as AnyNode))
    }
    visit(node)
    return found
  }

  /** True if a statement before the first `return` sets the status. */
  #isAlwaysAssigned({ body }: AnyNode, isAssignment: IsAssignment): boolean {
    for (const statement of body?.statements ?? []) {
      if (statement.expression !== undefined && isAssignment(statement.expression))
        return !/\breturn\b/.test(statement.getText())
      if (/\breturn\b/.test(statement.getText())) return false
    }
    return false
  }

  /** Returns the numbers of the value's type; undefined in place of a status that is no constant. */
  #values(value: AnyNode): readonly (number | undefined)[] {
    const type = this.#project.checker.getTypeAtLocation(value)
    if (type === undefined) return [undefined]
    const types: readonly TypeOf[] = type.isUnionType() ? type.getTypes() : [type]
    return types.map((one) => (one.isNumberLiteralType() ? one.value : undefined))
  }
}

type IsAssignment = (node: AnyNode) => boolean

/** Returns a function that finds assignments of the response's status: to `this`, the action's parameter, or their response. */
function statusAssignments({ parameters }: AnyNode): IsAssignment {
  const parameter = parameters?.[0]?.name?.text
  const owners = parameter === undefined ? ['this'] : ['this', parameter]
  const targets = new Set(['response.status'])
  for (const owner of owners)
    for (const member of ['', '.ctx', '.response', '.ctx.response'])
      targets.add(`${owner}${member}.status`)
  return ({ left, right, operatorToken }) =>
    right !== undefined && operatorToken?.getText() === '=' && targets.has(left?.getText() ?? '')
}
