/** The definition of the type of json and jsonb columns. */
import { markStoredJson, parseExactJson, parseStoredJson } from '../../http.ts'
import type { TypeDefinition } from '../type-definition.ts'

// Matches JSON escapes that jsonb rejects: `\u0000` and lone surrogates. An escaped backslash before `u` is plain text.
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

/** Returns true if PostgreSQL can store the JSON of `JSON.stringify`. */
export const isStorableJson = (text: string): boolean => !unstorable.test(text)

/** Returns `undefined` for a value that PostgreSQL cannot store. */
const fromJson = (value: unknown): unknown =>
  isStorableJson(JSON.stringify(value)) ? value : undefined

/** The definition of `json()`, the type of json and jsonb columns. */
export const json: TypeDefinition<unknown> = {
  name: 'Json',
  expected: 'a JSON text',
  parse: (text) => fromJson(parseExactJson(text)),
  fromJson,
  format: (value) => JSON.stringify(value, undefined, 2),
  isJson: true,
  sql: {
    type: 'jsonb',
    names: ['json', 'jsonb'],
    oids: [
      [114, 199],
      [3802, 3807],
    ],
    decode: (text) => markStoredJson(parseStoredJson(text)),
    encode: (value) => JSON.stringify(value),
    isSortable: false,
  },
  field: {
    input: 'textarea',
    samples: ['{"a":1}', '{}', '[]'],
    invalidSample: '{',
    display: 'json',
  },
}
