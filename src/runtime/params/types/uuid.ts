/** `ParamType.Uuid`. */
import type { TypeDefinition } from '../type-definition.ts'

const uuidText = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

export const uuid: TypeDefinition<string> = {
  name: 'Uuid',
  expected: 'a UUID',
  parse: (text) => (uuidText.test(text) ? text.toLowerCase() : undefined),
  jsonSchema: { type: 'string', format: 'uuid' },
  sql: { type: 'uuid' },
  field: {
    rules: ['uuid'],
    samples: ['01890a5d-ac96-774b-bcce-b302099a8057'],
    invalidSample: 'x',
    uniqueCode: 'crypto.randomUUID()',
  },
}
