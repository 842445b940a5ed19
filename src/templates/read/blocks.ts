/**
 * Checks that all blocks of a template are nested and closed, those of directives and those of TypeScript code.
 * Determines their control flow.
 */
import type {
  Bracket,
  Code,
  CodeNode,
  DirectiveName,
  DirectiveNode,
  TemplateNode,
} from './nodes.ts'
import type { TemplateSource } from './template-source.ts'

interface OpenBlock {
  readonly directive: DirectiveNode | undefined
  readonly char: string
  readonly pos: number
  /** True if the bracket opens a block; false for the parentheses of `.forEach(`. */
  readonly flows: boolean
  last: DirectiveName | undefined
}

const openedBy: Readonly<Partial<Record<DirectiveName, BlockKind>>> = {
  if: 'branch',
  match: 'switch',
  for: 'loop',
  set: 'capture',
  do: 'capture',
}
const codeBlocks: Readonly<Record<string, BlockKind>> = {
  if: 'branch',
  else: 'branch',
  switch: 'switch',
  for: 'loop',
  await: 'loop',
  while: 'loop',
  do: 'loop',
  '': 'once',
}
const pair: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/**
 * Returns the blocks of a template.
 * @throws TemplateError for a block that is not closed
 */
export function analyzeBlocks(source: TemplateSource, nodes: readonly TemplateNode[]): Blocks {
  return new BlockAnalysis(source).run(nodes)
}

class BlockAnalysis {
  readonly #source: TemplateSource
  readonly #stack: OpenBlock[] = []
  readonly #flows = new Map<TemplateNode, Flow[]>()
  readonly #openers = new Map<DirectiveNode, DirectiveNode>()
  readonly #firstCases = new Set<DirectiveNode>()

  constructor(source: TemplateSource) {
    this.#source = source
  }

  run(nodes: readonly TemplateNode[]): Blocks {
    for (const node of nodes) {
      if (node.kind === 'directive') this.#flows.set(node, this.#directive(node))
      else if (node.kind === 'code') this.#flows.set(node, this.#code(node))
      else if (node.kind !== 'comment') this.#refuseBetweenCases(node)
    }
    const open = this.#stack.at(-1)
    if (open)
      throw this.#source.error(
        open.pos,
        `This ${label(open)} has no ${missingCloser(open)}: write ${missingCloser(open)} after the last line that belongs to it`,
      )
    return { flows: this.#flows, openers: this.#openers, firstCases: this.#firstCases }
  }

  #refuseBetweenCases(node: TemplateNode): void {
    if (this.#stack.at(-1)?.last !== 'match') return
    if (node.kind === 'text' && node.text.trim() === '') {
      // Remove the blanks between `#match` and its first `#case`: the generated `switch` must not contain a statement
      // before `case`.
      node.text = ''
      return
    }
    const at =
      node.kind === 'text'
        ? node.textPos + node.text.length - node.text.trimStart().length
        : node.pos
    throw this.#source.error(at, 'nothing may stand between #match and its first #case')
  }

  #directive(node: DirectiveNode): Flow[] {
    const { name, pos } = node
    const block = openedBy[name]
    if (block !== undefined) {
      this.#refuseBetweenCases(node)
      this.#stack.push({ directive: node, char: '#', pos, flows: true, last: name })
      return [{ step: 'open', block, pos, label: '#' + name }]
    }
    const open = this.#stack.at(-1)
    if (open === undefined || open.directive === undefined) throw this.#strayDirective(node, open)
    this.#openers.set(node, open.directive)
    if (name === 'end') {
      if (open.last === 'match') throw this.#source.error(open.pos, '#match has no #case')
      this.#stack.pop()
      return [{ step: 'close', pos }]
    }
    return [this.#alternative(node, open)]
  }

