/**
 * Omits the escapers of expressions such as `${active ? 'on' : 'off'}`, which can only print one of two harmless
 * literals.
 */
import { parseExpressionAt } from 'acorn'

/** Matches literals without characters that are special in HTML. */
const plainLiteral = /^[\w -]*$/

/**
 * True if acorn parses the expression as `condition ? 'a' : 'b'` with two harmless literals. False for TypeScript
 * syntax, which acorn cannot parse.
 */
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

/**
 * Returns the escapers that the expression needs, outermost first. An expression that can only print harmless literals
 * needs none.
 */
export function neededEscapers(code: string, escapers: readonly string[]): readonly string[] {
  const [outer, inner] = escapers
  const isHtml = inner === undefined && (outer === 'escapeText' || outer === 'escapeAttribute')
  return isHtml && isLiteralChoice(code) ? [] : escapers
}
