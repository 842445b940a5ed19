/**
 * Arranges the nodes of a template as a tree of steps. Checks that all blocks are nested and closed, those of directives
 * and those of TypeScript code.
 */
import type {
  Bracket,
  Code,
  CodeNode,
  DirectiveName,
  DirectiveNode,
  PrintingNode,
  TemplateNode,
} from './nodes.ts'
import { openers } from './code-scanner.ts'
import type { TemplateSource } from './template-source.ts'

type BlockKind = 'branch' | 'switch' | 'loop' | 'once' | 'capture'

/**
 * A block of steps. A `branch` or `switch` runs one of its alternatives. A `loop` runs its body any number of times,
 * `once` runs it once. The output of a `capture` is stored and printed elsewhere.
 */
export interface BlockStep {
  readonly kind: 'block'
  readonly block: BlockKind
  readonly label: string
  readonly pos: number
  readonly end: number
  readonly alternatives: readonly (readonly Step[])[]
  /** True if one of the alternatives always runs, as with `#else`. */
  readonly exhaustive: boolean
}

/** A node that prints, a block of steps, or a jump such as `return`, `break` or, out of several loops, `break label`. */
export type Step =
  | { readonly kind: 'node'; readonly node: PrintingNode }
  | BlockStep
  | { readonly kind: 'jump'; readonly outOf: 'loop' | 'loops' | 'template'; readonly pos: number }

/** The blocks of a template. */
export interface Blocks {
  readonly steps: readonly Step[]
  /** The nodes that end a loop, except inside a capture or a function: before them a streamed page may be split. */
  readonly loopEnds: ReadonlySet<TemplateNode>
}

interface OpenStep extends BlockStep {
  end: number
  readonly alternatives: Step[][]
  exhaustive: boolean
}

interface OpenBlock {
  readonly directive: DirectiveName | undefined
  readonly char: string
  readonly pos: number
  /** The block that this bracket opens; `undefined` for the parenthesis of `.forEach(`, which opens none. */
  readonly step: OpenStep | undefined
  /** True if the block's output is captured, or its code is a separate function. */
  readonly isClosed: boolean
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
  readonly #steps: Step[] = []
  readonly #loopEnds = new Set<TemplateNode>()

  constructor(source: TemplateSource) {
    this.#source = source
  }

  run(nodes: readonly TemplateNode[]): Blocks {
    for (const node of nodes) {
      if (node.kind === 'directive') this.#directive(node)
      else if (node.kind !== 'comment') this.#refuseBetweenCases(node)
      if (node.kind === 'code') this.#code(node)
      else if (node.kind === 'text' || node.kind === 'output' || node.kind === 'include')
        this.#current.push({ kind: 'node', node })
    }
    const open = this.#stack.at(-1)
    if (open)
      throw this.#source.error(
        open.pos,
        `This ${label(open)} has no ${missingCloser(open)}: write ${missingCloser(open)} after the last line that belongs to it`,
      )
    return { steps: this.#steps, loopEnds: this.#loopEnds }
  }

