/** Adds fields and hidden fields to the definition of a model, and removes them. All other text stays unchanged. */
import type { ArrayExpression, CallExpression, ObjectExpression, Property } from 'acorn'
import { appendItems, isNamed, parseSource, removeItem, walk, type Source } from './edit-code.ts'

interface Definition {
  readonly source: Source
  readonly call: CallExpression
  readonly columns: ObjectExpression
}

/** Finds `model('table', { … })`. */
function findDefinition(text: string): Definition | undefined {
  const source = parseSource(text)
  for (const node of walk(source?.program)) {
    if (node.type !== 'CallExpression' || !isNamed(node.callee, 'model')) continue
    const columns = node.arguments[1]
    if (columns?.type === 'ObjectExpression') return { source: source!, call: node, columns }
  }
  return undefined
}

const findProperty = (object: ObjectExpression, name: string): Property | undefined =>
  object.properties.find((one) => one.type === 'Property' && isNamed(one.key, name)) as
    | Property
    | undefined

/** Adds fields with their code to a model, unless it has them. Returns `undefined` if there is no model with fields. */
export function addFields(text: string, fields: ReadonlyMap<string, string>): string | undefined {
  const found = findDefinition(text)
  const last = found?.columns.properties.at(-1)
  if (found === undefined || last === undefined) return undefined
  const { source, columns } = found
  const missing = [...fields].filter(([name]) => findProperty(columns, name) === undefined)
  if (missing.length === 0) return text
  const lines = missing.map(([name, code]) => `${name}: ${code}`)
  return appendItems(source, last, columns.end, lines)
}

export function removeField(text: string, name: string): string {
  const found = findDefinition(text)
  if (found === undefined) return text
  const { properties, end } = found.columns
  const index = properties.findIndex((one) => one === findProperty(found.columns, name))
  return removeItem(found.source, properties, index, end)
}

/** Adds a field to the option `hidden` of a model. Returns `undefined` if the options are no plain object. */
export function hideField(text: string, name: string): string | undefined {
  const found = findDefinition(text)
  if (found === undefined) return undefined
  const { source, call } = found
  const options = call.arguments[2]
  const code = `hidden: ['${name}']`
  if (options === undefined)
    return appendItems(source, call.arguments[1]!, call.end, [`{ ${code} }`])
  const last = options.type === 'ObjectExpression' ? options.properties.at(-1) : undefined
  if (options.type !== 'ObjectExpression' || last === undefined) return undefined
  const hidden = findProperty(options, 'hidden')?.value
  if (hidden === undefined) return appendItems(source, last, options.end, [code])
  const lastHidden = hidden.type === 'ArrayExpression' ? hidden.elements.at(-1) : undefined
  if (lastHidden === undefined || lastHidden === null) return undefined
  const { elements } = hidden as ArrayExpression
  const isThere = elements.some((one) => one?.type === 'Literal' && one.value === name)
  return isThere ? text : appendItems(source, lastHidden, hidden.end, [`'${name}'`])
}

/** Removes a field from the option `hidden`, and the option if it was the only field. */
export const showField = (text: string, name: string): string =>
  text
    .replace(new RegExp(`, \\{ hidden: \\[(['"])${name}\\1\\] \\}`), '')
    .replace(new RegExp(`,\\s*hidden: \\[(['"])${name}\\1\\]`), '')
    .replace(new RegExp(`,\\s*(['"])${name}\\1(?=[^\\]]*\\])`), '')
