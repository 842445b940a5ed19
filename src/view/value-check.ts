/** Checks the values of a view at run time, before it runs, so that the error names the value and not a line of code. */
import { FwError } from '../base.ts'
import { mayBe } from './declared-type.ts'
import type { ViewFacts, DeclaredValue } from './engine.ts'

/**
 * @throws FwError `view.value-missing` for a declared value that is absent and has no default.
 * @throws FwError `view.value-wrong-type` for a value whose primitive kind is not the declared one.
 * @spec View helper › General rules 2 and 4
 */
export function checkValues(view: ViewFacts, values: Readonly<Record<string, unknown>>): void {
  for (const declared of view.declared) {
    const value = values[declared.name]
    if (value === undefined && declared.optional) continue
    if (mayBe(declared.type, value)) {
      if (value !== undefined || Object.hasOwn(values, declared.name)) continue
      if (/\b(undefined|any|unknown)\b/.test(declared.type)) continue
    }
    throw value === undefined ? missing(view, declared) : wrongType(view, declared, value)
  }
}

function missing(view: ViewFacts, { name, type }: DeclaredValue): FwError {
  return new FwError(
    'view.value-missing',
    `WEB-INF/${view.file} needs the value '${name}' of type ${type}. ` +
      `Call set('${name}', …) before render, pass { ${name} } to it, or give a default: <%@val ${name}: ${type} = … %>.`,
  )
}

function wrongType(view: ViewFacts, { name, type }: DeclaredValue, value: unknown): FwError {
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
