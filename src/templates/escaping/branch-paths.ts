/** Follows every branch path of a template. A branch path is one possible order in which its branches and loops run. */
import type { TemplateName } from '../../runtime/view.ts'
import { MarkerError, Markers, PageError, type PolicyUse } from '../contexts.ts'
import type {
  BlockStep,
  IncludeNode,
  OutputNode,
  PrintingNode,
  Step,
  TemplateNode,
  TemplateSource,
  TextNode,
} from '../read.ts'

/** The escapers of an expression, outermost first, and the text that is printed before its value. */
export interface Escape {
  readonly escapers: readonly string[]
  readonly before: string
  /** The name of the attribute that the escaper prints or leaves out; `undefined` for other expressions. */
  readonly attribute?: string
  /** The only texts that the expression can print; absent if it can print others. */
  readonly literals?: readonly string[]
}

/** A part of the static text, or `nonce` where the compiler inserts the nonce attribute of a script or style tag. */
export type TextPart = { readonly text: string } | 'nonce'

/** The escapers of a template's expressions, and what the compiler inserts into its static text. */
export interface EscapingPlan {
  readonly escapes: ReadonlyMap<OutputNode, Escape>
  /** The texts with insertions. Other text nodes are printed as they are. */
  readonly texts: ReadonlyMap<TextNode, readonly TextPart[]>
  readonly usesNonce: boolean
  /**
   * True if the template has a script, style, title or another element whose content browsers parse differently inside
   * SVG and MathML.
   */
  readonly hasRawText: boolean
  /** Maps each include inside SVG, MathML or `<select>` to the name of that element. */
  readonly foreignIncludes: ReadonlyMap<IncludeNode, string>
  /** The values of style attributes whose texts are all in the template. */
  readonly styles: readonly string[]
  /** The attributes for which browsers ask the Content-Security-Policy, with their positions in the template. */
  readonly policyUses: readonly PlacedUse[]
}

/** An attribute that a Content-Security-Policy may forbid, and its position in the template. */
export interface PlacedUse extends PolicyUse {
  readonly pos: number
  /** The values of a style attribute; absent if they are not known before the page is rendered. */
  readonly values?: readonly string[]
}

/** A template whose nodes are also arranged as a tree of steps. */
export interface UnplannedTemplate {
  readonly source: TemplateSource
  readonly name: TemplateName
  readonly nodes: readonly TemplateNode[]
  readonly steps: readonly Step[]
}

/** The maximum number of branch paths at one point of the template. With more, the template does not compile. */
const maximumStates = 512

/**
 * Maps an offset in the text of a branch path to a position in the template: the node at position `at` begins at
 * `offset`.
 */
interface Piece {
  readonly offset: number
  readonly at: number
  readonly node: TextNode | undefined
  readonly previous: Piece | undefined
}

/**
 * A branch path from the start of the template to the node that the planner reads: its text, and the positions of that
 * text.
 */
export interface BranchPath<P> {
  readonly page: P
  pieces: Piece | undefined
}

interface PathText {
  readonly text: string
  feed(text: string): void
  key(): string
}

/** An open loop or switch. `starts` are the branch paths at its start; `left` are those that have left it by a jump. */
interface Exits<P> {
  readonly starts: readonly BranchPath<P>[]
  readonly isSwitch: boolean
  readonly left: BranchPath<P>[]
}

/**
 * Follows the branch paths through the steps of a template. Merges branch paths whose texts leave the parser in the
 * same state.
 */
export abstract class Planner<P extends PathText & { clone(): P }> {
  protected readonly template: UnplannedTemplate
  protected readonly outputs: readonly OutputNode[]
  /** The nodes that have a marker: the outputs and, after them, the includes. A marker is an index in this list. */
  protected readonly marked: readonly (OutputNode | IncludeNode)[]
  protected readonly markers: Markers
  protected path: BranchPath<P> | undefined
  readonly #exits: Exits<P>[] = []

  constructor(template: UnplannedTemplate) {
    this.template = template
    this.outputs = template.nodes.filter((node) => node.kind === 'output')
    this.marked = [...this.outputs, ...template.nodes.filter((node) => node.kind === 'include')]
    this.markers = new Markers(template.source.text)
  }

  /** Appends an expression or an include to a branch path. */
  protected abstract node(path: BranchPath<P>, node: OutputNode | IncludeNode): void
  /**
   * Throws unless all branch paths end in the same HTML context. `starts` is given for a loop, whose body must also end
   * where it starts.
   */
  protected abstract join(
    block: BlockStep,
    ends: readonly BranchPath<P>[],
    starts?: readonly BranchPath<P>[],
  ): void
  /**
   * Throws if `break`, `continue` or `case` at `pos` leaves its loop or switch in another HTML context than at its
   * start.
   */
  protected abstract leave(
    pos: number,
    paths: readonly BranchPath<P>[],
    starts: readonly BranchPath<P>[],
  ): void
  /**
   * Follows the branch paths of a block whose output the template stores and prints elsewhere, such as `#set … #end`.
   */
  protected abstract capture(block: BlockStep): void
  /** Completes a branch path that ends at `pos`. Throws if the template must not end in this context. */
  protected abstract end(path: BranchPath<P>, pos: number): void
  protected beforeBlock(_path: BranchPath<P>, _block: BlockStep): void {}

