/** Walks a template once and decides for each expression how it is escaped, and for each text what is added to it. */
import type { Blocks, Flow } from './flow.ts'
import type { ViewFormat } from './engine.ts'
import { ContextError, describe, htmlStart, type HtmlContext } from './html-context.ts'
import { escapeHere, type Escape } from './html-escaper.ts'
import { advanceHtml } from './html-walker.ts'
import { joinContexts, mayRepeat, settle } from './join-contexts.ts'
import type { IncludeNode, OutputNode, TemplateNode, TextNode } from './nodes.ts'
import { advanceScript, scriptEscaper } from './script-context.ts'
import type { TemplateSource } from './template-source.ts'

/** A piece of static text, or the nonce of the tag it stands in. */
export type TextPart = { readonly text: string } | 'nonce'

export interface EscapingPlan {
  readonly escapes: ReadonlyMap<OutputNode, Escape>
  readonly texts: ReadonlyMap<TextNode, readonly TextPart[]>
  readonly usesNonce: boolean
}

export function planEscaping(
  source: TemplateSource,
  nodes: readonly TemplateNode[],
  blocks: Blocks,
  format: ViewFormat,
): EscapingPlan {
  return new Planner(source, blocks, format).run(nodes)
}

interface OpenBlock {
  readonly kind: (Flow & { step: 'open' })['block']
  readonly label: string
  readonly start: HtmlContext
  readonly ends: HtmlContext[]
  exhaustive: boolean
}

class Planner {
  readonly #source: TemplateSource
  readonly #blocks: Blocks
  readonly #format: ViewFormat
  readonly #escapes = new Map<OutputNode, Escape>()
  readonly #texts = new Map<TextNode, TextPart[]>()
  readonly #stack: OpenBlock[] = []
  #context = htmlStart()
  #usesNonce = false
  #tag = 0

  constructor(source: TemplateSource, blocks: Blocks, format: ViewFormat) {
    this.#source = source
    this.#blocks = blocks
    this.#format = format
    if (format === 'json') this.#context.language = 'json'
  }

  run(nodes: readonly TemplateNode[]): EscapingPlan {
    nodes.forEach((node, at) => this.#node(node, nodes[at + 1]))
    if (this.#context.state !== 'text') {
      throw this.#source.error(
        this.#tag,
        `the template ends ${describe(this.#context)}, which begins here`,
      )
    }
    return { escapes: this.#escapes, texts: this.#texts, usesNonce: this.#usesNonce }
  }

  #node(node: TemplateNode, next: TemplateNode | undefined): void {
    if (node.kind === 'text') this.#text(node)
    else if (node.kind === 'output')
      this.#at(node.pos, () => this.#escapes.set(node, this.#escape(next)))
    else if (node.kind === 'include') this.#include(node)
    else if (node.kind === 'directive' || node.kind === 'code') {
      for (const flow of this.#blocks.flows.get(node) ?? []) this.#flow(flow)
    }
  }

  /** Gives a mistake of the context its place in the template. */
  #at<T>(offset: number, action: () => T): T {
    try {
      return action()
    } catch (error) {
      if (error instanceof ContextError) throw this.#source.error(offset + error.at, error.message)
      throw error
    }
  }

