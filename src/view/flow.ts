/** How control flows through the nodes of a template. */
import type { DirectiveNode, TemplateNode } from './nodes.ts'

export type BlockKind = 'branch' | 'switch' | 'loop' | 'once' | 'capture'

/**
 * What a node does to the flow of control. A `branch` or a `switch` runs or not, a `loop` runs any number of times,
 * `once` runs exactly once, a `capture` is printed elsewhere. `next` begins another alternative of a branch.
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

export interface Blocks {
  readonly flows: ReadonlyMap<TemplateNode, readonly Flow[]>
  /** The directive that opened the block of an `#else`, `#case`, `#end` and so on. */
  readonly openers: ReadonlyMap<DirectiveNode, DirectiveNode>
  /** The nodes that are the first `#case` or `#otherwise` of their `#match`. */
  readonly firstCases: ReadonlySet<DirectiveNode>
}
