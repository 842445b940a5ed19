/** The candidates of one method as a tree: a path meets only those that it may match. */
import type { RequestPath } from '../http.ts'
import { subjectOf, type Candidate, type Candidates } from './candidate.ts'
import { Match } from './match.ts'
import type { Element } from './parse-pattern.ts'
import type { Variant } from './pattern.ts'
import { paramsBetween } from './path-params.ts'
import { accepts } from './scan.ts'
import { segmentEnd } from './segment-end.ts'
import { noRank, TreeNode, type Tail } from './tree-node.ts'

const slash = 47

export class Tree<T> implements Candidates<T> {
  readonly #root = new TreeNode<T>('')
  // The search under way; a lookup runs to its end before another one begins.
  #key = ''
  #after = -1
  #best: Candidate<T> | undefined = undefined
  #bestRank = noRank
  /** Where each name of the way so far begins and ends. */
  readonly #bounds: number[] = []

  /** Adds a candidate; those of lower rank come first. */
  insert(candidate: Candidate<T>, prefix: string): void {
    const { variant, rank } = candidate
    if (prefix !== '' && matchesRoot(candidate)) addLeaf(this.#root.below(prefix, rank), candidate)
    if (variant !== undefined && startsWithSlash(variant))
      this.#insertSteps(candidate, variant, prefix)
    else
      addTail(this.#root.below(`${prefix}/`, rank), tailOf(candidate, variant?.elements ?? [], 1))
  }

  #insertSteps(candidate: Candidate<T>, { steps, rest }: Variant, prefix: string): void {
    const { rank } = candidate
    let node = this.#root.below(prefix, rank)
    for (const step of steps) {
      node = step.kind === 'text' ? node.below(step.text, rank) : node.afterName(rank)
    }
    if (rest.length === 0) return addLeaf(node, candidate)
    const takesAll = rest.length === 1 && rest[0]?.kind === 'splat'
    addTail(node, tailOf(candidate, takesAll ? [] : rest, 0))
  }

  /**
   * The first match of a path. As long as there is but one way to go, no ranks are compared, and
   * what names match is kept on the way: most lookups end so.
   */
  match(path: RequestPath): Match<T> | undefined {
    const { key } = path
    const { length } = key
    const bounds = this.#bounds
    let count = 0
    let node = this.#root
    let at = 0
    while (at < length) {
      if (node.tails.length > 0) return this.#search(path)
      const code = key.charCodeAt(at)
      const edge = node.edge(code)
      const param = code === slash ? undefined : node.param
      if (edge !== undefined && follows(edge.label, key, at)) {
        if (param !== undefined) return this.#search(path)
        at += edge.label.length
        node = edge
      } else {
        if (param === undefined) return undefined
        bounds[count++] = at
        at = segmentEnd(key, at)
        bounds[count++] = at
        node = param
      }
    }
    if (node.tails.length > 0) return this.#search(path)
    const candidate = node.leaves[0]
    return (
      candidate && new Match(this, path, candidate, paramsBetween(candidate, path, bounds, count))
    )
  }

  #search(path: RequestPath): Match<T> | undefined {
    const candidate = this.find(path.key, -1)
    return candidate && new Match(this, path, candidate)
  }

  /** The first candidate by rank that matches the path and comes after a rank. */
  find(key: string, after: number): Candidate<T> | undefined {
    this.#key = key
    this.#after = after
    this.#best = undefined
    this.#bestRank = noRank
    this.#visit(this.#root, 0)
    return this.#best
  }

  /**
   * Follows the path from a node whose end is at `at`; on a single way it goes on without calling
   * itself.
   */
  #visit(from: TreeNode<T>, start: number): void {
    const key = this.#key
    let node = from
    let at = start
    while (at < key.length) {
      const code = key.charCodeAt(at)
      let edge = node.edge(code)
      if (edge !== undefined && !(this.#wants(edge) && follows(edge.label, key, at)))
        edge = undefined
      let param = code === slash ? undefined : node.param
      const single = node.tails.length === 0 && (edge === undefined || param === undefined)
      if (!single && edge !== undefined) this.#visit(edge, at + edge.label.length)
      if (param !== undefined && !this.#wants(param)) param = undefined
      if (!single && param !== undefined) this.#visit(param, segmentEnd(key, at))
      if (!single) return this.#takeTail(node.tails, at)
      const next = edge ?? param
      if (next === undefined) return
      at = edge === undefined ? segmentEnd(key, at) : at + edge.label.length
      node = next
    }
    this.#takeLeaf(node.leaves)
    this.#takeTail(node.tails, at)
  }

  #wants(node: TreeNode<T>): boolean {
    return node.first < this.#bestRank && node.last > this.#after
  }

  #takeLeaf(leaves: readonly Candidate<T>[]): void {
    for (let i = 0; i < leaves.length; i++) {
      const candidate = leaves[i]!
      if (candidate.rank > this.#after) return this.#take(candidate)
    }
  }

  #takeTail(tails: readonly Tail<T>[], at: number): void {
    for (let i = 0; i < tails.length; i++) {
      const tail = tails[i]!
      const { rank } = tail.candidate
      if (rank >= this.#bestRank) return
      if (rank > this.#after && matchesTail(tail, this.#key, at)) return this.#take(tail.candidate)
    }
  }

  #take(candidate: Candidate<T>): void {
    if (candidate.rank >= this.#bestRank) return
    this.#best = candidate
    this.#bestRank = candidate.rank
  }
}

function addLeaf<T>(node: TreeNode<T>, candidate: Candidate<T>): void {
  node.leaves = [...node.leaves, candidate]
}

function addTail<T>(node: TreeNode<T>, tail: Tail<T>): void {
  node.tails = [...node.tails, tail]
}

/**
 * Whether a label is in the path at a place, its first character being known to be. A loop: labels
 * are short.
 */
function follows(label: string, key: string, at: number): boolean {
  if (at + label.length > key.length) return false
  for (let i = 1; i < label.length; i++) {
    if (label.charCodeAt(i) !== key.charCodeAt(at + i)) return false
  }
  return true
}

function startsWithSlash({ elements: [first] }: Variant): boolean {
  return first?.kind === 'text' && !first.optional && first.text.startsWith('/')
}

/** Whether a candidate under a prefix matches the prefix itself. */
function matchesRoot({ entry: { matcher }, variant }: Candidate<unknown>): boolean {
  if (variant !== undefined) return accepts(variant.elements, '/', 0)
  return matcher instanceof RegExp ? matcher.test('/') : true
}

function tailOf<T>(candidate: Candidate<T>, elements: readonly Element[], back: number): Tail<T> {
  const { matcher } = candidate.entry
  const expression = matcher instanceof RegExp ? matcher : undefined
  return { candidate, expression, elements, needle: longestText(elements), back }
}

function longestText(elements: readonly Element[]): string {
  let longest = ''
  for (const element of elements) {
    const needed = element.kind === 'text' && !element.optional
    if (needed && element.text.length > longest.length) longest = element.text
  }
  return longest
}

function matchesTail(
  { candidate, expression, elements, needle, back }: Tail<unknown>,
  key: string,
  at: number,
): boolean {
  if (expression !== undefined) return expression.test(subjectOf(candidate, key))
  if (elements.length === 0) return true
  const from = at - back
  return key.includes(needle, from) && accepts(elements, key, from)
}
