/** Stores the candidates of one method in a radix tree, so that a lookup compares only those that may match. */
import type { RequestPath } from '../http.ts'
import {
  pathBelowPrefix,
  pathParamsFromBounds,
  TreeMatch,
  type Candidate,
  type CandidateFinder,
  type Match,
} from './match.ts'
import type { Variant } from './pattern.ts'
import { findSegmentEnd, matchesElements, type Element } from './scan.ts'

const slash = 47
/** Sentinel above every rank; fits a V8 small integer. */
const noRank = 2 ** 30 - 1
const maxBuckets = 64
/** A shared empty array, which saves memory and improves locality. */
const none: readonly never[] = []

/** A candidate at a tree node that matches the remaining path by a scan. */
interface Tail<T> {
  readonly candidate: Candidate<T>
  readonly expression: RegExp | undefined
  /** The elements that match the remaining path; empty if any remaining path matches. */
  readonly elements: readonly Element[]
  /** A literal text that the remaining path must contain. Searching for it is a quick test before the scan. */
  readonly needle: string
  /** The number of characters before the end of the node's label at which the remaining path begins. */
  readonly back: number
}

/** A node of the tree: literal text of the path, and the nodes that may follow this text. */
class TreeNode<T> {
  label: string
  readonly code: number
  children: readonly TreeNode<T>[] = none
  /** The children in a hash table by the first characters of their labels. `sibling` links colliding children. */
  edges: (TreeNode<T> | undefined)[] = [undefined]
  sibling: TreeNode<T> | undefined = undefined
  /** The child of a node with a single child. This usual case needs no hash lookup. */
  only: TreeNode<T> | undefined = undefined
  /** The node after a whole-segment `:name`. */
  param: TreeNode<T> | undefined = undefined
  /** The candidates, by rank, for a path that ends at this node. */
  leaves: readonly Candidate<T>[] = none
  /** The candidates, sorted by rank, that scan the rest of the path after this node. */
  tails: readonly Tail<T>[] = none
  /** The lowest and highest rank in the subtree of this node. */
  first = noRank
  last = -1

  constructor(label: string) {
    this.label = label
    this.code = label === '' ? -1 : label.charCodeAt(0)
  }

  /** Returns the child whose label begins with this character. */
  edge(code: number): TreeNode<T> | undefined {
    const { only } = this
    if (only !== undefined) return only.code === code ? only : undefined
    let edge = this.edges[code & (this.edges.length - 1)]
    while (edge !== undefined && edge.code !== code) edge = edge.sibling
    return edge
  }

  /**
   * Returns the descendant at which the literal `text` ends, and creates missing nodes. Extends the rank range of each
   * visited node by `rank`, because the caller inserts a candidate of that rank below it.
   */
  descend(text: string, rank: number): TreeNode<T> {
    this.#includeRank(rank)
    if (text === '') return this
    let edge = this.edge(text.charCodeAt(0))
    if (edge === undefined) {
      edge = new TreeNode<T>(text)
      this.#addEdge(edge)
    }
    const shared = sharedLength(edge.label, text)
    if (shared < edge.label.length) edge.#split(shared)
    return edge.descend(text.slice(shared), rank)
  }

  /** Returns the node after a whole-segment `:name`, and creates it if it is missing. */
  afterName(rank: number): TreeNode<T> {
    this.param ??= new TreeNode<T>('')
    return this.param.descend('', rank)
  }

  #includeRank(rank: number): void {
    this.first = Math.min(this.first, rank)
    this.last = Math.max(this.last, rank)
  }

  /** Adds a child. Doubles the hash table until no children collide, or up to 64 buckets. */
  #addEdge(edge: TreeNode<T>): void {
    const children = (this.children = [...this.children, edge])
    this.only = children.length === 1 ? edge : undefined
    const buckets = (size: number): number[] => children.map(({ code }) => code & (size - 1))
    let size = 1
    while (size < maxBuckets && new Set(buckets(size)).size < children.length) size *= 2
    this.edges = Array.from({ length: size }, () => undefined)
    for (const child of children) {
      const bucket = child.code & (size - 1)
      child.sibling = this.edges[bucket]
      this.edges[bucket] = child
    }
  }

  /** Shortens the label to `length` characters. Moves the remaining label with all children into a new child. */
  #split(length: number): void {
    const lower = Object.assign(new TreeNode<T>(''), this, {
      label: this.label.slice(length),
      code: this.label.charCodeAt(length),
    })
    this.label = this.label.slice(0, length)
    this.children = none
    this.param = undefined
    this.leaves = none
    this.tails = none
    this.#addEdge(lower)
  }
}

function sharedLength(one: string, other: string): number {
  const limit = Math.min(one.length, other.length)
  let length = 0
  while (length < limit && one.charCodeAt(length) === other.charCodeAt(length)) length += 1
  return length
}

/**
 * A radix tree of candidates. Its fields contain the state of the current lookup, to avoid allocations, so that lookups
 * must not be nested.
 */