  #text(node: TextNode): void {
    if (this.#format === 'html')
      this.#at(node.textPos, () => this.#texts.set(node, this.#htmlText(node)))
    else {
      this.#texts.set(node, [{ text: node.text }])
      if (this.#format === 'json') this.#at(node.textPos, () => this.#jsonText(node.text))
    }
  }

  #htmlText({ text, textPos }: TextNode): TextPart[] {
    const parts: TextPart[] = []
    let from = 0
    advanceHtml(this.#context, text, (at, what) => {
      if (what === 'tag') {
        this.#tag = textPos + at
        return
      }
      parts.push({ text: text.slice(from, at) }, what === 'nonce' ? 'nonce' : { text: '"' })
      from = at
      this.#usesNonce ||= what === 'nonce'
    })
    parts.push({ text: text.slice(from) })
    return parts
  }

  #jsonText(text: string): void {
    for (let at = 0; at < text.length; at++) advanceScript(this.#context, text[at]!)
  }

  #escape(next: TemplateNode | undefined): Escape {
    if (this.#format === 'html') {
      const escape = escapeHere(this.#context)
      const whole =
        escape.escapers[1] === 'sourceSetStart' &&
        next?.kind === 'text' &&
        this.#endsValue(next.text[0]!)
      return whole ? { ...escape, escapers: [escape.escapers[0]!, 'sourceSet'] } : escape
    }
    if (this.#format === 'xml') return { escapers: ['escapeXml'], before: '' }
    if (this.#format === 'txt') return { escapers: ['plain'], before: '' }
    const escaper = scriptEscaper(this.#context)
    return { escapers: [escaper === 'scriptValue' ? 'jsonValue' : escaper], before: '' }
  }

  #endsValue(char: string): boolean {
    const { quote } = this.#context
    return quote === '+' || quote === ' ' ? /[\s>]/.test(char) : char === quote
  }

  #include(node: IncludeNode): void {
    if (this.#format !== 'html' || this.#context.state === 'text') return
    throw this.#source.error(
      node.pos,
      `a partial can only be included in HTML text, not ${describe(this.#context)}`,
    )
  }

  #flow(flow: Flow): void {
    if (this.#format !== 'html') return
    settle(this.#context)
    switch (flow.step) {
      case 'open':
        return this.#open(flow)
      case 'next':
        return this.#next(flow)
      case 'jump':
        return this.#jump(flow)
      case 'close':
        return this.#close(flow.pos)
    }
  }

  #open(flow: Flow & { step: 'open' }): void {
    if (flow.block === 'loop' && this.#context.language === 'script')
      this.#context.slash = 'ambiguous'
    this.#stack.push({
      kind: flow.block,
      label: flow.label,
      start: { ...this.#context },
      ends: [],
      exhaustive: false,
    })
    if (flow.block !== 'capture') return
    if (flow.label === '#do' && this.#context.state !== 'text') {
      throw this.#source.error(
        flow.pos,
        `#do can only stand in HTML text, not ${describe(this.#context)}`,
      )
    }
    this.#context = htmlStart()
  }

  #next(flow: Flow & { step: 'next' }): void {
    const block = this.#stack.at(-1)!
    if (!flow.first) block.ends.push(this.#context)
    this.#context = { ...block.start }
    if (flow.exhaustive) block.exhaustive = true
  }

  #jump(flow: Flow & { step: 'jump' }): void {
    const targets = flow.outOf === 'template' ? [htmlStart()] : this.#jumpTargets()
    if (targets.every((start) => joinContexts(start, this.#context))) return
    throw this.#source.error(
      flow.pos,
      `leaving the block here, ${describe(this.#context)}, would leave the HTML unfinished`,
    )
  }

  /** Where a `break`, `continue` or `case` may lead: the starts of the innermost loop and of the innermost switch. */
  #jumpTargets(): HtmlContext[] {
    const kinds = ['loop', 'switch'] as const
    return kinds.flatMap(
      (kind) => this.#stack.findLast((block) => block.kind === kind)?.start ?? [],
    )
  }

  #close(pos: number): void {
    const block = this.#stack.pop()!
    if (block.kind === 'once') return
    if (block.kind === 'capture') return this.#closeCapture(block, pos)
    if (block.kind === 'loop' && !mayRepeat(block.start, this.#context))
      throw this.#differ(block, pos, this.#context, block.start)
    const ends = [...block.ends, this.#context]
    if (!block.exhaustive) ends.push(block.start)
    this.#context = ends.reduce((a, b) => {
      const joined = joinContexts(a, b)
      if (joined === undefined) throw this.#differ(block, pos, a, b)
      return joined
    })
  }

  #closeCapture(block: OpenBlock, pos: number): void {
    if (this.#context.state !== 'text') {
      throw this.#source.error(
        pos,
        `the block of ${block.label} must end in HTML text, not ${describe(this.#context)}`,
      )
    }
    this.#context = block.start
  }

  #differ(block: OpenBlock, pos: number, a: HtmlContext, b: HtmlContext): Error {
    const what =
      block.kind === 'loop'
        ? 'the body of this loop does not end where it began'
        : 'the branches end in different places of the HTML'
    const [left, right] = [describe(a), describe(b)]
    const where =
      left === right ? `${left}, but not at the same point of it` : `${left} and ${right}`
    const mend =
      block.kind === 'loop' && a.state === 'attribute-name' ? '; end it with a blank' : ''
    return this.#source.error(pos, `${what}: ${where}${mend}`)
  }
}
