/** Tells regular expressions apart that some path can make slow. */
import { anyCharacter, statesOf, type States } from './regexp-states.ts'

/** Larger expressions are not looked at: that would delay the start. */
const mostStates = 150
/** Texts that are followed side by side before the search is given up, for the same reason. */
const mostTuples = 50_000

/**
 * Why a search with this expression may take more than linear time in some path, as a sentence for
 * a log; `undefined` when it does not, or when the expression is too large to tell. To be asked
 * once for each route, at the start.
 */
export function slowRegExp(expression: RegExp): string | undefined {
  const states = statesOf(expression)
  if (states.refersBack)
    return sentence(expression, 'refers back to a group', 'write the group out')
  if (states.takes.length > mostStates) return undefined
  const growth = new Ambiguity(states)
  if (growth.isExponential()) {
    return sentence(
      expression,
      'can match a text in exponentially many ways',
      'let no loop repeat what a loop inside it repeats',
    )
  }
  if (!growth.isPolynomial()) return undefined
  return sentence(
    expression,
    'can begin or divide a match at any of many places',
    'begin it with "^", and keep neighbouring loops apart by a character that neither takes',
  )
}

function sentence(expression: RegExp, why: string, mend: string): string {
  const what = `The regular expression ${expression} of a route ${why}`
  return `${what}, so that a long path can make it slow: ${mend}, or use a pattern.`
}

type Tuple = readonly number[]

/** Looks for two ways through the automaton that read the same text. */
class Ambiguity {
  readonly #takes: readonly bigint[]
  readonly #follow: readonly (readonly number[])[]
  /** For each state, all that come after it. */
  readonly #leads: readonly ReadonlySet<number>[]
  /** States in loops, from which a search may still fail. */
  readonly #looping: readonly number[]
  readonly #twice: ReadonlySet<number>
  #left = mostTuples

  constructor(states: States) {
    // An unanchored search is a loop before the first character;
    // a match that is complete reads no further.
    const start = states.takes.length
    const follow = states.follow.map((next, state) =>
      states.accepting.has(state) ? [] : [...next],
    )
    this.#takes = states.anchored ? states.takes : [...states.takes, anyCharacter]
    this.#follow = states.anchored ? follow : [...follow, [start, ...states.first]]
    this.#leads = this.#follow.map((_, state) => new Set(this.#reach([state]).map(([one]) => one!)))
    this.#twice = states.twice
    const sure = surelyMatching(states)
    this.#looping = [...this.#follow.keys()].filter(
      (state) => this.#leads[state]!.has(state) && !sure.has(state),
    )
  }

  /** Whether a state comes back to itself in two ways on one text. */
  isExponential(): boolean {
    return this.#looping.some((state) => {
      if (this.#twice.has(state)) return true
      const home = [state, state]
      const apart = this.#reach(home, home).filter(([one, other]) => one !== other)
      return apart.some((pair) => this.#reaches(pair, home))
    })
  }

  /**
   * Whether one text leads a state back to itself, another state back to itself, and the one to the
   * other.
   */
  isPolynomial(): boolean {
    return this.#looping.some((one) =>
      this.#looping.some((other) => {
        const apart = one !== other && this.#leads[one]!.has(other)
        return apart && this.#reaches([one, one, other], [one, other, other])
      }),
    )
  }

  #reaches(from: Tuple, home: Tuple): boolean {
    return this.#reach(from, home).some((tuple) => tuple.every((state, i) => state === home[i]))
  }

  /**
   * The tuples to which reading one text leads from a tuple; only those from which there are ways
   * to `home`. Not all of them once the search is given up, so that an ambiguity can be missed.
   */
  #reach(from: Tuple, home?: Tuple): readonly Tuple[] {
    const seen = new Map<string, Tuple>()
    const open = [from]
    for (let tuple = open.pop(); tuple !== undefined && this.#left > 0; tuple = open.pop()) {
      for (const next of this.#steps(tuple, home)) {
        this.#left -= 1
        const name = next.join()
        if (seen.has(name)) continue
        seen.set(name, next)
        open.push(next)
      }
    }
    return [...seen.values()]
  }

  /** The tuples one character further: one that all states of a tuple can take. */
  #steps(tuple: Tuple, home: Tuple | undefined): readonly Tuple[] {
    let steps: { readonly tuple: Tuple; readonly takes: bigint }[] = [
      { tuple: [], takes: anyCharacter },
    ]
    tuple.forEach((state, i) => {
      const goal = home?.[i]
      const useful = this.#follow[state]!.filter(
        (next) => goal === undefined || next === goal || this.#leads[next]!.has(goal),
      )
      steps = steps.flatMap((step) =>
        useful
          .map((next) => ({ tuple: [...step.tuple, next], takes: step.takes & this.#takes[next]! }))
          .filter(({ takes }) => takes !== 0n),
      )
    })
    return steps.map((step) => step.tuple)
  }
}

/** The states after which every text is matched, to its end. */
function surelyMatching({ follow, takes, ends, accepting }: States): ReadonlySet<number> {
  const sure = new Set(follow.keys())
  for (let before = -1; before !== sure.size;) {
    before = sure.size
    for (const state of sure) {
      const next = [...follow[state]!]
      const canEnd = accepting.has(state) || next.some((one) => ends.has(one))
      const taken = next.reduce((bits, one) => (sure.has(one) ? bits | takes[one]! : bits), 0n)
      if (!canEnd || taken !== anyCharacter) sure.delete(state)
    }
  }
  return sure
}
