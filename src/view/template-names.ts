/** The identifiers that the code of a template uses, to import only what it needs. */
import type { TemplateNode } from './nodes.ts'

export function scanNames(nodes: readonly TemplateNode[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const node of nodes) for (const name of namesOf(node)) names.add(name)
  return names
}

function namesOf(node: TemplateNode): Iterable<string> {
  switch (node.kind) {
    case 'output':
    case 'code':
      return node.code.names
    case 'directive':
      return node.code?.names ?? []
    case 'include':
      return node.values?.names ?? []
    case 'value':
      return [...node.type.matchAll(/[\w$]+/g)]
        .map(([name]) => name)
        .concat([...(node.fallback?.names ?? [])])
    default:
      return []
  }
}

/** The names that the `import` lines of a template bring in. */
export function importedNames(nodes: readonly TemplateNode[]): ReadonlySet<string> {
  const names = new Set<string>()
  for (const node of nodes) {
    if (node.kind !== 'import') continue
    const clause = node.text.replace(/\bfrom\s*(['"]).*$/s, '')
    for (const [, original, as] of clause.matchAll(/([\w$]+)(?:\s+as\s+([\w$]+))?/g))
      names.add(as ?? original!)
  }
  return names
}
