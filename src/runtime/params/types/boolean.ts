/** `ParamType.Boolean`. */
import type { TypeDefinition } from '../type-definition.ts'

const trueWords = new Set(['on', 'true', 'ok', '1', 'checked', 'yes', 'enable', 'enabled'])
const falseWords = new Set(['off', 'false', '0', 'no', 'disable', 'disabled'])

export const boolean: TypeDefinition<boolean> = {
  name: 'Boolean',
  expected: 'true or false',
  parse: (text) => trueWords.has(text.toLowerCase()),
  fromJson: (value) => {
    if (typeof value === 'object') return undefined
    const text = String(value).toLowerCase()
    return trueWords.has(text) || (falseWords.has(text) ? false : undefined)
  },
  jsonSchema: { type: 'boolean' },
  sql: { type: 'boolean', names: ['bool'], oids: [[16, 1000]], decode: (text) => text === 't' },
  field: { input: 'checkbox', samples: ['true', 'false'], isLiteral: true, display: 'boolean' },
}
