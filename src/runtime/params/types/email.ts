/** `ParamType.Email`: an e-mail address with one spelling. */
import { domainToASCII } from 'node:url'
import type { TypeDefinition } from '../type-definition.ts'

const maxLength = 254
const localText = /^[^\s@\p{Cc}]{1,64}$/u
// `domainToASCII` decodes percent signs and drops line breaks.
const domainText = /^[\p{L}\p{M}\p{N}.-]+$/u
const labelText = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/
const lastLabelText = /^(?:[a-z]{2,63}|xn--[a-z\d-]{1,59})$/

/**
 * Parses an address: keeps the part before `@`, and converts the domain to lower case and ASCII. Returns `undefined` for a domain
 * without a dot.
 */
function parse(text: string): string | undefined {
  const at = text.lastIndexOf('@')
  if (at < 1 || text.length > maxLength) return undefined
  const local = text.slice(0, at)
  if (!localText.test(local) || !domainText.test(text.slice(at + 1))) return undefined
  const domain = domainToASCII(text.slice(at + 1))
  const labels = domain.split('.')
  const isDomain =
    labels.length > 1 &&
    labels.every((label) => labelText.test(label)) &&
    lastLabelText.test(labels.at(-1)!)
  const address = `${local}@${domain}`
  return isDomain && local.isWellFormed() && address.length <= maxLength ? address : undefined
}

export const email: TypeDefinition<string> = {
  name: 'Email',
  expected: 'an e-mail address',
  parse,
  rule: 'email',
  jsonSchema: { type: 'string', format: 'email', maxLength },
  sql: { type: 'varchar(254)', names: [], isText: true },
  field: {
    input: 'email',
    samples: ['ann@example.com'],
    invalidSample: 'x',
    uniqueCode: '`ann${count}@example.com`',
    display: 'email',
  },
}
