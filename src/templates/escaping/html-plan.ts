/** Plans the escaping of an HTML template. */
import {
  joinStyleEscapers,
  joinUrlEscapers,
  lowerCase,
  MarkerError,
  Page,
  type PageListener,
  type PolicyUse,
  wholeValue,
} from '../contexts.ts'
import type { BlockStep, IncludeNode, OutputNode, TextNode } from '../read.ts'
import {
  differ,
  type Escape,
  type EscapingPlan,
  Planner,
  type TextPart,
  type UnplannedTemplate,
  type BranchPath,
} from './branch-paths.ts'
import { refuseExpressions } from './expression-problems.ts'
import { literalTexts } from './literal-texts.ts'
import { PolicyUses, printedStyles } from './policy-uses.ts'

interface FoundEscape {
  only?: string
  outer?: string
  inner?: string
  before: string
}

/** An attribute that its expression prints as a whole or leaves out. */
interface Presence {
  readonly name: string
  readonly escaper: string
}

/** The number of characters of a static text that the template does not print, because an expression prints them. */
interface Cut {
  start: number
  end: number
}

type Insertions = Map<number, 'nonce' | 'quote'>

export class HtmlPlanner extends Planner<Page> implements PageListener {
  readonly #found = new Map<number, FoundEscape>()
  readonly #insertions = new Map<TextNode, Insertions>()
  readonly #presences = new Map<number, Presence>()
  readonly #cuts = new Map<TextNode, Cut>()
  readonly #foreignIncludes = new Map<IncludeNode, string>()
  readonly #policy: PolicyUses
  #hasRawText = false
  #scripting = false

  constructor(template: UnplannedTemplate) {
    super(template)
    this.#policy = new PolicyUses(this.markers)
  }

