/** Finds the contexts of template expressions inside JavaScript, from the syntax tree of acorn. */
import { parse, type Comment, type Options, type Token } from 'acorn'
import {
  MarkerError,
  type MarkerEscapers,
  type MarkerPlace,
  type Markers,
  refuseAfterBackslash,
  setEscaper,
} from './markers.ts'

/**
 * The kind of a script. `script` includes the value of an attribute such as `onclick`. `framework` is an attribute of
 * Alpine, Vue, htmx or AngularJS: statements or an expression, with or without `await`.
 */
type ScriptKind = 'script' | 'module' | 'framework'

const classic: Options = {
  ecmaVersion: 'latest',
  sourceType: 'script',
  allowReturnOutsideFunction: true,
}
const goals: Readonly<Record<ScriptKind, readonly Options[]>> = {
  script: [classic],
  module: [{ ...classic, sourceType: 'module' }],
  framework: [classic, { ...classic, allowAwaitOutsideFunction: true }],
}

/**
 * Returns the escaper of each marker in a script. `templateLiteral` is not an escaper: it marks an error that the caller reports.
 * @throws MarkerError for a marker that no escaper makes safe, or a script that acorn cannot parse
 */
export function scriptEscapers(text: string, kind: ScriptKind, markers: Markers): MarkerEscapers {
  const texts = kind === 'framework' ? [text, `(${text}\n)`] : [text]
  const found: MarkerEscapers[] = []
  let failure: MarkerError | undefined
  for (const source of texts) {
    for (const options of goals[kind]) {
      const escapers = escapersOf(source, options, markers)
      if (escapers instanceof MarkerError) failure ??= escapers
      else found.push(escapers)
    }
  }
  const [first, ...others] = found
  if (first === undefined) throw failure!
  for (const [marker, escaper] of first) {
    if (others.every((other) => other.get(marker) === escaper)) continue
    throw new MarkerError(
      marker,
      'an expression cannot stand here: the attribute means different things as statements and as an expression',
    )
  }
  return first
}

/**
 * The maximum number of commas to repair in one branch path. A condition around a comma, as in `#if (index > 0),#end`,
 * can leave one comma too many or too few.
 */
const maximumRepairs = 8

function escapersOf(
  source: string,
  options: Options,
  markers: Markers,
): MarkerEscapers | MarkerError {
  let text = source
  for (let repairs = 0; ; repairs++) {
    const tokens: Token[] = []
    const comments: Comment[] = []
    try {
      const program = parse(text, { ...options, onToken: tokens, onComment: comments })
      return new TokenEscapers(text, markers, tokens, comments).run(program)
    } catch (error) {
      if (error instanceof MarkerError) throw error
      const { pos, message } = error as SyntaxError & { readonly pos: number }
      const repaired = repairs < maximumRepairs ? repairComma(text, pos, tokens.at(-1)) : undefined
      if (repaired === undefined) return unparsed(text, pos, message, markers)
      text = repaired
    }
  }
}

/**
 * Adds a missing comma between two operands, or removes a comma without an operand before it. Returns `undefined` if
 * neither applies.
 */
