/** Puts environment variables into the values of a tree: `${NAME}`, `${NAME:-default}`. */
import type { Variables } from './environment.ts'
import type { Entry, Leaf, Section } from './key-tree.ts'
import type { ConfigProblem } from './problem.ts'

const deepest = 8
const name = /^[A-Za-z_]\w{0,127}$/

class Fault extends Error {}

/** Finds the end of the `${` that opened at `from`, nested ones counted. */
function closingBrace(text: string, from: number): number {
  let open = 0
  for (let at = from; at < text.length; at++) {
    if (text.startsWith('${', at)) open++
    else if (text[at] === '}' && --open === 0) return at
  }
  throw new Fault('`${` has no `}`; write `$${` for the characters themselves')
}

function valueOf(inner: string, variables: Variables, depth: number): string {
  const dash = inner.indexOf(':-')
  const variable = dash < 0 ? inner : inner.slice(0, dash)
  if (!name.test(variable)) throw new Fault('`${…}` must hold the name of an environment variable')
  const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined
  if (dash >= 0 && !value) return expandText(inner.slice(dash + 2), variables, depth + 1)
  if (value !== undefined) return value
  throw new Fault(
    `the environment variable ${variable} is not set; set it, or write \${${variable}:-default}`,
  )
}

function expandText(text: string, variables: Variables, depth = 0): string {
  if (depth > deepest) throw new Fault('`${…}` is nested too deeply')
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
    const end = closingBrace(text, start)
    out += text.slice(at, start) + valueOf(text.slice(start + 2, end), variables, depth)
    at = end + 1
  }
}

/**
 * The tree with its variables filled in; what cannot be filled is added to `problems`. `$${` stands for `${`.
 * A default also stands in for a variable that is set but empty; a value that comes out empty counts as absent.
 */
export function expandVariables(
  section: Section,
  variables: Variables,
  problems: ConfigProblem[],
): Section {
  const leaf = (entry: Leaf): Leaf => {
    if (entry.text?.includes('${') !== true) return entry
    try {
      const text = expandText(entry.text, variables) || undefined
      return { ...entry, text, value: text }
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      problems.push({ origin: entry.origin, text: error.message })
      return entry
    }
  }
  const each = (entry: Entry): Entry => {
    if (entry.kind === 'leaf') return leaf(entry)
    if (entry.kind === 'list') return { ...entry, items: entry.items.map(each) }
    return inside(entry)
  }
  const inside = (outer: Section): Section => {
    const entries = new Map<string, Entry>()
    for (const [key, entry] of outer.entries) entries.set(key, each(entry))
    return { ...outer, entries }
  }
  return inside(section)
}