  run(): EscapingPlan {
    this.#runOnce()
    // A browser that runs scripts parses the content of noscript as text; one without scripts parses it as markup. Plan
    // for both.
    if (/<noscript/i.test(this.template.source.text)) {
      this.#scripting = true
      this.#runOnce()
    }
    const escapes = new Map(this.outputs.map((node, marker) => [node, this.#escapeOf(marker)]))
    refuseExpressions(this.template.source, escapes)
    const texts = new Set([...this.#insertions.keys(), ...this.#cuts.keys()])
    return {
      escapes,
      texts: new Map([...texts].map((node) => [node, this.#partsOf(node)])),
      usesNonce: [...this.#insertions.values()].some((one) => [...one.values()].includes('nonce')),
      hasRawText: this.#hasRawText,
      foreignIncludes: this.#foreignIncludes,
      ...this.#policy.result((marker) => {
        const node = this.outputs[marker]!
        const { code, raw } = node
        const text = this.template.source.text.slice(code.start, code.codeEnd)
        return raw ? undefined : printedStyles(text, escapes.get(node)!.escapers.at(-1)!)
      }),
    }
  }

  #runOnce(): void {
    const { source, steps } = this.template
    const isWhole = /<(?:html|head|!doctype)\b/i.test(source.text)
    const start = { page: this.#page(isWhole ? '' : '<!doctype html><body>'), pieces: undefined }
    for (const path of this.follow(steps, [start])) this.end(path, source.text.length)
  }

  #page(before: string): Page {
    return new Page({
      markers: this.markers,
      listener: this,
      scripting: this.#scripting,
      before,
      hasMarkers: this.outputs.length > 0,
    })
  }

  #escapeOf(marker: number): Escape {
    const { only, outer, inner, before } = this.#found.get(marker) ?? { before: '' }
    const presence = this.#presences.get(marker)
    if (presence !== undefined && this.#cutAttribute(marker, presence))
      return { escapers: [presence.escaper], before: '', attribute: presence.name }
    if (only !== undefined) return this.#withLiterals(marker, { escapers: [only], before })
    if (outer === undefined || inner === undefined)
      this.fail(
        this.positionOf(marker),
        'browsers ignore the attribute or element of this expression: remove it',
      )
    if (inner === '') return { escapers: [outer], before }
    return this.#withLiterals(marker, {
      escapers: [
        isUrlEscaper(inner) && outer === 'escapeAttribute' ? 'escapeAmpersand' : outer,
        inner,
      ],
      before,
    })
  }

  /** Adds the texts of an expression that stands in place of declarations. */
  #withLiterals(marker: number, escape: Escape): Escape {
    const { code, raw } = this.outputs[marker]!
    if (escape.escapers.at(-1) !== 'styleDeclarations' || raw) return escape
    const literals = literalTexts(this.template.source.text.slice(code.start, code.codeEnd))
    return literals === undefined ? escape : { ...escape, literals }
  }

  escape(marker: number, role: 'only' | 'outer' | 'inner', escaper: string, before = ''): void {
    const found = this.#found.get(marker) ?? { before: '' }
    this.#found.set(marker, found)
    const known = found[role] ?? escaper
    const joined =
      role === 'outer' ? (known === escaper ? known : undefined) : joinInner(known, escaper)
    const mixed = role === 'only' ? found.outer !== undefined : found.only !== undefined
    if (joined === undefined || mixed)
      throw new MarkerError(marker, differ(found.only ?? found.outer ?? known, escaper))
    found[role] = joined
    if (before !== '') found.before = before
  }

  insert(offset: number, what: 'nonce' | 'quote'): void {
    const path = this.path!
    let piece = path.pieces
    while (piece !== undefined && (piece.offset > offset || piece.node === undefined))
      piece = piece.previous
    const { node, at } = piece!
    const index = at - node!.textPos + offset - piece!.offset
    const known: Insertions = this.#insertions.get(node!) ?? new Map()
    this.#insertions.set(node!, known.set(index, what))
    if (what === 'quote')
      path.pieces = { offset: offset + 1, at: node!.textPos + index, node, previous: path.pieces }
  }

  rawText(): void {
    this.#hasRawText = true
  }

  policyUse(offset: number, use: PolicyUse, isDivided: boolean): void {
    this.#policy.add({ ...use, pos: this.at(offset) }, isDivided)
  }

  presence(marker: number, name: string, escaper: string): void {
    this.#presences.set(marker, { name, escaper })
  }

  /**
   * Removes the name and the quotes of an attribute from the static texts around its expression. Returns false if the
   * expression is not the whole value, or prints without escaping.
   */
  #cutAttribute(marker: number, { name, escaper }: Presence): boolean {
    const { nodes } = this.template
    const node = this.outputs[marker]!
    if (node.raw) return false
    const at = nodes.indexOf(node)
    const [before, after] = [nodes[at - 1], nodes[at + 1]]
    const beforeText = before?.kind === 'text' ? before.text : ''
    const afterText = after?.kind === 'text' ? after.text : ''
    const [start, char, quote] =
      new RegExp(`(^|[\\s"'/])${name}\\s*=\\s*(["']?)$`, 'i').exec(beforeText) ?? []
    const isWhole = quote === '' ? /^[\s>]/.test(afterText) : afterText[0] === quote
    if (start === undefined || !isWhole) {
      if (escaper === 'booleanAttribute') this.fail(node.pos, wholeValue(name))
      return false
    }
    if (char === '/')
      this.fail(before!.end - start.length + 1, `write a blank before the attribute '${name}'`)
    this.#cutOf(before as TextNode).end = start.length - char!.length
    if (quote === '') this.#insertions.get(after as TextNode)?.delete(0)
    else this.#cutOf(after as TextNode).start = 1
    return true
  }

  #cutOf(node: TextNode): Cut {
    const cut = this.#cuts.get(node) ?? { start: 0, end: 0 }
    this.#cuts.set(node, cut)
    return cut
  }

  /** Returns the parts of a text that the template prints, with the insertions between them. */
  #partsOf(node: TextNode): TextPart[] {
    const { start, end } = this.#cuts.get(node) ?? { start: 0, end: 0 }
    const insertions: Insertions = this.#insertions.get(node) ?? new Map()
    const parts: TextPart[] = []
    let from = start
    for (const [at, what] of [...insertions].sort(([a], [b]) => a - b)) {
      parts.push({ text: node.text.slice(from, at) }, what === 'nonce' ? 'nonce' : { text: '"' })
      from = at
    }
    return [...parts, { text: node.text.slice(from, node.text.length - end) }]
  }

