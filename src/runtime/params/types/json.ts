/** The definition of the type of json and jsonb columns. */
import type { TypeDefinition } from '../type-definition.ts'

// Matches JSON escapes that jsonb rejects: `\u0000` and lone surrogates. An escaped backslash before `u` is plain text.
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/

/**
 * Parses a JSON text; returns `undefined` for a value that PostgreSQL cannot store.
 * @throws SyntaxError for invalid JSON
 */
function parse(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return unstorable.test(JSON.stringify(value)) ? undefined : value
}

/** The definition of `json()`, the type of json and jsonb columns. */
export const json: TypeDefinition<unknown> = {
  name: 'Json',
  expected: 'a JSON text',
  parse,
  format: (value) => JSON.stringify(value, undefined, 2),
  isJson: true,
  sql: {
    type: 'jsonb',
    names: ['json', 'jsonb'],
    oids: [
      [114, 199],
      [3802, 3807],
    ],
    // The arrow function drops further arguments, which `JSON.parse` would take as a reviver.
    decode: (text) => JSON.parse(text) as unknown,
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
