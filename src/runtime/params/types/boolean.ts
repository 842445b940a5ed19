/** `ParamType.Boolean`. */
import type { TypeDefinition } from '../type-definition.ts'

const trueWords = new Set(['on', 'true', 'ok', '1', 'checked', 'yes', 'enable', 'enabled'])
const falseWords = new Set(['', 'off', 'false', '0', 'no', 'disable', 'disabled'])

/** Whether a text means false in JSON, where other texts do not convert. */
export const isFalseWord = (text: string): boolean => falseWords.has(text.toLowerCase())

export const boolean: TypeDefinition<boolean> = {
  name: 'Boolean',
  expected: 'true or false',
  parse: (text) => trueWords.has(text.toLowerCase()),
  jsonSchema: { type: 'boolean' },
  sql: { type: 'boolean', names: ['bool'], oids: [[16, 1000]], decode: (text) => text === 't' },
  field: { input: 'checkbox', samples: ['true', 'false'], isLiteral: true, display: 'boolean' },
}
