/** Finds expressions whose context and code do not fit: each is reported with its fix, all of a template at once. */
import { isDeclarationList } from '../contexts.ts'
import type { Escape } from './branch-paths.ts'
import { type OutputNode, type Problem, scanCode, type TemplateSource } from '../read.ts'

/** Throws one error for all expressions of a template that no escaper makes right. */
export function refuseExpressions(
  source: TemplateSource,
  escapes: ReadonlyMap<OutputNode, Escape>,
): void {
  const problems: Problem[] = []
  for (const [node, escape] of escapes) {
    const problem = problemOf(source, node, escape)
    if (problem !== undefined) problems.push(problem)
  }
  const [first, ...others] = problems
  if (first !== undefined) throw source.errorOf([first, ...others])
}

function problemOf(
  source: TemplateSource,
  node: OutputNode,
  { escapers, literals }: Escape,
): Problem | undefined {
  const escaper = escapers.at(-1)!
  if (escaper === 'styleDeclarations' && !node.raw) return noDeclarations(node, literals)
  if (escaper === 'templateLiteral') return templateLiteral(source, node)
  return escaper === 'scriptValue' || escaper === 'jsonValue'
    ? printedTwice(source, node, escaper)
    : undefined
}

function noDeclarations(
  { pos }: OutputNode,
  literals: readonly string[] | undefined,
): Problem | undefined {
  if (literals === undefined)
    return {
      offset: pos,
      reason:
        "a value cannot be a whole declaration: write the property before the value, as in color: ${…}, or choose between texts, as in ${condition ? 'display: none' : ''}",
    }
  const wrong = literals.find((text) => !isDeclarationList(text))
  return wrong === undefined
    ? undefined
    : {
        offset: pos,
        reason: `'${wrong}' is no list of declarations such as 'color: red; margin: 0'`,
      }
}

function templateLiteral({ text }: TemplateSource, { pos, end }: OutputNode): Problem {
  if (text[pos] !== '$')
    return {
      offset: pos,
      reason:
        'an expression cannot stand in a template literal of the browser: put the value in a variable before',
    }
  const fix: { start: number; end: number; text: string }[] = []
  for (let at = pos; at >= 0 && at < end; at = text.indexOf('${', at + 1)) {
    let first = at
    while (text[first - 1] === '\\') first--
    // A template prints one of two backslashes before `${`, so the fix doubles those of the script.
    fix.push({ start: at, end: at, text: '\\'.repeat(at - first + 1) })
  }
  return {
    offset: pos,
    reason:
      'in a template literal of the browser this could mean either: write \\${…} for the browser, or put the value in a variable before',
    fix,
  }
}

const stringify = /\s*(unescape\s*\(\s*)?JSON\s*\.\s*stringify\s*\(/y
/** Matches the rest of a call whose result the browser must read as JSON: nothing, or replacements in the text. */
const replacements = /^\s*(?:\)\s*)?(?:$|\.replace(?:All)?\()/
/** Matches arguments that only set the layout of the JSON. */
const layout = /^(?:\s*(?:null|undefined)\s*(?:,\s*(?:\d+|'[^']*'|"[^"]*")\s*)?,?\s*)?$/

/** Matches the text before an expression whose value the browser parses, so that a text of JSON is right. */
const parsed = /\bJSON\s*\.\s*parse\s*\(\s*$/
/** Matches the text before an expression that can be an argument of a call, which may require a text. */
const argument = /[(,]\s*$/

/** Returns the problem of a call of JSON.stringify in a place where a value is printed as JSON. */
function printedTwice(
  source: TemplateSource,
  node: OutputNode,
  escaper: 'scriptValue' | 'jsonValue',
): Problem | undefined {
  const { text } = source
  const before = text.slice(Math.max(0, node.pos - 100), node.pos)
  if (parsed.test(before)) return undefined
  const { start, codeEnd } = node.code
  const call = source.match(stringify, start)
  if (call === null) return undefined
  const list = scanCode(source, start + call[0].length, ')', node.pos)
  const rest = text.slice(list.next, codeEnd)
  if (!replacements.test(rest)) return undefined
  const comma = list.commas[0] ?? list.end
  const value = text.slice(list.start, comma).trim()
  const code = text.slice(start, codeEnd)
  const blanks = code.length - code.trimStart().length
  const isNested = value.search(stringify) === 0
  const form = !isNested && /^.{1,40}$/.test(value) ? value : '…'
  const problem = {
    offset: start + blanks,
    reason:
      `JSON is printed here anyway, escaped for its place: write the value itself, \${${form}}; ` +
      `for a text that contains JSON, write \${String(JSON.stringify(${form}))}`,
  }
  const isExact = /^\s*\)?\s*$/.test(rest) && layout.test(text.slice(comma + 1, list.end))
  const isArgument = escaper === 'scriptValue' && argument.test(before)
  if (!isExact || isNested || isArgument) return problem
  const after = code.slice(code.trimEnd().length)
  const printed =
    text[node.pos] === '$' ? `\${${code.slice(0, blanks)}${value}${after}}` : `<%= ${value} %>`
  return { ...problem, fix: [{ start: node.pos, end: node.end, text: printed }] }
}
