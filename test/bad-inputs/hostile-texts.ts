/** `SearchedPattern`: derives texts that make a regular expression slow, and counts the steps of a backtracking search. */

/** A repeated part of a text, between a start that an expression accepts and an end that it refuses. */
export interface HostileText {
  readonly start: string
  readonly repeated: string
  readonly end: string
}

/** Returns the text with about `size` UTF-16 units. */
export const hostileText = ({ start, repeated, end }: HostileText, size: number): string =>
  start + repeated.repeat(Math.ceil(size / repeated.length)) + end

/** Calls `next` with each position where a part can end, until it returns true. */
type Match = (at: number, next: (at: number) => boolean) => boolean

/** A part of an expression: a text that it matches, its quantifiers, and its search. */
interface Part {
  readonly sample: string
  /** For each quantifier inside: the text before it, and what it repeats. */
  readonly repetitions: readonly { readonly before: string; readonly sample: string }[]
  readonly match: Match
}

const characters = [...'aA0 \t\n\\",;=/.-_(é\u{10400}\0']

const codePoints = Array.from({ length: 0x3000 }, (_one, code) => String.fromCodePoint(code))
const tooManySteps = new Error('too many steps')
const nothing: Match = (at, next) => next(at)

/** A regular expression that this class reads and searches itself. */
export class SearchedPattern {
  readonly #part: Part
  readonly #source: string
  readonly #flags: string
  readonly #isGlobal: boolean
  readonly #isSticky: boolean
  #at = 0
  #text = ''
  #steps = 0

  constructor({ source, flags, global, sticky }: RegExp) {
    this.#source = source
    this.#flags = flags.replaceAll(/[gy]/g, '')
    this.#isGlobal = global
    this.#isSticky = sticky
    this.#part = this.#alternatives()
    if (this.#at < source.length) throw new Error(`unread: ${source.slice(this.#at)}`)
  }

  /** Texts for all quantifiers of the expression, and for a match that begins at every position. */
  get hostileTexts(): readonly HostileText[] {
    const { repetitions } = this.#part
    const repeatable = [...new Set([...characters, ...this.#source.replaceAll(/\\./g, '')])]
    const starts = [...new Set(['', 'a', ' ', ...repetitions.map(({ before }) => before)])]
    const samples = [...new Set(repetitions.map(({ sample }) => sample))]
    return starts.flatMap((start) =>
      [...repeatable, ...samples, ...samples.flatMap((one) => [`${one} `, `${start}${one}`])]
        .filter((repeated) => repeated !== '')
        .flatMap((repeated) => ['', '\n', '\0'].map((end) => ({ start, repeated, end }))),
    )
  }

  /**
   * Returns the number of characters that a search compares, for all matches of a global expression; Infinity above ten million,
   * because an exponential search would take years.
   */
  countSteps(text: string): number {
    this.#text = text
    this.#steps = 0
    try {
      this.#search(text)
    } catch (error) {
      if (error !== tooManySteps) throw error
      return Infinity
    }
    return this.#steps
  }

  #search(text: string): void {
    let end = 0
    for (let at = 0; at <= text.length; at = Math.max(at + 1, end)) {
      const found = this.#part.match(at, (last) => ((end = last), true))
      if (this.#isSticky ? !found : found && !this.#isGlobal) break
    }
  }

  #alternatives(): Part {
    const parts = [this.#sequence()]
    while (this.#takes('|')) parts.push(this.#sequence())
    return {
      sample: parts[0]!.sample,
      repetitions: parts.flatMap((part) => part.repetitions),
      match: (at, next) => parts.some(({ match }) => match(at, next)),
    }
  }

  #sequence(): Part {
    let sample = ''
    const repetitions: { before: string; sample: string }[] = []
    const matches: Match[] = []
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) {
      const atom = this.#atom()
      const before = sample
      for (const inner of atom.repetitions)
        repetitions.push({ before: before + inner.before, sample: inner.sample })
      const quantifier = this.#quantifier()
      if (quantifier.most > 1) repetitions.push({ before, sample: atom.sample })
      sample += atom.sample.repeat(quantifier.least)
      matches.push(repeat(atom.match, quantifier))
    }
    return { sample, repetitions, match: matches.reduceRight(followedBy, nothing) }
  }

  #quantifier(): Quantifier {
    const text = this.#take(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y) ?? '{1}'
    const isLazy = text.length > 1 && text.endsWith('?')
    const [, least = '0', comma, most] = /^\{(\d+)(,(\d*))?/.exec(text) ?? []
    if (text.startsWith('{'))
      return { least: +least, most: comma === undefined ? +least : +(most || Infinity), isLazy }
    return { least: text[0] === '+' ? 1 : 0, most: text[0] === '?' ? 1 : Infinity, isLazy }
  }

  #atom(): Part {
    const group = this.#take(/\((?:\?(?:<?[=!]|:|<\w+>))?/y)
    if (group !== undefined) {
      const inner = this.#alternatives()
      if (!this.#takes(')')) throw new Error(`no group: ${this.#source}`)
      return { ...inner, match: this.#look(group, inner.match) }
    }
    const anchor = this.#take(/[$^]|\\[bB]/y)
    if (anchor !== undefined)
      return {
        sample: '',
        repetitions: [],
        match: this.#assertion(new RegExp(anchor, 'y' + this.#flags)),
      }
    return this.#character(
      this.#take(
        /\[(?:[^\]\\]|\\[^])*\]|\\u\{?[\da-fA-F]{4,5}\}?|\\x..|\\[pP]\{[^}]*\}|\\[^]|[^]/y,
      )!,
    )
  }

