/** Finds the texts that an expression can print, if all of them are literals of the template. */
import { parseExpressionAt } from 'acorn'

interface Expression {
  readonly type: string
  readonly end: number
  readonly value?: unknown
  readonly name?: string
  readonly operator?: string
  readonly left?: Expression
  readonly right?: Expression
  readonly consequent?: Expression
  readonly alternate?: Expression
  readonly expressions?: readonly Expression[]
  readonly quasis?: readonly { readonly value: { readonly cooked: string } }[]
}

/**
 * Returns the texts of an expression such as `condition ? 'a' : 'b'` or `condition && 'a'`; `undefined` if the expression
 * can print another text. TypeScript syntax is never literal, because acorn cannot parse it.
 */
export function literalTexts(code: string): readonly string[] | undefined {
  try {
    const expression = parseExpressionAt(code, 0, { ecmaVersion: 'latest' }) as Expression
    return code.slice(expression.end).trim() === '' ? textsOf(expression) : undefined
  } catch {
    return undefined
  }
}

function textsOf({ type, value, ...node }: Expression): readonly string[] | undefined {
  if (type === 'Literal') {
    if (typeof value === 'string') return [value]
    return value === null || value === false ? [] : undefined
  }
  if (type === 'Identifier') return node.name === 'undefined' ? [] : undefined
  if (type === 'TemplateLiteral')
    return node.expressions!.length === 0 ? [node.quasis![0]!.value.cooked] : undefined
  if (type === 'ConditionalExpression') return joined(node.consequent!, node.alternate!)
  if (type !== 'LogicalExpression') return undefined
  // The left side of `&&` is printed only if it is falsy: it is no text, or an empty one.
  return node.operator === '&&' ? textsOf(node.right!) : joined(node.left!, node.right!)
}

function joined(one: Expression, other: Expression): readonly string[] | undefined {
  const [texts, others] = [textsOf(one), textsOf(other)]
  return texts && others && [...texts, ...others]
}
