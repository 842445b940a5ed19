/** Finds the statuses that an action sets itself, in its source code. */
import type { AnyNode, TypeOf, TypeProject } from './type-project.ts'

export class StatusReader {
  readonly #project: TypeProject

  constructor(project: TypeProject) {
    this.#project = project
  }

  /**
   * Returns the statuses of a result without a status of its own: 200, and those that assignments such as `this.status = 201` set.
   * `2XX` stands for a status that is not a constant.
   */
  read(action: AnyNode): readonly string[] {
    const assigned = this.#assignments(action).flatMap((value) => this.#values(value))
    if (assigned.includes(undefined)) return ['2XX']
    const always = this.#isAlwaysAssigned(action)
    return [...new Set([...(always ? [] : [200]), ...assigned])].map(String)
  }

  /** Returns the assigned values. */
  #assignments(node: AnyNode): readonly AnyNode[] {
    const found: AnyNode[] = []
    const visit = (child: AnyNode): void => {
      if (isStatusAssignment(child)) found.push(child.right!)
      child.forEachChild((one) => visit(one as AnyNode))
    }
    visit(node)
    return found
  }

  /** True if a statement before the first `return` sets the status. */
  #isAlwaysAssigned({ body }: AnyNode): boolean {
    for (const statement of body?.statements ?? []) {
      if (statement.expression !== undefined && isStatusAssignment(statement.expression))
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

const isStatusAssignment = ({ left, right, operatorToken }: AnyNode): boolean =>
  right !== undefined &&
  operatorToken?.getText() === '=' &&
  (left?.getText() ?? '').endsWith('.status')
