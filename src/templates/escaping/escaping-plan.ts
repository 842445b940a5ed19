/**
 * Plans the escaping of a template: chooses the escapers of each expression, and the text that the compiler inserts.
 */
import { JsonText, MarkerError } from '../contexts.ts'
import type { IncludeNode, OutputNode, TemplateNode, TextNode } from '../read.ts'
import {
  differ,
  type Escape,
  type EscapingPlan,
  Planner,
  type SteppedTemplate,
  type TextPart,
  type BranchPath,
} from './branch-paths.ts'
import { HtmlPlanner } from './html-plan.ts'
import type { BlockStep } from './steps.ts'

/**
 * Plans the escaping of an HTML, JSON, XML or text template.
 * @throws TemplateError for an expression that no escaping makes safe, or for branches that leave HTML unclosed
 */
export function planEscaping(template: SteppedTemplate): EscapingPlan {
  const { format, nodes } = template
  if (format === 'html') return new HtmlPlanner(template).run()
  if (format === 'json') return new JsonPlanner(template).run()
  const escapes = new Map<OutputNode, Escape>()
  const escapers = [format === 'xml' ? 'escapeXml' : 'plainText']
  for (const node of nodes) if (node.kind === 'output') escapes.set(node, { escapers, before: '' })
  return { ...emptyPlan, escapes, texts: plainTexts(nodes) }
}

const emptyPlan = { usesNonce: false, hasRawText: false, foreignIncludes: new Map() }

function plainTexts(nodes: readonly TemplateNode[]): Map<TextNode, TextPart[]> {
  const texts = new Map<TextNode, TextPart[]>()
  for (const node of nodes) if (node.kind === 'text') texts.set(node, [{ text: node.text }])
  return texts
}

class JsonPlanner extends Planner<JsonText> {
  readonly #includes = this.template.nodes.filter((node) => node.kind === 'include')
  readonly #escapers = new Map<number, string>()

  run(): EscapingPlan {
    const paths = this.follow(this.template.steps, [{ page: this.#text(), pieces: undefined }])
    for (const path of paths) this.end(path)
    const escapes = new Map<OutputNode, Escape>()
    this.outputs.forEach((node, marker) =>
      escapes.set(node, { escapers: [this.#escapers.get(marker) ?? 'jsonValue'], before: '' }),
    )
    return { ...emptyPlan, escapes, texts: plainTexts(this.template.nodes) }
  }

  protected override positionOf(marker: number): number {
    return (this.outputs[marker] ?? this.#includes[marker - this.outputs.length])!.pos
  }

  protected override node({ page }: BranchPath<JsonText>, node: OutputNode | IncludeNode): void {
    const marker =
      node.kind === 'output'
        ? this.outputs.indexOf(node)
        : this.outputs.length + this.#includes.indexOf(node)
    page.feed(this.markers.text(marker))
  }

  #text(): JsonText {
    return new JsonText(this.markers, (marker, escaper) => this.#escape(marker, escaper))
  }

  #escape(marker: number, escaper: string): void {
    if ((this.#escapers.get(marker) ?? escaper) !== escaper)
      throw new MarkerError(marker, differ(this.#escapers.get(marker)!, escaper))
    if (marker >= this.outputs.length && escaper !== 'jsonValue')
      throw new MarkerError(marker, 'a partial cannot stand in a string of JSON')
    this.#escapers.set(marker, escaper)
  }

  protected override end(path: BranchPath<JsonText>): void {
    this.guarded(path, () => path.page.finish())
  }

  protected override capture(block: BlockStep): void {
    const paths = this.follow(block.alternatives[0]!, [{ page: this.#text(), pieces: undefined }])
    for (const path of paths) this.end(path)
  }

  protected override join(): void {}
  protected override leave(): void {}
}
