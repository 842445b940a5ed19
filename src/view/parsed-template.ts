/** A template by itself: parsed, its blocks nested, its escaping decided. */
import { analyzeBlocks } from './blocks.ts'
import type { Blocks } from './flow.ts'
import { trimControlLines } from './control-lines.ts'
import { planEscaping, type EscapingPlan } from './escaping-plan.ts'
import { includedFile } from './include-path.ts'
import type { IncludeNode, TemplateNode } from './nodes.ts'
import { parseTemplate } from './parser.ts'
import { templateName, type TemplateName } from './template-name.ts'
import { scanNames } from './template-names.ts'
import { TemplateSource } from './template-source.ts'

/** A template that is parsed and checked by itself, before what it includes is known. */
export interface ParsedTemplate {
  readonly source: TemplateSource
  readonly name: TemplateName
  readonly nodes: readonly TemplateNode[]
  readonly blocks: Blocks
  readonly plan: EscapingPlan
  /** Every identifier in its code. */
  readonly names: ReadonlySet<string>
  /** The files it includes, below `WEB-INF/`, with the place of the path. */
  readonly includes: ReadonlyMap<IncludeNode, string>
}

/** @throws TemplateError at the first mistake. */
export function parse(file: string, text: string): ParsedTemplate {
  const source = new TemplateSource(file, text.replace(/^\ufeff/, ''))
  const name = templateName(file)
  if (name === undefined) {
    throw source.error(
      0,
      'a template is views/<path>.<html|json|xml|txt>.ssp or layouts/<name>.ssp',
    )
  }
  const nodes = parseTemplate(source)
  const blocks = analyzeBlocks(source, nodes)
  trimControlLines(source, nodes)
  const plan = planEscaping(source, nodes, blocks, name.format)
  const includes = new Map<IncludeNode, string>()
  for (const node of nodes) {
    if (node.kind === 'include') includes.set(node, includedFile(source, node, name))
  }
  return { source, name, nodes, blocks, plan, names: scanNames(nodes), includes }
}
