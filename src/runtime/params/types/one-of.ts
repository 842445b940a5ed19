/** `ParamType.oneOf`. */
import type { TypeDefinition } from '../type-definition.ts'

export const oneOf = <T extends string>(values: readonly T[]): TypeDefinition<T> => ({
  name: 'OneOf',
  expected: `one of: ${values.join(', ')}`,
  parse: (text) => values.find((value) => value === text),
  jsonSchema: { type: 'string', enum: [...values] },
  sql: { type: 'varchar', names: [], isText: true },
})