  #character(atom: string): Part {
    const single = new RegExp(`^(?:${atom})$`, this.#flags.replace('m', ''))
    const known = new Map<string, boolean>()
    const accepts = (character: string): boolean => {
      if (!known.has(character)) known.set(character, single.test(character))
      return known.get(character)!
    }
    const match: Match = (at, next) => {
      if (++this.#steps >= 10_000_000) throw tooManySteps
      return at < this.#text.length && accepts(this.#text[at]!) && next(at + 1)
    }
    const sample = [...characters, ...codePoints].find((character) => single.test(character)) ?? ''
    return { sample, repetitions: [], match }
  }

  #assertion(sticky: RegExp): Match {
    return (at, next) => {
      this.#steps++
      sticky.lastIndex = at
      return sticky.test(this.#text) && next(at)
    }
  }

  /** Returns the match of a group, which may look ahead or behind. */
  #look(group: string, match: Match): Match {
    if (!/[=!]$/.test(group)) return match
    const isNegative = group.endsWith('!')
    const isBehind = group.startsWith('(?<')
    const found = (at: number) =>
      isBehind ? at > 0 && match(at - 1, (end) => end === at) : match(at, () => true)
    return (at, next) => found(at) !== isNegative && next(at)
  }

  #takes(text: string): boolean {
    const found = this.#source.startsWith(text, this.#at)
    if (found) this.#at += text.length
    return found
  }

  #take(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.#at
    const found = sticky.exec(this.#source)?.[0]
    this.#at += found?.length ?? 0
    return found
  }
}

interface Quantifier {
  readonly least: number
  readonly most: number
  readonly isLazy: boolean
}

const followedBy = (after: Match, first: Match): Match =>
  after === nothing ? first : (at, next) => first(at, (end) => after(end, next))

function repeat(match: Match, { least, most, isLazy }: Quantifier): Match {
  if (least === 1 && most === 1) return match
  const from =
    (count: number, next: (at: number) => boolean) =>
    (at: number): boolean => {
      const more = () =>
        count < most &&
        match(at, (end) => (end > at || count < least) && from(count + 1, next)(end))
      if (count < least) return more()
      return isLazy ? next(at) || more() : more() || next(at)
    }
  return (at, next) => from(0, next)(at)
}