  /** The steps of the innermost open alternative. */
  get #current(): Step[] {
    const open = this.#stack.findLast(({ step }) => step !== undefined)
    return open?.step?.alternatives.at(-1) ?? this.#steps
  }

  #addStep(block: BlockKind, pos: number, name: string): OpenStep {
    const step: OpenStep = {
      kind: 'block',
      block,
      label: name,
      pos,
      end: pos,
      alternatives: [[]],
      exhaustive: block === 'once',
    }
    this.#current.push(step)
    return step
  }

  /** Closes the innermost block at `pos` in `node`. */
  #close(node: TemplateNode, pos: number): void {
    const splits = this.#stack.every(({ isClosed }) => !isClosed)
    const step = this.#stack.pop()?.step
    if (step === undefined) return
    step.end = pos
    if (splits && step.block === 'loop') this.#loopEnds.add(node)
  }

  #refuseBetweenCases(node: TemplateNode): void {
    if (this.#stack.at(-1)?.last !== 'match') return
    if (node.kind === 'text' && node.text.trim() === '') {
      // Remove the blanks between `#match` and its first `#case`: the generated `switch` must not contain a statement
      // before `case`.
      node.text = ''
      return
    }
    const at = node.kind === 'text' ? node.textPos + node.text.search(/\S/) : node.pos
    throw this.#source.error(at, 'nothing may stand between #match and its first #case')
  }

  #directive(node: DirectiveNode): void {
    const { name, pos } = node
    const block = openedBy[name]
    if (block !== undefined) {
      this.#refuseBetweenCases(node)
      const step = this.#addStep(block, pos, '#' + name)
      const isClosed = block === 'capture'
      this.#stack.push({ directive: name, char: '#', pos, step, isClosed, last: name })
      return
    }
    const open = this.#stack.at(-1)
    if (open?.directive === undefined) throw this.#strayDirective(node, open)
    if (name !== 'end') return this.#alternative(node, open)
    if (open.last === 'match') throw this.#source.error(open.pos, '#match has no #case')
    this.#close(node, pos)
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

  #alternative({ name, pos }: DirectiveNode, open: OpenBlock): void {
    const wanted = name === 'case' || name === 'otherwise' ? 'match' : 'if'
    if (open.directive !== wanted) {
      throw this.#source.error(
        pos,
        `#${name} without #${wanted}: the open block is the ${label(open)} of ${this.#source.place(open.pos)}`,
      )
    }
    if (open.last === 'else' || open.last === 'otherwise') {
      throw this.#source.error(pos, `#${name} after #${open.last}: #${open.last} must be the last`)
    }
    const step = open.step!
    // The steps between #match and its first #case are only blanks.
    if (open.last === 'match') step.alternatives.pop()
    step.alternatives.push([])
    step.exhaustive ||= name === 'else' || name === 'otherwise'
    open.last = name
  }

  #code(node: CodeNode): void {
    const { code } = node
    const word = this.#continuation(code)
    let closed: OpenStep | undefined
    for (const bracket of code.close) {
      closed = this.#requireOpen(bracket).step
      this.#close(node, bracket.pos)
    }
    const branch = word === undefined ? undefined : closed
    if (branch !== undefined) {
      branch.alternatives.push([])
      branch.exhaustive ||= word === 'else'
    }
    code.open.forEach(({ char, pos, head }, at) => {
      const block = this.#blockOf(code, at)
      const continued = at === 0 ? branch : undefined
      const step = block && (continued ?? this.#addStep(block, pos, `'${char}'`))
      const isClosed = head === '=>'
      this.#stack.push({ directive: undefined, char, pos, step, isClosed, last: undefined })
    })
    this.#addJumps(code)
  }

  #addJumps({ names, start, end }: Code): void {
    const jump = (outOf: (Step & { kind: 'jump' })['outOf']): void =>
      void this.#current.push({ kind: 'jump', outOf, pos: start })
    if (names.has('return')) {
      jump('template')
      // In a function, `return` continues after the call of `.forEach`.
      if (this.#stack.some(({ char, isClosed }) => char === '{' && isClosed)) jump('loops')
    }
    if (['break', 'continue', 'case', 'default'].some((name) => names.has(name))) {
      const labelled = /\b(?:break|continue)\b(?![ \t]*(?:[;}\r\n]|\/\/|$))/
      jump(labelled.test(this.#source.text.slice(start, end)) ? 'loops' : 'loop')
    }
  }

  /**
   * Returns `else` or `else if` if the code continues the block that it closes, as in `} else if (…) {`. Code such as
   * `} else for (…) {` or `} else f(); if (…) {` opens another block.
   */
  #continuation({ close, open: [next], rest, lastGroup }: Code): 'else' | 'else if' | undefined {
    if (close.at(-1)?.char !== '}' || next === undefined) return undefined
    const between = (start: number, end: number): string =>
      this.#source.text
        .slice(start, end)
        .replace(/\/\*[^]*?\*\/|\/\/.*/g, ' ')
        .trim()
    if (between(rest, next.pos) === 'else') return 'else'
    if (lastGroup === undefined || between(lastGroup.close + 1, next.pos) !== '') return undefined
    return /^else\s+if$/.test(between(rest, lastGroup.open)) ? 'else if' : undefined
  }

  /** Returns the innermost open block. @throws TemplateError unless the bracket closes it */
  #requireOpen(bracket: Bracket): OpenBlock {
    const open = this.#stack.at(-1)
    if (open === undefined)
      throw this.#source.error(bracket.pos, `'${bracket.char}' closes nothing`)
    if (open.directive) {
      throw this.#source.error(
        bracket.pos,
        `'${bracket.char}' closes nothing inside the ${label(open)} of ${this.#source.place(open.pos)}: #end comes first`,
      )
    }
    if (open.char !== openers[bracket.char]) {
      throw this.#source.error(
        bracket.pos,
        `'${bracket.char}' does not match the '${open.char}' of ${this.#source.place(open.pos)}`,
      )
    }
    return open
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

const label = ({ directive, char }: OpenBlock): string =>
  directive ? '#' + directive : `'${char}'`
const missingCloser = ({ directive, char }: OpenBlock): string =>
  directive ? '#end' : `<% ${char === '(' ? ')' : '}'} %>`
