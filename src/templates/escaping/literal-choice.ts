/** `${active ? 'on' : 'off'}`, the most common expression of templates, can only print what the template says. */
import { parseExpressionAt } from 'acorn'

/** Literals that mean nothing in HTML. */
const plainLiteral = /^[\w -]*$/

/** Whether acorn reads the expression as a choice between two literals that need no escaper; TypeScript is none to it. */
export function isLiteralChoice(code: string): boolean {
  if (!/\?\s*['"]/.test(code)) return false
  try {
    const { type, end, ...node } = parseExpressionAt(code, 0, { ecmaVersion: 'latest' })
    if (type !== 'ConditionalExpression' || code.slice(end).trim() !== '') return false
    const { consequent, alternate } = node as unknown as Record<
      string,
      { readonly value?: unknown }
    >
    return [consequent, alternate].every(
      (branch) => typeof branch?.value === 'string' && plainLiteral.test(branch.value),
    )
  } catch {
    return false
  }
}

/** The escapers of an expression, from the outermost on, without those that would change nothing. */
export function neededEscapers(code: string, escapers: readonly string[]): readonly string[] {
  const [outer, inner] = escapers
  const isHtml = inner === undefined && (outer === 'escapeText' || outer === 'escapeAttribute')
  return isHtml && isLiteralChoice(code) ? [] : escapers
}
