/**
 * Proves the escaping of a template. Renders it with hostile values that are escaped as planned, and checks that
 * browsers parse the same page as with harmless values.
 */
import * as view from '../../runtime/view.ts'
import type { ViewFormat } from '../../runtime/view.ts'
import type { IncludeNode, OutputNode, TemplateNode, TemplateSource, TextNode } from '../read.ts'
import type { EscapingPlan } from './branch-paths.ts'
import { commentTexts, pageDifference } from './page-difference.ts'
import type { Step } from './steps.ts'

/** The parts of a parsed template that the proof of its escaping reads. */
export interface ProvenTemplate {
  readonly source: TemplateSource
  readonly name: { readonly format: ViewFormat }
  readonly nodes: readonly TemplateNode[]
  readonly steps: readonly Step[]
  readonly plan: EscapingPlan
}

type Piece = TextNode | OutputNode | IncludeNode
type BranchPath = readonly Piece[]

const harmless = 'zq'
/** The end tags of all elements whose content browsers parse as text. */
const endTags = '</title></textarea></script></style></noscript></iframe></xmp></select>'
/**
 * The hostile values. Each rendering prints one of them in all expressions of a branch path. Together they break out of
 * every context that is not escaped.
 */
const hostile: readonly string[] = [
  `&p=1&r=2"'\`>--!> -->${endTags}<b onx=1>&quot;&#39;;){}]*/\\`,
  'javascript:alert(1)//" onx=1',
  '/evil.example/;alert(1)//\'\n"',
]
const safeHtml = new view.SafeHtml(`"'>${endTags}<b onx=1>`)

/**
 * Proves the escaping of an HTML template; other formats need no proof.
 * @throws TemplateError at an expression whose value changes how a browser parses the page
 */
export function proveEscaping(template: ProvenTemplate): void {
  if (template.name.format !== 'html') return
  if (!template.nodes.some((node) => node.kind === 'output')) return
  for (const path of coveringPaths(template.steps)) new PathProof(template, path).run()
}

/**
 * Returns branch paths that together take each alternative of each block at least once, and run each loop once and
 * twice.
 */
function coveringPaths(steps: readonly Step[]): BranchPath[] {
  const captured: BranchPath[] = []
  const paths: BranchPath[] = []
  for (let choice = 0; choice < Math.max(1, widest(steps)); choice++) {
    const path: Piece[] = []
    walk(steps, choice, path, captured)
    paths.push(path)
  }
  return [...paths, ...captured].filter((path) => path.some((piece) => piece.kind === 'output'))
}

const widest = (steps: readonly Step[]): number =>
  Math.max(
    0,
    ...steps.map((step) =>
      step.kind === 'block'
        ? Math.max(
            step.block === 'loop' ? 2 : step.alternatives.length + (step.exhaustive ? 0 : 1),
            ...step.alternatives.map(widest),
          )
        : 0,
    ),
  )

function walk(steps: readonly Step[], choice: number, path: Piece[], captured: BranchPath[]): void {
  for (const step of steps) {
    if (step.kind === 'node') path.push(step.node)
    else if (step.kind === 'block') {
      const { block, alternatives } = step
      if (block === 'capture') {
        const own: Piece[] = []
        walk(alternatives[0]!, choice, own, captured)
        captured.push(own)
        continue
      }
      const times = block === 'loop' ? 1 + (choice % 2) : 1
      const options = alternatives.length + (step.exhaustive || block === 'loop' ? 0 : 1)
      const chosen = alternatives[block === 'loop' ? 0 : choice % options] ?? []
      for (let time = 0; time < times; time++) walk(chosen, choice, path, captured)
    }
  }
}

/** Maps an element to the start tags that must precede it; without them a browser drops the element. */
const requiredParents: readonly (readonly [RegExp, string])[] = [
  [/^<(?:td|th)\b/i, '<table><tbody><tr>'],
  [/^<tr\b/i, '<table><tbody>'],
  [/^<(?:tbody|thead|tfoot|caption|colgroup)\b/i, '<table>'],
  [/^<(?:option|optgroup)\b/i, '<select>'],
]

const escapers = view as unknown as Readonly<Record<string, (value: unknown) => string>>

class PathProof {
  readonly #template: ProvenTemplate
  readonly #path: BranchPath
  readonly #bareNames: boolean
  readonly #before: string
  readonly #harmless: string

  constructor(template: ProvenTemplate, path: BranchPath) {
    this.#template = template
    this.#path = path
    this.#bareNames = !path.some((piece) => this.#escapersOf(piece).includes('attributeName'))
    const start = this.#render(() => harmless).trimStart()
    const isWhole = /<(?:html|head|!doctype)\b/i.test(template.source.text)
    const around = requiredParents.find(([shape]) => shape.test(start))?.[1] ?? ''
    this.#before = isWhole ? '' : `<!doctype html><body>${around}`
    this.#harmless = this.#render(() => harmless)
  }

  run(): void {
    for (const value of hostile) this.#compare(() => value)
    // An empty value or `SafeHtml` between tags is allowed to change the elements. So expressions between tags print
    // the harmless value instead.
    const inMarkup = this.#inMarkup()
    for (const value of ['', safeHtml])
      this.#compare((node) => (inMarkup.has(node) ? harmless : value))
  }

  #escapersOf(piece: Piece): readonly string[] {
    return piece.kind === 'output' && !piece.raw
      ? this.#template.plan.escapes.get(piece)!.escapers
      : []
  }

  #render(value: (node: OutputNode) => unknown): string {
    const { texts, escapes } = this.#template.plan
    const printed = this.#path.map((piece) => {
      if (piece.kind === 'include') return ''
      if (piece.kind === 'text')
        return (texts.get(piece) ?? [])
          .map((part) => (part === 'nonce' ? ' nonce="n"' : part.text))
          .join('')
      const { before } = escapes.get(piece)!
      const inner = piece.raw ? harmless : value(piece)
      return (
        before +
        String(this.#escapersOf(piece).reduceRight((text, name) => escapers[name]!(text), inner))
      )
    })
    return (this.#before ?? '') + printed.join('')
  }

  /**
   * Returns the expressions between tags. The parser finds them as comments when each expression prints `<!--name-->`.
   */
  #inMarkup(): ReadonlySet<OutputNode> {
    const outputs = this.#path.filter((piece) => piece.kind === 'output')
    const names = new Map(outputs.map((node, at) => [node, `zq${at}`]))
    const html = this.#render((node) => new view.SafeHtml(`<!--${names.get(node)}-->`))
    const found = commentTexts(html)
    return new Set(outputs.filter((node) => found.has(names.get(node)!)))
  }

  #compare(value: (node: OutputNode) => unknown): void {
    const difference = pageDifference(this.#harmless, this.#render(value), this.#bareNames)
    if (difference === undefined) return
    const outputs = this.#path.filter((piece) => piece.kind === 'output')
    const guilty =
      outputs.find((one) => {
        const alone = this.#render((node) => (node === one ? value(node) : harmless))
        return pageDifference(this.#harmless, alone, this.#bareNames) !== undefined
      }) ?? outputs[0]!
    throw this.#template.source.error(
      guilty.pos,
      `the compiler escapes this expression with ${this.#escapersOf(guilty).join(' and ')}, but the parsers read a hostile value otherwise: ${difference}. Simplify the HTML around it, and report this template as a bug`,
    )
  }
}
