/** Follows every way through a template. A way is one path of execution through its branches and loops. */
import type { ViewFormat } from '../../runtime/view.ts'
import { MarkerError, Markers, PageError } from '../contexts.ts'
import type { IncludeNode, OutputNode, TemplateNode, TemplateSource, TextNode } from '../read.ts'
import type { BlockStep, Step } from './steps.ts'

/** The escapers of an expression, outermost first, and the text that is printed before its value. */
export interface Escape {
  readonly escapers: readonly string[]
  readonly before: string
}

/** A piece of static text, or the place where the compiler inserts the tag's nonce. */
export type TextPart = { readonly text: string } | 'nonce'

/** How a template's expressions are escaped, and what the compiler adds to its text. */
export interface EscapingPlan {
  readonly escapes: ReadonlyMap<OutputNode, Escape>
  readonly texts: ReadonlyMap<TextNode, readonly TextPart[]>
  readonly usesNonce: boolean
  /**
   * Whether the template has an element such as a script, style or title, whose content is parsed differently inside
   * SVG and MathML.
   */
  readonly hasRawText: boolean
  /** The includes inside SVG, MathML or `<select>`, with the name of that element. */
  readonly foreignIncludes: ReadonlyMap<IncludeNode, string>
}

/** A template with its nodes as a tree of steps. */
export interface SteppedTemplate {
  readonly source: TemplateSource
  readonly format: ViewFormat
  readonly kind: 'view' | 'partial' | 'layout'
  readonly nodes: readonly TemplateNode[]
  readonly steps: readonly Step[]
}

/** The limit of ways at one point of the template; more are an error. */
const maximumStates = 512

/** Maps `offset` in the text of a way to the position `at` in the template. */
interface Piece {
  readonly offset: number
  readonly at: number
  readonly node: TextNode | undefined
  readonly previous: Piece | undefined
}

/** One path of execution through the template, up to a point. */
export interface Way<P> {
  readonly page: P
  pieces: Piece | undefined
}

interface WayText {
  readonly text: string
  feed(text: string): void
  key(): string
}

/** The open loop or switch that a jump leaves: the ways at its start, and the ways that have left it. */
interface Exits<P> {
  readonly starts: readonly Way<P>[]
  readonly isSwitch: boolean
  readonly left: Way<P>[]
}

/** Follows the ways through the steps. Ways with equal keys are merged. */
export abstract class Planner<P extends WayText & { clone(): P }> {
  protected readonly template: SteppedTemplate
  protected readonly outputs: readonly OutputNode[]
  protected readonly markers: Markers
  protected way: Way<P> | undefined
  readonly #exits: Exits<P>[] = []

  constructor(template: SteppedTemplate) {
    this.template = template
    this.outputs = template.nodes.filter((node) => node.kind === 'output')
    this.markers = new Markers(template.source.text)
  }

  /** Extends a way by a node. */
  protected abstract node(way: Way<P>, node: OutputNode | IncludeNode): void
  /** Checks that the ways at the end of a block may merge, or that a loop body may repeat. */
  protected abstract join(
    block: BlockStep,
    ends: readonly Way<P>[],
    starts?: readonly Way<P>[],
  ): void
  /** Checks that a jump at `pos` may leave the loop or switch. */
  protected abstract leave(pos: number, ways: readonly Way<P>[], starts: readonly Way<P>[]): void
  /** Follows a block whose output is captured and printed elsewhere. */
  protected abstract capture(block: BlockStep): void
  /** Checks a way that ends at `pos`. */
  protected abstract end(way: Way<P>, pos: number): void
  protected beforeBlock(_way: Way<P>, _block: BlockStep): void {}

  protected fail(offset: number, message: string): never {
    throw this.template.source.error(offset, message)
  }

  protected at(offset: number): number {
    let piece = this.way?.pieces
    while (piece !== undefined && piece.offset > offset) piece = piece.previous
    if (piece === undefined) return 0
    return piece.at + (piece.node === undefined ? 0 : offset - piece.offset)
  }

  protected guarded<T>(way: Way<P>, action: () => T): T {
    this.way = way
    try {
      return action()
    } catch (error) {
      if (error instanceof MarkerError) this.fail(this.positionOf(error.marker), error.message)
      if (error instanceof PageError) this.fail(this.at(error.offset), error.message)
      throw error
    }
  }

  protected positionOf(marker: number): number {
    return this.outputs[marker]!.pos
  }

  protected follow(steps: readonly Step[], starts: readonly Way<P>[]): readonly Way<P>[] {
    let ways = starts
    for (const step of steps) {
      if (step.kind === 'node') for (const way of ways) this.#node(way, step.node)
      else if (step.kind === 'jump') ways = this.#jump(step, ways)
      else ways = this.#block(step, ways)
      if (ways.length > maximumStates) this.#tooMany(step)
    }
    return ways
  }