function repairComma(text: string, pos: number, last: Token | undefined): string | undefined {
  if (text[pos] === ',') return `${text.slice(0, pos)} ${text.slice(pos + 1)}`
  const between = last !== undefined && text.slice(last.end, pos).trim() === ''
  if (!between || !endsOperand(text, last) || !/["'\w$[{(]/.test(text[pos] ?? '')) return undefined
  return `${text.slice(0, pos)},${text.slice(pos)}`
}

const endsOperand = (text: string, { start, end }: Token): boolean =>
  /^(?:["'\d].*|[\])}]|(?!(?:typeof|instanceof|in|new|return|case|void|delete|throw)$)[\w$]+)$/s.test(
    text.slice(start, end),
  )

function unparsed(text: string, pos: number, message: string, markers: Markers): MarkerError {
  const places = markers.find(text)
  const nearest = places.findLast(({ start }) => start <= pos) ?? places[0]!
  const near = markers.replace(text.slice(Math.max(0, pos - 15), pos + 15), '${…}').trim()
  const what = message.replace(/ \(\d+:\d+\)$/, '')
  return new MarkerError(
    nearest.marker,
    `the script around this expression is not JavaScript in every way through the branches: ${markers.replace(what, '${…}')} near '${near}'`,
  )
}

interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
}

/** The positions in the syntax tree that require a name instead of a value, written as `Parent.field`. */
const noValue = new Set(
  (
    'VariableDeclarator.id FunctionDeclaration.id FunctionDeclaration.params FunctionExpression.id ' +
    'FunctionExpression.params ArrowFunctionExpression.params ClassDeclaration.id ClassExpression.id CatchClause.param ' +
    'LabeledStatement.label BreakStatement.label ContinueStatement.label ImportSpecifier.imported ImportSpecifier.local ' +
    'ImportDefaultSpecifier.local ImportNamespaceSpecifier.local ExportSpecifier.local ExportSpecifier.exported ' +
    'RestElement.argument ArrayPattern.elements AssignmentPattern.left AssignmentExpression.left ' +
    'UpdateExpression.argument ForInStatement.left ForOfStatement.left'
  ).split(' '),
)

class TokenEscapers {
  readonly #text: string
  readonly #markers: Markers
  readonly #tokens: readonly Token[]
  readonly #comments: readonly Comment[]
  readonly #code = new Map<number, MarkerPlace>()

  constructor(
    text: string,
    markers: Markers,
    tokens: readonly Token[],
    comments: readonly Comment[],
  ) {
    this.#text = text
    this.#markers = markers
    this.#tokens = tokens
    this.#comments = comments
  }

  run(program: SyntaxNode): MarkerEscapers {
    const escapers = new Map<number, string>()
    for (const place of this.#markers.find(this.#text)) {
      const escaper = this.#escaper(place)
      setEscaper(escapers, place.marker, escaper)
      if (escaper === 'scriptValue') this.#code.set(place.start, place)
    }
    if (this.#code.size > 0) this.#visit(program, undefined, '')
    return escapers
  }

  #escaper(place: MarkerPlace): string {
    const { marker, start } = place
    if (this.#comments.some((comment) => comment.start <= start && start < comment.end))
      throw new MarkerError(marker, 'an expression cannot stand in a comment of a script')
    const token = this.#tokens.find((one) => one.start <= start && start < one.end)
    switch (token?.type.label ?? '') {
      case 'string':
        refuseAfterBackslash(this.#text, place, 'script')
        return 'scriptString'
      case 'regexp':
        refuseAfterBackslash(this.#text, place, 'script')
        return 'scriptRegExp'
      case 'template':
        return 'templateLiteral'
      case 'name':
        if (token?.end === place.end && token.start === start) return 'scriptValue'
    }
    throw new MarkerError(
      marker,
      'an expression cannot be a part of a name or number of a script: put a blank between',
    )
  }

  /** Throws for a marker in place of a name, or where JavaScript would parse an object as a block. */
  #visit(node: SyntaxNode, parent: SyntaxNode | undefined, field: string): void {
    const place = node.type === 'Identifier' ? this.#code.get(node.start) : undefined
    if (place !== undefined && parent !== undefined) refuseName(place, parent, field)
    if (node.type === 'ExpressionStatement' || field === 'body') this.#refuseBlock(node)
    for (const [name, value] of Object.entries(node)) {
      for (const child of Array.isArray(value) ? value : [value])
        if (isNode(child)) this.#visit(child, node, name)
    }
  }

  #refuseBlock(node: SyntaxNode): void {
    const place = this.#code.get(node.start)
    if (place === undefined || /^[\s;]*$/.test(this.#text.slice(place.end, node.end))) return
    throw new MarkerError(
      place.marker,
      'an expression cannot begin a statement, where an object would be a block: put it in parentheses',
    )
  }
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof (value as SyntaxNode | null | undefined)?.type === 'string'

function refuseName({ marker }: MarkerPlace, parent: SyntaxNode, field: string): void {
  const { computed, shorthand, method, kind } = parent as SyntaxNode & Record<string, unknown>
  const isName =
    noValue.has(`${parent.type}.${field}`) ||
    (field === 'property' && computed === false) ||
    (field === 'key' && computed === false && (shorthand || method || kind !== 'init')) ||
    (field === 'value' && shorthand === true)
  if (isName)
    throw new MarkerError(marker, 'an expression cannot stand where a script needs a name')
}
