/** Permitted values as a model writes them. */
import { FwError } from '../base.ts'
import { isPermitted } from '../params.ts'
import type { Table } from './table.ts'

/** Fields and their values, as the driver takes them, in one order; `shape` names the fields. */
export interface Attributes {
  readonly fields: string[]
  readonly values: unknown[]
  shape: string
}

/** @throws FwError `model.not-permitted`, `model.column-unknown` */
export function attributesOf(table: Table, attributes: unknown): Attributes {
  if (!isPermitted(attributes)) {
    throw new FwError(
      'model.not-permitted',
      `The model of '${table.name}' writes permitted values alone: give it what params.permit(…) or permitValues(…) returned, not a copy.`,
    )
  }
  const found: Attributes = { fields: [], values: [], shape: '' }
  for (const key of Object.keys(attributes)) {
    const field = table.fieldOf(key)
    found.fields.push(field)
    found.values.push(table.parameter(field, attributes[key as keyof typeof attributes]))
    found.shape += ` ${field}`
  }
  return found
}