export class Tree<T> implements CandidateFinder<T> {
  readonly #root = new TreeNode<T>('')
  #key = ''
  #after = -1
  #best: Candidate<T> | undefined = undefined
  #bestRank = noRank
  /** The start and end of each `:name` of the current lookup. */
  readonly #bounds: number[] = []

  /** Inserts a candidate. Insert candidates in the order of their ranks. */
  insert(candidate: Candidate<T>, prefix: string): void {
    const { variant, rank } = candidate
    if (prefix !== '' && matchesRoot(candidate))
      addLeaf(this.#root.descend(prefix, rank), candidate)
    if (variant !== undefined && startsWithSlash(variant))
      this.#insertSteps(candidate, variant, prefix)
    else
      addTail(
        this.#root.descend(`${prefix}/`, rank),
        createTail(candidate, variant?.elements ?? [], 1),
      )
  }

  #insertSteps(candidate: Candidate<T>, { steps, rest }: Variant, prefix: string): void {
    const { rank } = candidate
    let node = this.#root.descend(prefix, rank)
    for (const step of steps) {
      node = step.kind === 'text' ? node.descend(step.text, rank) : node.afterName(rank)
    }
    if (rest.length === 0) return addLeaf(node, candidate)
    const isSplat = rest.length === 1 && rest[0]?.kind === 'splat'
    addTail(node, createTail(candidate, isSplat ? [] : rest, 0))
  }

  /**
   * Returns the first match of a path. Follows the tree without comparing ranks, and stores the bounds of the
   * parameters. At the first node with several alternatives it falls back to `find`, which most lookups do not need.
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
      if (edge !== undefined && labelMatches(edge.label, key, at)) {
        if (param !== undefined) return this.#search(path)
        at += edge.label.length
        node = edge
      } else {
        if (param === undefined) return undefined
        bounds[count++] = at
        at = findSegmentEnd(key, at)
        bounds[count++] = at
        node = param
      }
    }
    if (node.tails.length > 0) return this.#search(path)
    const candidate = node.leaves[0]
    return (
      candidate &&
      new TreeMatch(this, path, candidate, pathParamsFromBounds(candidate, path, bounds, count))
    )
  }

  #search(path: RequestPath): Match<T> | undefined {
    const candidate = this.find(path.key, -1)
    return candidate && new TreeMatch(this, path, candidate)
  }

  find(key: string, after: number): Candidate<T> | undefined {
    this.#key = key
    this.#after = after
    this.#best = undefined
    this.#bestRank = noRank
    this.#visit(this.#root, 0)
    return this.#best
  }

  /** Searches the subtree of the node whose label ends at `start`. Recurses only at nodes with several alternatives. */
  #visit(from: TreeNode<T>, start: number): void {
    const key = this.#key
    let node = from
    let at = start
    while (at < key.length) {
      const code = key.charCodeAt(at)
      let edge = node.edge(code)
      if (edge !== undefined && !(this.#mayImprove(edge) && labelMatches(edge.label, key, at)))
        edge = undefined
      let param = code === slash ? undefined : node.param
      const single = node.tails.length === 0 && (edge === undefined || param === undefined)
      if (!single && edge !== undefined) this.#visit(edge, at + edge.label.length)
      if (param !== undefined && !this.#mayImprove(param)) param = undefined
      if (!single && param !== undefined) this.#visit(param, findSegmentEnd(key, at))
      if (!single) return this.#takeTail(node.tails, at)
      const next = edge ?? param
      if (next === undefined) return
      at = edge === undefined ? findSegmentEnd(key, at) : at + edge.label.length
      node = next
    }
    this.#takeLeaf(node.leaves)
    this.#takeTail(node.tails, at)
  }

  #mayImprove(node: TreeNode<T>): boolean {
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

/** Returns true if the path contains the label at `at`. The caller has compared the first character. */
function labelMatches(label: string, key: string, at: number): boolean {
  if (at + label.length > key.length) return false
  for (let i = 1; i < label.length; i++) {
    if (label.charCodeAt(i) !== key.charCodeAt(at + i)) return false
  }
  return true
}

function startsWithSlash({ elements: [first] }: Variant): boolean {
  return first?.kind === 'text' && !first.optional && first.text.startsWith('/')
}

/** Returns true if a candidate below a prefix also matches the prefix itself, without a slash after it. */
function matchesRoot({ entry: { matcher }, variant }: Candidate<unknown>): boolean {
  if (variant !== undefined) return matchesElements(variant.elements, '/', 0)
  return matcher instanceof RegExp ? matcher.test('/') : true
}

function createTail<T>(
  candidate: Candidate<T>,
  elements: readonly Element[],
  back: number,
): Tail<T> {
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
  if (expression !== undefined) return expression.test(pathBelowPrefix(candidate, key))
  if (elements.length === 0) return true
  const from = at - back
  return key.includes(needle, from) && matchesElements(elements, key, from)
}
