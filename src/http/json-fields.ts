/** The members of a JSON body as the fields of a form, nested ones by dotted keys. */
import { HttpError } from '../base.ts'
import type { FieldMap } from './query.ts'

const maxFields = 1000
const maxNameLength = 256

/**
 * `{ name: 'Ann', tags: ['a', 'b'], home: { city: 'Ulm' }, pets: [{ name: 'Rex' }] }` gives `name`, `tags` (twice),
 * `home.city`, `pets.0.name`. Numbers and booleans are their text, `null` is an empty text: the field was left blank.
 * Anything but an object has no fields. `value` comes from `parseJson`, which has limited its depth.
 * @throws HttpError 400 `http.json-invalid`: more than 1000 fields, or a dotted key longer than 256
 */
export function jsonFields(value: unknown): FieldMap {
  const fields: FieldMap = new Map()
  if (isObject(value) && !Array.isArray(value)) addMembers(fields, '', value)
  return fields
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function addMembers(fields: FieldMap, prefix: string, value: object): void {
  for (const [key, member] of Object.entries(value)) addMember(fields, prefix + key, member)
}

function addMember(fields: FieldMap, name: string, value: unknown): void {
  if (name.length > maxNameLength)
    refuse(`A key of the JSON is longer than ${maxNameLength} characters.`)
  if (!isObject(value)) return addTexts(fields, name, [value])
  if (Array.isArray(value) && !value.some(isObject)) return addTexts(fields, name, value)
  addMembers(fields, `${name}.`, value)
}

// A list without entries is a field without texts: absent, as an empty list of checkboxes is.
function addTexts(fields: FieldMap, name: string, values: readonly unknown[]): void {
  if (values.length === 0) return
  const texts = values.map(textOf)
  const known = fields.get(name)
  if (known === undefined) fields.set(name, texts)
  else known.push(...texts)
  if (fields.size > maxFields) refuse(`The JSON holds more than ${maxFields} fields.`)
}

function textOf(value: unknown): string {
  const text = value === null ? '' : String(value)
  return text.includes('\0') ? refuse('The JSON holds a NUL character.') : text
}

function refuse(message: string): never {
  throw new HttpError(400, 'http.json-invalid', message)
}
