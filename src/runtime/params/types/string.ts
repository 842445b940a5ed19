/** `ParamType.String` and `ParamType.NullableString`. */
import type { TypeDefinition } from '../type-definition.ts'

// PostgreSQL rejects NUL in a text. A lone surrogate, which JSON can contain, cannot be encoded in UTF-8.
const parse = (text: string): string | undefined =>
  text.includes('\0') || !text.isWellFormed() ? undefined : text

export const string: TypeDefinition<string> = {
  name: 'String',
  expected: 'a text',
  parse,
  jsonSchema: { type: 'string' },
  sql: { type: 'varchar(512)', names: [], isText: true },
  field: { samples: ['Something New'] },
}

export const nullableString: TypeDefinition<string> = {
  name: 'NullableString',
  expected: 'a text',
  jsonSchema: { type: 'string' },
  parse: (text) => (text === '' ? undefined : parse(text)),
  read: parse,
}
