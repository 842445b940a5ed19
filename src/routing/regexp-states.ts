/** Reads a regular expression as an automaton, to see how long a search in a path may take. */

/**
 * What stands for the characters of paths: printable ASCII, an encoded slash, and two from beyond
 * ASCII.
 */
const samples = [
  ...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)),
  '\0',
  'é',
  '日',
]
/** Repetitions bounded by more than this are as good as unbounded. */
const many = 24

/**
 * One state for each place of the source that takes a character, and one for each `$`, which takes
 * none. `takes` has a bit for each sample character.
 */
export interface States {
  readonly takes: readonly bigint[]
  readonly follow: readonly ReadonlySet<number>[]
  readonly first: ReadonlySet<number>
  /** After these the expression has matched, wherever the path ends. */
  readonly accepting: ReadonlySet<number>
  /** States of `$`. */
  readonly ends: ReadonlySet<number>
  /** Whether a search begins at the start of the path only. */
  readonly anchored: boolean
  /** States from which a loop and a loop around it lead on to the same state. */
  readonly twice: ReadonlySet<number>
  /** Has a backreference: no automaton can tell. */
  readonly refersBack: boolean
}

/** All bits of `takes`. */
export const anyCharacter = (1n << BigInt(samples.length)) - 1n

interface Piece {
  readonly first: readonly number[]
  readonly last: readonly number[]
  readonly canBeEmpty: boolean
  readonly anchored: boolean
}

const nothing: Piece = { first: [], last: [], canBeEmpty: true, anchored: false }
const escape =
  /\\(?:c[A-Za-z]|x[\dA-Fa-f]{2}|u\{[^}]*\}|u[\dA-Fa-f]{4}|[pP]\{[^}]*\}|k<[^>]*>|[1-9]\d*|[^])/y
const groupStart = /\((?:\?(?:<(?![=!])[^>]*>|<?[=!]|[a-z-]*:))?/y
const quantifier = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y

export function statesOf(expression: RegExp): States {
  return new Reader(expression).states()
}

class Reader {
  readonly #source: string
  readonly #flags: string
  #at = 0
  readonly #takes: bigint[] = []
  readonly #follow: Set<number>[] = []
  readonly #ends = new Set<number>()
  #looksAround = false
  readonly #twice = new Set<number>()
  #refersBack = false

  constructor({ source, flags }: RegExp) {
    this.#source = source
    this.#flags = flags.replace(/[gy]/g, '')
  }

  states(): States {
    const whole = this.#alternatives()
    const accepting = whole.last.filter((state) => !this.#ends.has(state))
    return {
      takes: this.#takes,
      follow: this.#follow,
      first: new Set(whole.first),
      accepting: new Set(this.#looksAround ? [] : accepting),
      ends: this.#ends,
      anchored: whole.anchored,
      twice: this.#twice,
      refersBack: this.#refersBack,
    }
  }

  #alternatives(): Piece {
    let all = this.#sequence()
    while (this.#source[this.#at] === '|') {
      this.#at += 1
      const next = this.#sequence()
      all = {
        first: [...all.first, ...next.first],
        last: [...all.last, ...next.last],
        canBeEmpty: all.canBeEmpty || next.canBeEmpty,
        anchored: all.anchored && next.anchored,
      }
    }
    return all
  }

  #sequence(): Piece {
    let all = nothing
    while (
      this.#at < this.#source.length &&
      this.#source[this.#at] !== '|' &&
      this.#source[this.#at] !== ')'
    ) {
      const next = this.#quantified(this.#atom())
      this.#connect(all.last, next.first)
      all = {
        first: all.canBeEmpty ? [...all.first, ...next.first] : all.first,
        last: next.canBeEmpty ? [...all.last, ...next.last] : next.last,
        canBeEmpty: all.canBeEmpty && next.canBeEmpty,
        anchored: all.anchored || (next.anchored && all.canBeEmpty && all.first.length === 0),
      }
    }
    return all
  }

  #atom(): Piece {
    const char = this.#source[this.#at]!
    if (char === '(') return this.#group()
    if (char === '[') return this.#state(this.#take(this.#classEnd()))
    if (char === '\\') return this.#escaped(this.#take(this.#match(escape).end))
    const text = this.#take(
      this.#at + String.fromCodePoint(this.#source.codePointAt(this.#at)!).length,
    )
    if (char === '^') return { ...nothing, anchored: true }
    return char === '$' ? this.#end() : this.#state(text)
  }

  #group(): Piece {
    const opening = this.#take(this.#match(groupStart).end)
    const looksAround = /[=!]$/.test(opening)
    const inner = this.#alternatives()
    this.#at += 1
    if (!looksAround) return inner
    this.#looksAround = true
    return nothing
  }

  #escaped(text: string): Piece {
    if (/^\\[bB]$/.test(text)) return nothing
    if (!/^\\(?:k<|[1-9])/.test(text)) return this.#state(text)
    this.#refersBack = true
    return nothing
  }

  #quantified(piece: Piece): Piece {
    const { end, groups } = this.#match(quantifier)
    if (end === this.#at) return piece
    const sign = this.#take(end)[0]
    const [least, comma, most] = groups
    const canBeEmpty =
      piece.canBeEmpty ||
      sign === '*' ||
      sign === '?' ||
      (least !== undefined && Number(least) === 0)
    const times = comma === undefined ? Number(least) : most === '' ? Infinity : Number(most)
    if (sign === '*' || sign === '+' || times > many) this.#loop(piece)
    return { ...piece, canBeEmpty, anchored: piece.anchored && !canBeEmpty }
  }

  #loop({ first, last }: Piece): void {
    for (const from of last)
      if (first.some((to) => this.#follow[from]!.has(to))) this.#twice.add(from)
    this.#connect(last, first)
  }

  #connect(from: readonly number[], to: readonly number[]): void {
    for (const state of from) for (const next of to) this.#follow[state]!.add(next)
  }

  #state(text: string): Piece {
    const taken = new RegExp(`^(?:${text})$`, this.#flags)
    return this.#add(
      samples.reduce(
        (bits, sample, i) => (taken.test(sample) ? bits | (1n << BigInt(i)) : bits),
        0n,
      ),
    )
  }

  #end(): Piece {
    const end = this.#add(0n)
    this.#ends.add(end.first[0]!)
    return end
  }

  #add(takes: bigint): Piece {
    const state = this.#takes.push(takes) - 1
    this.#follow.push(new Set())
    return { first: [state], last: [state], canBeEmpty: false, anchored: false }
  }

  /** The place after the class that begins here; classes may hold classes under the flag `v`. */
  #classEnd(): number {
    let depth = 0
    for (let at = this.#at; at < this.#source.length; at++) {
      const char = this.#source[at]
      if (char === '\\') at += 1
      else if (char === '[' && (depth === 0 || this.#flags.includes('v'))) depth += 1
      else if (char === ']' && --depth === 0) return at + 1
    }
    return this.#source.length
  }

  #match(syntax: RegExp): {
    readonly end: number
    readonly groups: readonly (string | undefined)[]
  } {
    syntax.lastIndex = this.#at
    const found = syntax.exec(this.#source)
    return { end: this.#at + (found?.[0].length ?? 0), groups: found?.slice(1) ?? [] }
  }

  #take(end: number): string {
    const text = this.#source.slice(this.#at, end)
    this.#at = end
    return text
  }
}
