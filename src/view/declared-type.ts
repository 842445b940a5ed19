/** What can be told at run time about a value's declared TypeScript type: its primitive kinds. */
import { SafeHtml } from './safe-html.ts'

/** `undefined` means that the type says nothing that could be tested. */
type Test = ((value: unknown) => boolean) | undefined

const primitives = new Set(['string', 'number', 'boolean', 'bigint', 'symbol', 'undefined'])
const known = new Map<string, Test>()

/** False when `value` cannot be of the type written as `type`; true when it is, or when that cannot be told. */
export function mayBe(type: string, value: unknown): boolean {
  let test = known.get(type)
  if (test === undefined && !known.has(type)) {
    test = testOf(type)
    known.set(type, test)
  }
  return test === undefined || test(value)
}

function testOf(type: string): Test {
  const tests = alternatives(type).map(singleTest)
  return tests.includes(undefined) ? undefined : (value) => tests.some((test) => test!(value))
}

function singleTest(type: string): Test {
  if (primitives.has(type)) return (value) => typeof value === type
  if (type === 'null') return (value) => value === null
  if (type === 'SafeHtml') return (value) => value instanceof SafeHtml
  if (type === 'Date') return (value) => value instanceof Date
  if (type.endsWith('[]') || /^(Readonly)?Array</.test(type)) return Array.isArray
  const literal = /^(?:'([^'\\]*)'|"([^"\\]*)"|(-?\d+(?:\.\d+)?)|(true|false))$/.exec(type)
  if (literal === null) return undefined
  const [, single, double, number, boolean] = literal
  const expected =
    number !== undefined
      ? Number(number)
      : boolean !== undefined
        ? boolean === 'true'
        : (single ?? double)
  return (value) => value === expected
}

/** Splits at each `|` that stands outside brackets and quotes. */
function alternatives(type: string): string[] {
  const parts: string[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at < type.length; at++) {
    const char = type[at]!
    if ('([{<'.includes(char)) depth++
    else if (')]}'.includes(char) || (char === '>' && type[at - 1] !== '=')) depth--
    else if (char === "'" || char === '"') at = closingQuote(type, at)
    else if (char === '|' && depth === 0) {
      parts.push(type.slice(from, at))
      from = at + 1
    }
  }
  parts.push(type.slice(from))
  return parts.map((part) => part.trim().replace(/^readonly\s+/, '')).filter((part) => part !== '')
}

function closingQuote(type: string, at: number): number {
  const end = type.indexOf(type[at]!, at + 1)
  return end < 0 ? type.length : end
}