  protected override node({ page }: BranchPath<Page>, node: OutputNode | IncludeNode): void {
    if (node.kind === 'output') {
      page.output(this.marked.indexOf(node))
      const code = this.template.source.text.slice(node.code.start, node.code.codeEnd).trim()
      const element =
        this.template.name.kind === 'layout' && code === 'body' ? page.foreignElement() : undefined
      if (element !== undefined)
        this.fail(node.pos, `the body of a layout cannot stand inside <${element}>`)
      return
    }
    const place = page.place()
    if (place.kind !== 'text' && !this.#scripting)
      this.fail(node.pos, `a partial can only be included in HTML text, not ${place.label}`)
    const element = page.foreignElement()
    if (element !== undefined) this.#foreignIncludes.set(node, element)
  }

  protected override beforeBlock({ page }: BranchPath<Page>): void {
    page.markDirective()
  }

  protected override join(
    block: BlockStep,
    ends: readonly BranchPath<Page>[],
    starts: readonly BranchPath<Page>[] = [],
  ): void {
    const isLoop = starts.length > 0
    const [first, ...others] = [...starts, ...ends].map((path) =>
      this.guarded(path, () => path.page.place()),
    )
    for (const other of others) {
      const same =
        first!.kind === other.kind
          ? (first!.kind !== 'value' && first!.kind !== 'opened value' && first!.kind !== 'raw') ||
            first!.label === other.label
          : !isLoop && isInTag(first!.kind) && isInTag(other.kind)
      if (same) continue
      const what = isLoop
        ? 'the body of this loop does not end where it began'
        : 'the branches end in different places of the HTML'
      const hint = isLoop && other.kind === 'attribute name' ? '; end it with a blank' : ''
      this.fail(block.end, `${what}: ${other.label} and ${first!.label}${hint}`)
    }
  }

  protected override leave(
    pos: number,
    paths: readonly BranchPath<Page>[],
    starts: readonly BranchPath<Page>[],
  ): void {
    const places = starts.map(({ page }) => page.place().label)
    for (const { page } of paths)
      if (!places.includes(page.place().label)) this.#unfinished(pos, page.place().label)
  }

  #unfinished(pos: number, label: string): never {
    return this.fail(pos, `leaving the block here, ${label}, would leave the HTML unfinished`)
  }

  protected override capture(block: BlockStep): void {
    const path: BranchPath<Page> = { page: this.#page('<!doctype html><body>'), pieces: undefined }
    for (const end of this.follow(block.alternatives[0]!, [path])) {
      const place = this.guarded(end, () => end.page.place())
      if (place.kind !== 'text')
        this.fail(
          block.end,
          `the block of ${block.label} must end in HTML text, not ${place.label}`,
        )
      this.#refuseForeignEnd(end)
    }
  }

  protected override end(path: BranchPath<Page>, pos: number): void {
    const place = this.guarded(path, () => path.page.place())
    if (place.kind === 'text') return this.#refuseForeignEnd(path)
    if (pos < this.template.source.text.length) this.#unfinished(pos, place.label)
    this.path = path
    this.fail(
      this.at(path.page.unfinishedStart()),
      `the template ends ${place.label}, which begins here`,
    )
  }

  #refuseForeignEnd(path: BranchPath<Page>): void {
    const element = path.page.foreignElement()
    if (element === undefined) return
    this.path = path
    const at = lowerCase(path.page.text).lastIndexOf(`<${element}`)
    this.fail(
      this.at(at),
      `the template must close this <${element}>, in which browsers read HTML otherwise`,
    )
  }
}

function joinInner(one: string, other: string): string | undefined {
  if (one === other) return one
  return isUrlEscaper(one) && isUrlEscaper(other)
    ? joinUrlEscapers(one, other)
    : joinStyleEscapers(one, other)
}

const isUrlEscaper = (escaper: string): boolean => /^(?:url|sourceSet)/.test(escaper)

const isInTag = (kind: string): boolean =>
  kind === 'tag' || kind === 'attribute name' || kind === 'tag name'