  #tooMany(step: Step): never {
    return this.fail(
      step.kind === 'block' ? step.pos : 0,
      `more than ${maximumStates} ways lead through the branches up to here: compute the data before and print it with one expression, or move a part into a partial`,
    )
  }

  #node(way: Way<P>, node: TextNode | OutputNode | IncludeNode): void {
    const text = node.kind === 'text' ? node : undefined
    this.note(way, text === undefined ? node.pos : text.textPos, text)
    this.guarded(way, () => {
      if (node.kind === 'text') way.page.feed(node.text)
      else this.node(way, node)
    })
  }

  protected note(way: Way<P>, at: number, node: TextNode | undefined): void {
    way.pieces = { offset: way.page.text.length, at, node, previous: way.pieces }
  }

  #jump(step: Step & { kind: 'jump' }, ways: readonly Way<P>[]): readonly Way<P>[] {
    if (step.outOf === 'template') {
      for (const way of ways) this.end(way, step.pos)
      return ways
    }
    const loop = this.#exits.findLast(({ isSwitch }) => !isSwitch)
    const choice = this.#exits.findLast(({ isSwitch }) => isSwitch)
    for (const { starts } of [loop, choice].filter((exits) => exits !== undefined))
      this.leave(step.pos, ways, starts)
    loop?.left.push(...ways.map(cloneWay))
    choice?.left.push(...ways.map(cloneWay))
    return choice === undefined ? ways : this.unique([...ways, ...choice.starts.map(cloneWay)])
  }

  #block(block: BlockStep, ways: readonly Way<P>[]): readonly Way<P>[] {
    this.#atBorder(ways, block)
    if (block.block === 'capture') {
      this.capture(block)
      return ways
    }
    if (block.block === 'loop') return this.#loop(block, ways)
    const isSwitch = block.block === 'switch' && block.label.startsWith("'")
    const exits = { starts: ways.map(cloneWay), isSwitch, left: [] }
    if (isSwitch) this.#exits.push(exits)
    const ends: Way<P>[] = []
    block.alternatives.forEach((alternative) => {
      // The first alternative reuses the parsers; the clones for the others parse the text again.
      const own = ends.length === 0 ? ways : exits.starts.map(cloneWay)
      ends.push(...this.follow(alternative, own))
    })
    if (isSwitch) this.#exits.pop()
    ends.push(...exits.left)
    this.#atBorder(ends, block)
    if (!block.exhaustive) ends.push(...exits.starts)
    const joined = this.unique(ends)
    if (block.block !== 'once') this.join(block, joined)
    return joined
  }

  /** Follows the loop zero times, once and twice. A third run would start in the states of the second. */
  #loop(block: BlockStep, ways: readonly Way<P>[]): readonly Way<P>[] {
    const starts = ways.map(cloneWay)
    const all = [...starts]
    let bodies: readonly Way<P>[] = ways
    for (let round = 0; round < 2 && bodies.length > 0; round++) {
      const exits: Exits<P> = { starts, isSwitch: false, left: [] }
      this.#exits.push(exits)
      const ends = this.follow(block.alternatives[0]!, bodies)
      this.#exits.pop()
      const left = [...ends, ...exits.left]
      this.#atBorder(left, block)
      this.join(block, left, starts)
      const known = new Set(all.map(({ page }) => page.key()))
      const fresh = this.unique(left).filter(({ page }) => !known.has(page.key()))
      all.push(...fresh)
      bodies = fresh.map(cloneWay)
    }
    return this.unique(all)
  }

  /**
   * Runs before and after a block. Computes the key now, because clones copy it and then need no parser of their own.
   */
  #atBorder(ways: readonly Way<P>[], block: BlockStep): void {
    for (const way of ways) {
      this.guarded(way, () => {
        this.beforeBlock(way, block)
        way.page.key()
      })
    }
  }

  protected unique(ways: readonly Way<P>[]): readonly Way<P>[] {
    const byKey = new Map<string, Way<P>>()
    for (const way of ways) {
      const key = this.guarded(way, () => way.page.key())
      if (!byKey.has(key)) byKey.set(key, way)
    }
    return [...byKey.values()]
  }
}

function cloneWay<P extends { clone(): P }>({ page, pieces }: Way<P>): Way<P> {
  return { page: page.clone(), pieces }
}

/** The error message for an expression that gets different escapers in different ways. */
export const differ = (one: string, other: string): string =>
  `the branches before this expression lead to different contexts ('${one}' and '${other}'): make them end in the same place`
