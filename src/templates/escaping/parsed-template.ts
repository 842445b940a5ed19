/** Parses a template into its nodes, its blocks and its escaping plan. */
import {
  analyzeBlocks,
  type Blocks,
  includedFile,
  type IncludeNode,
  parseTemplate,
  scanNames,
  type OutputNode,
  TemplateError,
  type TemplateNode,
  TemplateSource,
  trimControlLines,
} from '../read.ts'
import { emptyPlan, planEscaping } from './escaping-plan.ts'
import type { Escape, EscapingPlan, UnplannedTemplate } from './branch-paths.ts'
import { templateName, type TemplateName } from '../../runtime/view.ts'

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
  const unplanned = parseNodes(file, text)
  const { source, name, nodes } = unplanned
  const plan = planEscaping(unplanned)
  const includes = new Map<IncludeNode, string>()
  for (const node of nodes) {
    if (node.kind === 'include') includes.set(node, includedFile(source, node, name))
  }
  return { ...unplanned, plan, names: scanNames(nodes), includes }
}

/**
 * Parses a template whose HTML may be incomplete, for editors. The plan prints each expression without escaping. Skips includes
 * of files outside the folders of partials.
 * @throws TemplateError for a mistake in a tag, an expression, a directive or the nesting of blocks
 */
export function parseUnplanned(file: string, text: string): ParsedTemplate {
  const { nodes: all, ...unplanned } = parseNodes(file, text)
  const { source, name } = unplanned
  const includes = new Map<IncludeNode, string>()
  const nodes = all.filter((node) => node.kind !== 'include' || addInclude(node))
  function addInclude(node: IncludeNode): boolean {
    try {
      includes.set(node, includedFile(source, node, name))
      return true
    } catch (error) {
      if (error instanceof TemplateError) return false
      throw error
    }
  }
  const escapes = new Map<OutputNode, Escape>()
  for (const node of nodes)
    if (node.kind === 'output') escapes.set(node, { escapers: [], before: '' })
  const plan = { ...emptyPlan, escapes }
  return { ...unplanned, nodes, plan, names: scanNames(nodes), includes }
}

interface NodesAndBlocks extends Blocks {
  readonly source: TemplateSource
  readonly name: TemplateName
  readonly nodes: readonly TemplateNode[]
}

function parseNodes(file: string, text: string): NodesAndBlocks {
  const source = new TemplateSource(file, text.replace(/^\ufeff/, ''))
  const name = templateName(file)
  if (name === undefined) {
    throw source.error(
      0,
      'a template is views/<path>.<html|json|xml|txt>.ssp, layouts/<name>.ssp or mail/<path>.<html|txt>.ssp',
    )
  }
  const nodes = parseTemplate(source)
  const blocks = analyzeBlocks(source, nodes)
  trimControlLines(source, nodes)
  return { source, name, nodes, ...blocks }
}
