/** Replaces references to environment variables, `${NAME}` and `${NAME:-default}`, in the values of a configuration. */
import type { ConfigProblem } from './configuration-error.ts'
import type { Variables } from './environment.ts'
import type { Entry, Leaf, Section } from './key-tree.ts'

/** The maximum depth of defaults that contain other variables. */
const maxDepth = 8
const namePattern = /^[A-Za-z_]\w{0,127}$/

class ExpansionError extends Error {}

/** Returns the index of the `}` that closes the `${` at `from`; nested pairs are skipped. */
function findClosingBrace(text: string, from: number): number {
  let open = 0
  for (let at = from; at < text.length; at++) {
    if (text.startsWith('${', at)) open++
    else if (text[at] === '}' && --open === 0) return at
  }
  throw new ExpansionError('`${` has no `}`; write `$${` for a literal `${`')
}

function expandVariable(inner: string, variables: Variables, depth: number): string {
  const dash = inner.indexOf(':-')
  const name = dash < 0 ? inner : inner.slice(0, dash)
  if (!namePattern.test(name))
    throw new ExpansionError('`${…}` must contain the name of an environment variable')
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined
  if (dash >= 0 && !value) return expandText(inner.slice(dash + 2), variables, depth + 1)
  if (value !== undefined) return value
  throw new ExpansionError(
    `the environment variable ${name} is not set; set it, or write \${${name}:-default}`,
  )
}

function expandText(text: string, variables: Variables, depth = 0): string {
  if (depth > maxDepth) throw new ExpansionError('`${…}` is nested too deeply')
  let out = ''
  let at = 0
  for (;;) {
    const start = text.indexOf('${', at)
    if (start < 0) return out + text.slice(at)
    if (text[start - 1] === '$' && start > at) {
      out += text.slice(at, start - 1) + '${'
      at = start + 2
      continue
    }
    const end = findClosingBrace(text, start)
    out += text.slice(at, start) + expandVariable(text.slice(start + 2, end), variables, depth)
    at = end + 1
  }
}

/**
 * Returns the section with all references to variables replaced by their values; adds each failure to `problems`. `$${` becomes
 * a literal `${`.
 * A default also replaces an empty variable. A value that becomes empty counts as absent.
 */
export function expandVariables(
  section: Section,
  variables: Variables,
  problems: ConfigProblem[],
): Section {
  const expandLeaf = (leaf: Leaf): Leaf => {
    if (leaf.text?.includes('${') !== true) return leaf
    try {
      const text = expandText(leaf.text, variables) || undefined
      return { ...leaf, text, value: text }
    } catch (error) {
      if (!(error instanceof ExpansionError)) throw error
      problems.push({ origin: leaf.origin, text: error.message })
      return leaf
    }
  }
  const expand = (entry: Entry): Entry => {
    if (entry.kind === 'leaf') return expandLeaf(entry)
    if (entry.kind === 'list') return { ...entry, items: entry.items.map(expand) }
    return expandSection(entry)
  }
  const expandSection = (outer: Section): Section => {
    const entries = outer.entries.entries().map(([key, entry]) => [key, expand(entry)] as const)
    return { ...outer, entries: new Map(entries) }
  }
  return expandSection(section)
}