  #strayDirective(node: DirectiveNode, open: OpenBlock | undefined): Error {
    const { name, pos } = node
    if (open)
      return this.#source.error(
        pos,
        `#${name} stands inside the ${label(open)} opened at ${this.#source.place(open.pos)}, which is not closed`,
      )
    const opener =
      name === 'case' || name === 'otherwise' ? '#match' : name === 'end' ? 'an open block' : '#if'
    return this.#source.error(pos, `#${name} without ${opener}`)
  }

  #alternative(node: DirectiveNode, open: OpenBlock): Flow {
    const { name, pos } = node
    const wanted = name === 'case' || name === 'otherwise' ? 'match' : 'if'
    if (open.directive!.name !== wanted) {
      throw this.#source.error(
        pos,
        `#${name} without #${wanted}: the open block is the ${label(open)} of ${this.#source.place(open.pos)}`,
      )
    }
    if (open.last === 'else' || open.last === 'otherwise') {
      throw this.#source.error(pos, `#${name} after #${open.last}: #${open.last} must be the last`)
    }
    const first = open.last === 'match'
    if (first) this.#firstCases.add(node)
    open.last = name
    return { step: 'next', first, exhaustive: name === 'else' || name === 'otherwise', pos }
  }

  #code({ code, pos }: CodeNode): Flow[] {
    if (this.#stack.at(-1)?.last === 'match')
      throw this.#source.error(pos, 'nothing may stand between #match and its first #case')
    const flows: Flow[] = []
    const rest = this.#source.text.slice(code.rest, code.end)
    const continues =
      code.close.at(-1)?.char === '}' && /^\s*else\b/.test(rest) && code.open.length > 0
    code.close.forEach((bracket, at) => {
      const open = this.#popCode(bracket)
      if (!open.flows) return
      if (continues && at === code.close.length - 1) {
        flows.push({
          step: 'next',
          first: false,
          exhaustive: /^\s*else\s*\{/.test(rest),
          pos: bracket.pos,
        })
      } else flows.push({ step: 'close', pos: bracket.pos })
    })
    flows.push(...this.#openCode(code, continues))
    if (code.names.has('return')) flows.push({ step: 'jump', outOf: 'template', pos: code.start })
    if (['break', 'continue', 'case', 'default'].some((name) => code.names.has(name))) {
      flows.push({ step: 'jump', outOf: 'loop', pos: code.start })
    }
    return flows
  }

  #popCode(bracket: Bracket): OpenBlock {
    const open = this.#stack.at(-1)
    if (open === undefined)
      throw this.#source.error(bracket.pos, `'${bracket.char}' closes nothing`)
    if (open.directive) {
      throw this.#source.error(
        bracket.pos,
        `'${bracket.char}' closes nothing inside the ${label(open)} of ${this.#source.place(open.pos)}: #end comes first`,
      )
    }
    if (open.char !== pair[bracket.char]) {
      throw this.#source.error(
        bracket.pos,
        `'${bracket.char}' does not match the '${open.char}' of ${this.#source.place(open.pos)}`,
      )
    }
    this.#stack.pop()
    return open
  }

  #openCode(code: Code, continues: boolean): Flow[] {
    const flows: Flow[] = []
    code.open.forEach((bracket, at) => {
      const block = this.#blockOf(code, at)
      const directive = undefined
      this.#stack.push({
        directive,
        char: bracket.char,
        pos: bracket.pos,
        flows: block !== undefined,
        last: undefined,
      })
      if (block === undefined || (continues && at === 0)) return
      flows.push({ step: 'open', block, pos: bracket.pos, label: `'${bracket.char}'` })
    })
    return flows
  }

  /**
   * Returns the kind of block that a bracket opens. Throws for a function that continues in the next tag: code in
   * another HTML context could call it.
   */
  #blockOf(code: Code, at: number): BlockKind | undefined {
    const bracket = code.open[at]!
    if (bracket.char === '{') {
      const block = codeBlocks[bracket.head]
      if (block !== undefined) return block
      if (bracket.head === '=>' && code.open[at - 1]?.head === 'forEach') {
        if (!code.names.has('async')) return 'loop'
        throw this.#source.error(
          bracket.pos,
          'an asynchronous function would print after the page is done: use #for',
        )
      }
      if (/^(try|catch|finally)$/.test(bracket.head)) {
        throw this.#source.error(
          bracket.pos,
          `a ${bracket.head} block cannot span tags, for what it printed cannot be taken back: compute the value before`,
        )
      }
    } else if (
      bracket.char === '(' &&
      bracket.head === 'forEach' &&
      code.open[at + 1]?.head === '=>'
    )
      return undefined
    throw this.#source.error(
      bracket.pos,
      `this '${bracket.char}' is not closed before '%>': only if, for, while, switch and .forEach blocks may span tags; use a partial instead of a function`,
    )
  }
}

const label = (open: OpenBlock): string =>
  open.directive ? '#' + open.directive.name : `'${open.char}'`
const closer: Readonly<Record<string, string>> = { '(': "')'", '[': "']'", '{': "'}'" }
const missingCloser = (open: OpenBlock): string =>
  open.directive ? '#end' : `<% ${closer[open.char]!.slice(1, -1)} %>`

export type BlockKind = 'branch' | 'switch' | 'loop' | 'once' | 'capture'

/**
 * The effect of a node on control flow. `open` and `close` begin and end a block. `next` begins another alternative of
 * a branch or switch. `jump` leaves a loop, a switch or the template.
 */
export type Flow =
  | {
      readonly step: 'open'
      readonly block: BlockKind
      readonly pos: number
      readonly label: string
    }
  | {
      readonly step: 'next'
      readonly first: boolean
      readonly exhaustive: boolean
      readonly pos: number
    }
  | { readonly step: 'jump'; readonly outOf: 'loop' | 'template'; readonly pos: number }
  | { readonly step: 'close'; readonly pos: number }

/** The blocks and the control flow of a template. */
export interface Blocks {
  readonly flows: ReadonlyMap<TemplateNode, readonly Flow[]>
  /** Maps `#else`, `#case`, `#end` and similar directives to the directive that opened their block. */
  readonly openers: ReadonlyMap<DirectiveNode, DirectiveNode>
  /** The directives that are the first `#case` or `#otherwise` of their `#match`. */
  readonly firstCases: ReadonlySet<DirectiveNode>
}
