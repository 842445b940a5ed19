/**
 * Builds the tree of steps of a template. A step is a node that prints, a block of steps, or a jump such as `break` or
 * `return`.
 */
import type { Blocks, Flow, IncludeNode, OutputNode, TemplateNode, TextNode } from '../read.ts'

/**
 * A block of steps. A `branch` or `switch` runs one of its alternatives. A `loop` runs its body any number of times,
 * `once` runs it once. The output of a `capture` is stored and printed elsewhere.
 */
export interface BlockStep {
  readonly kind: 'block'
  readonly block: (Flow & { step: 'open' })['block']
  readonly label: string
  readonly pos: number
  readonly end: number
  readonly alternatives: readonly (readonly Step[])[]
  /** True if one of the alternatives always runs, as with `#else`. */
  readonly exhaustive: boolean
}

export type Step =
  | { readonly kind: 'node'; readonly node: TextNode | OutputNode | IncludeNode }
  | BlockStep
  | { readonly kind: 'jump'; readonly outOf: 'loop' | 'template'; readonly pos: number }

interface OpenBlock {
  readonly open: Flow & { step: 'open' }
  readonly alternatives: Step[][]
  exhaustive: boolean
}

export function buildSteps(nodes: readonly TemplateNode[], blocks: Blocks): readonly Step[] {
  const top: Step[] = []
  const stack: OpenBlock[] = []
  const current = (): Step[] => stack.at(-1)?.alternatives.at(-1) ?? top
  const take = (flow: Flow): void => {
    const block = stack.at(-1)!
    if (flow.step === 'open') {
      stack.push({ open: flow, alternatives: [[]], exhaustive: flow.block === 'once' })
    } else if (flow.step === 'jump') {
      current().push({ kind: 'jump', outOf: flow.outOf, pos: flow.pos })
    } else if (flow.step === 'next') {
      if (flow.first) block.alternatives.pop()
      block.alternatives.push([])
      block.exhaustive ||= flow.exhaustive
    } else {
      stack.pop()
      const { open, alternatives, exhaustive } = block
      const { block: kind, label, pos } = open
      current().push({
        kind: 'block',
        block: kind,
        label,
        pos,
        end: flow.pos,
        alternatives,
        exhaustive,
      })
    }
  }
  for (const node of nodes) {
    if (node.kind === 'text' || node.kind === 'output' || node.kind === 'include')
      current().push({ kind: 'node', node })
    else for (const flow of blocks.flows.get(node) ?? []) take(flow)
  }
  return top
}
