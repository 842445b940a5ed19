/** Converts the permitted values of a write to its fields and SQL parameters. */
import { FwError } from '../base.ts'
import { isPermitted } from '../params.ts'
import type { Table } from './table.ts'

/**
 * The fields of a write and their SQL parameters, in the order of the permitted values. `shape` lists the fields as a cache
 * key.
 */
export interface Attributes {
  readonly fields: string[]
  readonly values: unknown[]
  readonly shape: string
}

/** @throws FwError `model.not-permitted` for values that are not from `permit` or `permitValues` */
export function checkPermitted(table: Table, permitted: unknown): asserts permitted is object {
  if (isPermitted(permitted)) return
  throw new FwError(
    'model.not-permitted',
    `The model of '${table.name}' writes permitted values alone: give it what params.permit(…) or permitValues(…) returned, not a copy.`,
  )
}

/**
 * Converts permitted values to attributes.
 * @throws FwError `model.not-permitted`, `model.column-unknown`
 */
export function collectAttributes(table: Table, permitted: unknown): Attributes {
  checkPermitted(table, permitted)
  return attributesOf(table, permitted)
}

/** Converts values to attributes without a check of permission, for values that the application's own code computes. */
export function attributesOf(table: Table, values: object): Attributes {
  const fields: string[] = []
  const parameters: unknown[] = []
  let shape = ''
  for (const key of Object.keys(values)) {
    const field = table.fieldOf(key)
    fields.push(field)
    parameters.push(table.toWrittenParameter(field, values[key as keyof typeof values]))
    shape += ` ${field}`
  }
  return { fields, values: parameters, shape }
}
