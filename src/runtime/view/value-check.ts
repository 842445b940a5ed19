/** Checks the values of a view before rendering, so that the error names the value instead of a line of code. */
import { FwError } from '../base.ts'
import type { ViewMetadata, DeclaredValue } from './engine.ts'
import { SafeUrl } from './printable.ts'
import { SafeHtml } from './safe-html.ts'

/**
 * Checks the values against the declarations of a view.
 * @throws FwError `view.value-missing` for a value without a default that is absent, or `undefined` against its type. A value may be absent
 * if its type is `any`, `unknown` or a union with `undefined`.
 * @throws FwError `view.value-wrong-type` for a value that cannot have the declared type. Types that cannot be tested at run time are not
 * checked.
 * @spec View helper › General rules 2 and 4
 */
export function checkValues(view: ViewMetadata, values: Readonly<Record<string, unknown>>): void {
  for (const declared of view.declared) {
    const value = Object.hasOwn(values, declared.name) ? values[declared.name] : undefined
    if (value === undefined && declared.optional) continue
    if (mayHaveType(declared.type, value)) {
      if (value !== undefined || Object.hasOwn(values, declared.name)) continue
      if (/\b(undefined|any|unknown)\b/.test(declared.type)) continue
    }
    throw value === undefined ? missing(view, declared) : wrongType(view, declared, value)
  }
}

/** Returns a copy of the own members of `values`, without a prototype. */
export function ownValues<T extends object>(values: T): T {
  return Object.assign(Object.create(null) as T, values)
}

function missing(view: ViewMetadata, { name, type }: DeclaredValue): FwError {
  return new FwError(
    'view.value-missing',
    `WEB-INF/${view.file} needs the value '${name}' of type ${type}. ` +
      `Call set('${name}', …) before render, pass { ${name} } to it, or give a default: <%@val ${name}: ${type} = … %>.`,
  )
}

function wrongType(view: ViewMetadata, { name, type }: DeclaredValue, value: unknown): FwError {
  return new FwError(
    'view.value-wrong-type',
    `WEB-INF/${view.file} declares the value '${name}' as ${type}, but it is ${kindOf(value)}.`,
  )
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value !== 'object') return `a ${typeof value}`
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name
  return typeof name === 'string' && name !== 'Object' ? `a ${name}` : 'an object'
}

type Test = (value: unknown) => boolean

const primitives = new Set(['string', 'number', 'boolean', 'bigint', 'symbol', 'undefined'])
const cachedTests = new Map<string, Test>()

/** Returns false if `value` cannot have the type with this source text; true if only the compiler can decide. */
function mayHaveType(type: string, value: unknown): boolean {
  let test = cachedTests.get(type)
  if (test === undefined) cachedTests.set(type, (test = createTest(type)))
  return test(value)
}

function createTest(type: string): Test {
  const tests = alternatives(type).map(singleTest)
  return tests.includes(undefined) ? () => true : (value) => tests.some((test) => test!(value))
}

/** Returns the test for a type without alternatives; `undefined` for a type that cannot be tested at run time. */
function singleTest(type: string): Test | undefined {
  if (primitives.has(type)) return (value) => typeof value === type
  if (type === 'SafeHtml') return (value) => value instanceof SafeHtml
  if (type === 'SafeUrl') return (value) => value instanceof SafeUrl
  if (type === 'Date') return (value) => value instanceof Date
  if (type.endsWith('[]') || /^(Readonly)?Array</.test(type)) return Array.isArray
  const quoted = /^(?:'([^'\\]*)'|"([^"\\]*)")$/.exec(type)
  const isLiteral = /^(?:null|true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?)$/.test(type)
  if (quoted === null && !isLiteral) return undefined
  const expected: unknown = quoted === null ? JSON.parse(type) : (quoted[1] ?? quoted[2])
  return (value) => value === expected
}

/** Splits the source text of a type at each `|` outside brackets and quotes. */
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
