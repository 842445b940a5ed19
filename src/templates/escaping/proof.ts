/**
 * Proves the escaping of a template. Renders it with hostile values that are escaped as planned, and checks that
 * browsers parse the same page as with harmless values.
 */
import * as view from '../../runtime/view.ts'
import type { OutputNode, PrintingNode, Step } from '../read.ts'
import { commentTexts, pageDifference } from './page-difference.ts'
import type { ParsedTemplate } from './parsed-template.ts'

type BranchPath = readonly PrintingNode[]

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
export function proveEscaping(template: ParsedTemplate): void {
  if (template.name.format !== 'html') return
  if (!template.nodes.some((node) => node.kind === 'output')) return
  for (const path of coveringPaths(template.steps)) new PathProof(template, path).run()
}

/**
 * Returns branch paths that together take each alternative of each block: with one or two rounds of the loops, and again with
 * three rounds. The third round can end a string of a script or style, and `Planner` follows only two.
 */
function coveringPaths(steps: readonly Step[]): BranchPath[] {
  const captured: BranchPath[] = []
  const paths: BranchPath[] = []
  const choices = Array.from({ length: Math.max(1, widest(steps)) }, (_, choice) => choice)
  const add = (choice: number, rounds: number): void => {
    const path: PrintingNode[] = []
    walk(steps, { choice, rounds }, path, captured)
    paths.push(path)
  }
  for (const choice of choices) add(choice, (choice % 2) + 1)
  if (hasLoop(steps)) for (const choice of choices) add(choice, 3)
  return [...paths, ...captured].filter((path) => path.some((piece) => piece.kind === 'output'))
}

const hasLoop = (steps: readonly Step[]): boolean =>
  steps.some(
    (step) => step.kind === 'block' && (step.block === 'loop' || step.alternatives.some(hasLoop)),
  )

/** Which alternative of each block to take, and how many rounds of each loop to run. */
interface Choices {
  readonly choice: number
  readonly rounds: number
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

function walk(
  steps: readonly Step[],
  choices: Choices,
  path: PrintingNode[],
  captured: BranchPath[],
): void {
  for (const step of steps) {
    if (step.kind === 'node') path.push(step.node)
    else if (step.kind === 'block') {
      const { block, alternatives, exhaustive } = step
      if (block === 'capture') {
        const own: PrintingNode[] = []
        walk(alternatives[0]!, choices, own, captured)
        captured.push(own)
      } else if (block === 'loop') {
        for (let round = 0; round < choices.rounds; round++)
          walk(alternatives[0]!, choices, path, captured)
      } else {
        const options = exhaustive ? alternatives : [...alternatives, []]
        walk(options[choices.choice % options.length]!, choices, path, captured)
      }
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

const escapers = view as unknown as Readonly<Record<string, (...values: unknown[]) => string>>

class PathProof {
  readonly #template: ParsedTemplate
  readonly #path: BranchPath
  readonly #bareNames: boolean
  readonly #outputs: readonly OutputNode[]
  readonly #harmless: string
  #before = ''

  constructor(template: ParsedTemplate, path: BranchPath) {
    this.#template = template
    this.#path = path
    this.#outputs = path.filter((piece) => piece.kind === 'output')
    this.#bareNames = !path.some((piece) => this.#escapersOf(piece).includes('attributeName'))
    const start = this.#render(() => harmless).trimStart()
    const isWhole = /<(?:html|head|!doctype)\b/i.test(template.source.text)
    const around = requiredParents.find(([shape]) => shape.test(start))?.[1] ?? ''
    this.#before = isWhole ? '' : `<!doctype html><body>${around}`
    this.#harmless = this.#render(() => harmless)
  }

  run(): void {
    for (const value of hostile) this.#compare(() => value)
    // An empty value or `SafeHtml` between tags is allowed to change the elements, and an empty value leaves a boolean
    // attribute out. So these expressions print the harmless value instead.
    const inMarkup = this.#inMarkup()
    for (const value of ['', safeHtml])
      this.#compare((node) =>
        inMarkup.has(node) || (value === '' && this.#attributeOf(node) !== undefined)
          ? harmless
          : value,
      )
  }

  #attributeOf(node: OutputNode): string | undefined {
    return this.#template.plan.escapes.get(node)!.attribute
  }

  #escapersOf(piece: PrintingNode): readonly string[] {
    return piece.kind === 'output' && !piece.raw
      ? this.#template.plan.escapes.get(piece)!.escapers
      : []
  }

  #render(value: (node: OutputNode) => unknown): string {
    const { texts, escapes } = this.#template.plan
    const printed = this.#path.map((piece) => {
      if (piece.kind === 'include') return ''
      if (piece.kind === 'text')
        return (texts.get(piece) ?? [piece])
          .map((part) => (part === 'nonce' ? ' nonce="n"' : part.text))
          .join('')
      const { before, attribute, literals } = escapes.get(piece)!
      const inner = piece.raw ? harmless : literals === undefined ? value(piece) : literals[0]
      if (attribute !== undefined) return escapers[this.#escapersOf(piece)[0]!]!(attribute, inner)
      return (
        before +
        String(this.#escapersOf(piece).reduceRight((text, name) => escapers[name]!(text), inner))
      )
    })
    return this.#before + printed.join('')
  }

  /**
   * Returns the expressions between tags. The parser finds them as comments when each expression prints `<!--name-->`.
   */
  #inMarkup(): ReadonlySet<OutputNode> {
    const names = new Map(this.#outputs.map((node, at) => [node, `zq${at}`]))
    const html = this.#render((node) => new view.SafeHtml(`<!--${names.get(node)}-->`))
    const found = commentTexts(html)
    return new Set(this.#outputs.filter((node) => found.has(names.get(node)!)))
  }

  #compare(value: (node: OutputNode) => unknown): void {
    const difference = pageDifference(this.#harmless, this.#render(value), this.#bareNames)
    if (difference === undefined) return
    const guilty =
      this.#outputs.find((one) => {
        const alone = this.#render((node) => (node === one ? value(node) : harmless))
        return pageDifference(this.#harmless, alone, this.#bareNames) !== undefined
      }) ?? this.#outputs[0]!
    throw this.#template.source.error(
      guilty.pos,
      `the compiler escapes this expression with ${this.#escapersOf(guilty).join(' and ')}, but the parsers read a hostile value otherwise: ${difference}. Simplify the HTML around it, and report this template as a bug`,
    )
  }
}
