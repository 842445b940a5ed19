/** Finds where a page that is sent in parts may be cut: at the ends of loops, outside of what is printed elsewhere. */
import type { TemplateNode } from './nodes.ts'
import type { ParsedTemplate } from './parsed-template.ts'

interface Open {
  readonly isLoop: boolean
  /** What runs in it is captured, or belongs to a function of its own: nothing can be handed out there. */
  readonly isClosed: boolean
}

export class PartEnds {
  readonly #parsed: ParsedTemplate
  readonly #open: Open[] = []

  constructor(parsed: ParsedTemplate) {
    this.#parsed = parsed
  }

  /** True when a part may end just before `node`; asked of each node in its order. */
  isAfter(node: TemplateNode): boolean {
    let ends = false
    for (const flow of this.#parsed.blocks.flows.get(node) ?? []) {
      if (flow.step === 'open') {
        const isClosed = flow.block === 'capture' || this.#isFunction(flow.pos)
        this.#open.push({ isLoop: flow.block === 'loop', isClosed })
      } else if (flow.step === 'close') {
        const all = this.#open.every((one) => !one.isClosed)
        const closed = this.#open.pop()
        ends ||= all && closed?.isLoop === true
      }
    }
    return ends
  }

  #isFunction(pos: number): boolean {
    return /=>\s*$/.test(this.#parsed.source.text.slice(Math.max(0, pos - 20), pos))
  }
}
