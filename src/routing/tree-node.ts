/** A node of the routing tree: literal text, and what may follow it. */
import type { Candidate } from './candidate.ts'
import type { Element } from './parse-pattern.ts'

/** After every rank; small enough to be no floating-point number to the engine. */
export const noRank = 2 ** 30 - 1
const mostBuckets = 64
/** Shared by all nodes that have nothing, which keeps the tree small and near. */
const none: readonly never[] = []

/** A candidate that takes the path from a place in it to its end. */
export interface Tail<T> {
  readonly candidate: Candidate<T>
  readonly expression: RegExp | undefined
  /** None: whatever follows is matched. */
  readonly elements: readonly Element[]
  /** A text that must be in what follows; '' when there is none. */
  readonly needle: string
  /** How many characters before the node's end the elements begin. */
  readonly back: number
}

export class TreeNode<T> {
  label: string
  readonly code: number
  /**
   * By the last bits of the first character of their labels; those that share them are a chain of
   * siblings.
   */
  edges: (TreeNode<T> | undefined)[] = [undefined]
  sibling: TreeNode<T> | undefined = undefined
  /** The one child of a node that has one, which is most of them: found without a bucket. */
  only: TreeNode<T> | undefined = undefined
  /** What follows a name that takes the rest of its segment. */
  param: TreeNode<T> | undefined = undefined
  /** Candidates whose path ends here, by rank. */
  leaves: readonly Candidate<T>[] = none
  /** By rank. */
  tails: readonly Tail<T>[] = none
  /** The first and the last rank here and below. */
  first = noRank
  last = -1

  constructor(label: string) {
    this.label = label
    this.code = label === '' ? -1 : label.charCodeAt(0)
  }

  /** The child whose label begins with a character. */
  edge(code: number): TreeNode<T> | undefined {
    const { only } = this
    if (only !== undefined) return only.code === code ? only : undefined
    let edge = this.edges[code & (this.edges.length - 1)]
    while (edge !== undefined && edge.code !== code) edge = edge.sibling
    return edge
  }

  /** The node below for literal text, made if need be, on the way to a candidate of `rank`. */
  below(text: string, rank: number): TreeNode<T> {
    this.#touch(rank)
    if (text === '') return this
    let edge = this.edge(text.charCodeAt(0))
    if (edge === undefined) {
      edge = new TreeNode<T>(text)
      this.#attach(edge)
    }
    const shared = sharedLength(edge.label, text)
    if (shared < edge.label.length) edge.#split(shared)
    return edge.below(text.slice(shared), rank)
  }

  /** The node after a name, made if need be, on the way to a candidate of `rank`. */
  afterName(rank: number): TreeNode<T> {
    this.param ??= new TreeNode<T>('')
    return this.param.below('', rank)
  }

  #touch(rank: number): void {
    this.first = Math.min(this.first, rank)
    this.last = Math.max(this.last, rank)
  }

  #attach(edge: TreeNode<T>): void {
    this.only = this.#children().length === 0 ? edge : undefined
    if (this.#hang(edge) || this.edges.length === mostBuckets) return
    const all = this.#children()
    do this.edges = Array.from({ length: this.edges.length * 2 }, () => undefined)
    while (!all.map((one) => this.#hang(one)).every(Boolean) && this.edges.length < mostBuckets)
  }

  /** Whether the edge has a bucket of its own. */
  #hang(edge: TreeNode<T>): boolean {
    const bucket = edge.code & (this.edges.length - 1)
    edge.sibling = this.edges[bucket]
    this.edges[bucket] = edge
    return edge.sibling === undefined
  }

  #children(): TreeNode<T>[] {
    const all: TreeNode<T>[] = []
    for (const first of this.edges) {
      for (let edge = first; edge !== undefined; edge = edge.sibling) all.push(edge)
    }
    return all
  }

  /**
   * Keeps `length` characters of the label; the rest, with all that hangs on it, moves into a node
   * below.
   */
  #split(length: number): void {
    const lower = new TreeNode<T>(this.label.slice(length))
    Object.assign(lower, {
      edges: this.edges,
      only: this.only,
      param: this.param,
      leaves: this.leaves,
      tails: this.tails,
      first: this.first,
      last: this.last,
    })
    this.label = this.label.slice(0, length)
    this.edges = [undefined]
    this.only = undefined
    this.param = undefined
    this.leaves = none
    this.tails = none
    this.#attach(lower)
  }
}

function sharedLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let length = 0
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length += 1
  return length
}
