/** The bodies that Fw gives its errors. */
import type { JsonSchema } from '../validation.ts'
import type { Content } from './document.ts'
import type { SchemaSet } from './schema-set.ts'

/** Problem details (RFC 9457), as `action/error-response` writes them. */
const problem: JsonSchema = {
  type: 'object',
  properties: {
    type: { type: 'string' },
    title: { type: 'string', description: "The status's phrase." },
    status: { type: 'integer' },
    message: { type: 'string' },
    code: { type: 'string', description: 'Names the error, such as params.invalid.' },
    errors: {
      type: 'object',
      description: 'What is wrong with each parameter.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    requestId: { type: 'string', description: 'Names the request in the log.' },
  },
  required: ['type', 'title', 'status', 'message'],
}

const text: JsonSchema = { type: 'string' }

/** By media type; one alone where the path names the representation. */
export function errorContent(schemas: SchemaSet, format: string | undefined): Content {
  const json = { 'application/problem+json': { schema: schemas.named('Problem', problem) } }
  const xml = { 'application/xml': {} }
  if (format === 'json') return json
  if (format === 'xml') return xml
  return { 'text/html': { schema: text }, ...json, ...xml, 'text/plain': { schema: text } }
}
