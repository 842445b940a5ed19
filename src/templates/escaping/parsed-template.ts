/** Parses a template into its nodes, its blocks and its escaping plan. */
import {
  analyzeBlocks,
  type Blocks,
  includedFile,
  type IncludeNode,
  parseTemplate,
  scanNames,
  TemplateSource,
  trimControlLines,
} from '../read.ts'
import { planEscaping } from './escaping-plan.ts'
import type { EscapingPlan, UnplannedTemplate } from './branch-paths.ts'
import { templateName } from '../../runtime/view.ts'

/** A template that is parsed and checked alone, without the templates that it includes. */
export interface ParsedTemplate extends UnplannedTemplate, Blocks {
  readonly plan: EscapingPlan
  /** All identifiers in the template's code. */
  readonly names: ReadonlySet<string>
  /** Maps each include to the path of the included file below `WEB-INF/`. */
  readonly includes: ReadonlyMap<IncludeNode, string>
}

/**
 * Parses the template `file`, a path below `WEB-INF/`, whose content is `text`.
 * @throws TemplateError at the first error
 */
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
  const plan = planEscaping({ source, name, nodes, steps: blocks.steps })
  const includes = new Map<IncludeNode, string>()
  for (const node of nodes) {
    if (node.kind === 'include') includes.set(node, includedFile(source, node, name))
  }
  return { source, name, nodes, ...blocks, plan, names: scanNames(nodes), includes }
}