  protected fail(offset: number, message: string): never {
    throw this.template.source.error(offset, message)
  }

  protected at(offset: number): number {
    let piece = this.path?.pieces
    while (piece !== undefined && piece.offset > offset) piece = piece.previous
    if (piece === undefined) return 0
    return piece.at + (piece.node === undefined ? 0 : offset - piece.offset)
  }

  protected guarded<T>(path: BranchPath<P>, action: () => T): T {
    this.path = path
    try {
      return action()
    } catch (error) {
      if (error instanceof MarkerError) this.fail(this.positionOf(error.marker), error.message)
      if (error instanceof PageError) this.fail(this.at(error.offset), error.message)
      throw error
    }
  }

  protected positionOf(marker: number): number {
    return this.marked[marker]!.pos
  }

  protected follow(
    steps: readonly Step[],
    starts: readonly BranchPath<P>[],
  ): readonly BranchPath<P>[] {
    let paths = starts
    for (const step of steps) {
      if (step.kind === 'node') for (const path of paths) this.#node(path, step.node)
      else if (step.kind === 'jump') paths = this.#jump(step, paths)
      else paths = this.#block(step, paths)
      if (paths.length > maximumStates) this.#tooMany(step)
    }
    return paths
  }

  #tooMany(step: Step): never {
    return this.fail(
      step.kind === 'block' ? step.pos : 0,
      `more than ${maximumStates} ways lead through the branches up to here: compute the data before and print it with one expression, or move a part into a partial`,
    )
  }

  #node(path: BranchPath<P>, node: PrintingNode): void {
    const text = node.kind === 'text' ? node : undefined
    this.note(path, text === undefined ? node.pos : text.textPos, text)
    this.guarded(path, () => {
      if (node.kind === 'text') path.page.feed(node.text)
      else this.node(path, node)
    })
  }

  protected note(path: BranchPath<P>, at: number, node: TextNode | undefined): void {
    path.pieces = { offset: path.page.text.length, at, node, previous: path.pieces }
  }

  #jump(step: Step & { kind: 'jump' }, paths: readonly BranchPath<P>[]): readonly BranchPath<P>[] {
    if (step.outOf === 'template') {
      for (const path of paths) this.end(path, step.pos)
      return paths
    }
    const loop = this.#exits.findLast(({ isSwitch }) => !isSwitch)
    const choice = this.#exits.findLast(({ isSwitch }) => isSwitch)
    for (const exits of this.#exits) {
      if (step.outOf === 'loop' && exits !== loop && exits !== choice) continue
      this.leave(step.pos, paths, exits.starts)
      exits.left.push(...paths.map(clonePath))
    }
    return choice === undefined ? paths : this.unique([...paths, ...choice.starts.map(clonePath)])
  }

  #block(block: BlockStep, paths: readonly BranchPath<P>[]): readonly BranchPath<P>[] {
    this.#atBorder(paths, block)
    if (block.block === 'capture') {
      this.capture(block)
      return paths
    }
    if (block.block === 'loop') return this.#loop(block, paths)
    const isSwitch = block.block === 'switch' && block.label.startsWith("'")
    const exits = { starts: paths.map(clonePath), isSwitch, left: [] }
    if (isSwitch) this.#exits.push(exits)
    const ends: BranchPath<P>[] = []
    block.alternatives.forEach((alternative) => {
      // The first alternative continues with the parsers of `paths`. Each clone for another alternative parses its text
      // again.
      const own = ends.length === 0 ? paths : exits.starts.map(clonePath)
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

  /**
   * Follows zero, one and two rounds of the loop. In markup, a third round starts in the parser states of the second. In a
   * script or style it may not: `proveEscaping` follows that round.
   */
  #loop(block: BlockStep, paths: readonly BranchPath<P>[]): readonly BranchPath<P>[] {
    const starts = paths.map(clonePath)
    const all = [...starts]
    let bodies: readonly BranchPath<P>[] = paths
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
      bodies = fresh.map(clonePath)
    }
    return this.unique(all)
  }

  /**
   * Prepares branch paths at the start and end of a block. Computes their keys before they are cloned: the clones copy
   * the key and need no parser for it.
   */
  #atBorder(paths: readonly BranchPath<P>[], block: BlockStep): void {
    for (const path of paths) {
      this.guarded(path, () => {
        this.beforeBlock(path, block)
        path.page.key()
      })
    }
  }

  protected unique(paths: readonly BranchPath<P>[]): readonly BranchPath<P>[] {
    const byKey = new Map<string, BranchPath<P>>()
    for (const path of paths) {
      const key = this.guarded(path, () => path.page.key())
      if (!byKey.has(key)) byKey.set(key, path)
    }
    return [...byKey.values()]
  }
}

function clonePath<P extends { clone(): P }>({ page, pieces }: BranchPath<P>): BranchPath<P> {
  return { page: page.clone(), pieces }
}

/** Returns the error message for an expression that needs different escapers in different branch paths. */
export const differ = (one: string, other: string): string =>
  `the branches before this expression lead to different contexts ('${one}' and '${other}'): make them end in the same place`
