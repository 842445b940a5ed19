/**
 * Plans the escaping of a template: chooses the escapers of each expression, and the text that the compiler inserts.
 */
import { parseExpressionAt } from 'acorn'
import { jsonEscapers, JsonText, MarkerError } from '../contexts.ts'
import type { BlockStep, IncludeNode, OutputNode, Step } from '../read.ts'
import {
  differ,
  type Escape,
  type EscapingPlan,
  Planner,
  type UnplannedTemplate,
  type BranchPath,
} from './branch-paths.ts'
import { refuseExpressions } from './expression-problems.ts'
import { HtmlPlanner } from './html-plan.ts'

/**
 * Plans the escaping of an HTML, JSON, XML or text template.
 * @throws TemplateError for an expression that no escaping makes safe, or for branches that leave HTML unclosed
 */
export function planEscaping(template: UnplannedTemplate): EscapingPlan {
  const { nodes } = template
  const { format } = template.name
  if (format === 'html') return new HtmlPlanner(template).run()
  if (format === 'json') return new JsonPlanner(template).run()
  const escapes = new Map<OutputNode, Escape>()
  const escapers = [format === 'xml' ? 'escapeXml' : 'plainText']
  for (const node of nodes) if (node.kind === 'output') escapes.set(node, { escapers, before: '' })
  return { ...emptyPlan, escapes }
}

/** The plan of a template that needs no escaping. */
export const emptyPlan = {
  texts: new Map<never, never>(),
  usesNonce: false,
  hasRawText: false,
  foreignIncludes: new Map<never, never>(),
  styles: [],
  policyUses: [],
}

class JsonPlanner extends Planner<JsonText> {
  readonly #escapers = new Map<number, string>()

  run(): EscapingPlan {
    this.#followWhole(this.template.steps)
    const escapes = new Map<OutputNode, Escape>()
    this.outputs.forEach((node, marker) =>
      escapes.set(node, { escapers: [this.#escapers.get(marker) ?? 'jsonValue'], before: '' }),
    )
    refuseExpressions(this.template.source, escapes)
    return { ...emptyPlan, escapes }
  }

  #followWhole(steps: readonly Step[]): void {
    const page = new JsonText((text, isComplete) => this.#report(text, isComplete))
    for (const path of this.follow(steps, [{ page, pieces: undefined }])) this.end(path)
  }

  protected override node({ page }: BranchPath<JsonText>, node: OutputNode | IncludeNode): void {
    page.feed(this.markers.text(this.marked.indexOf(node)))
  }

  #report(text: string, isComplete: boolean): void {
    for (const [marker, escaper] of jsonEscapers(text, this.markers, isComplete)) {
      const known = this.#escapers.get(marker) ?? escaper
      if (known !== escaper) throw new MarkerError(marker, differ(known, escaper))
      if (marker >= this.outputs.length && escaper !== 'jsonValue')
        throw new MarkerError(marker, 'a partial cannot stand in a string of JSON')
      this.#escapers.set(marker, escaper)
    }
  }

  protected override end(path: BranchPath<JsonText>): void {
    this.guarded(path, () => path.page.finish())
  }

  protected override capture(block: BlockStep): void {
    this.#followWhole(block.alternatives[0]!)
  }

  protected override join(): void {}
  protected override leave(): void {}
}

/** Matches literals without characters that are special in HTML. */
const plainLiteral = /^[\w -]*$/

/**
 * True if acorn parses the expression as `condition ? 'a' : 'b'` with two harmless literals. False for TypeScript
 * syntax, which acorn cannot parse.
 */
export function isLiteralChoice(code: string): boolean {
  if (!/\?\s*['"]/.test(code)) return false
  try {
    const { type, end, ...node } = parseExpressionAt(code, 0, { ecmaVersion: 'latest' })
    if (type !== 'ConditionalExpression' || code.slice(end).trim() !== '') return false
    const { consequent, alternate } = node as unknown as Record<
      string,
      { readonly value?: unknown }
    >
    return [consequent, alternate].every(
      (branch) => typeof branch?.value === 'string' && plainLiteral.test(branch.value),
    )
  } catch {
    return false
  }
}

/**
 * Returns the escapers that the expression needs, outermost first. An expression that can only print harmless literals
 * needs none.
 */
export function neededEscapers(code: string, escapers: readonly string[]): readonly string[] {
  const [outer, inner] = escapers
  const isHtml = inner === undefined && (outer === 'escapeText' || outer === 'escapeAttribute')
  return isHtml && isLiteralChoice(code) ? [] : escapers
}
