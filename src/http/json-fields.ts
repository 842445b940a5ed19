/** The members of a JSON or XML body as the fields of a form, nested ones by dotted keys. */
import { HttpError } from '../base.ts'
import type { FieldMap } from './query.ts'

const maxFields = 1000
/** Of all fields together: a list of plain values is one field. */
const maxTexts = 10_000
const maxNameLength = 256

/**
 * `{ name: 'Ann', tags: ['a', 'b'], home: { city: 'Ulm' }, pets: [{ name: 'Rex' }] }` gives `name`, `tags` (twice),
 * `home.city`, `pets.0.name`. Numbers and booleans are their text, `null` is an empty text: the field was left blank.
 * Anything but an object has no fields. `value` comes from `parseJson`, which has limited its depth.
 * @throws HttpError 400 `http.json-invalid`: more than 1000 fields or 10,000 values, or a dotted key longer than 256
 */
export function jsonFields(value: unknown): FieldMap {
  const form: Form = { fields: new Map(), texts: 0 }
  if (isObject(value) && !Array.isArray(value)) addMembers(form, '', value)
  return form.fields
}

/** As `jsonFields`, for what `parseXml` gave. @throws HttpError 400 `http.xml-invalid` */
export function xmlFields(value: unknown): FieldMap {
  try {
    return jsonFields(value)
  } catch (error) {
    throw error instanceof HttpError
      ? new HttpError(error.status, 'http.xml-invalid', error.message)
      : error
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** What has been gathered: the fields, and how many texts they have. */
interface Form {
  readonly fields: FieldMap
  texts: number
}

function addMembers(form: Form, prefix: string, value: object): void {
  for (const [key, member] of Object.entries(value)) addMember(form, prefix + key, member)
}

function addMember(form: Form, name: string, value: unknown): void {
  if (name.length > maxNameLength)
    refuse(`A key of the body is longer than ${maxNameLength} characters.`)
  if (!isObject(value)) return addTexts(form, name, [value])
  if (Array.isArray(value) && !value.some(isObject)) return addTexts(form, name, value)
  addMembers(form, `${name}.`, value)
}

// A list without entries is a field without texts: absent, as an empty list of checkboxes is.
function addTexts(form: Form, name: string, values: readonly unknown[]): void {
  if (values.length === 0) return
  form.texts += values.length
  if (form.texts > maxTexts) refuse(`The body holds more than ${maxTexts} values.`)
  const texts = values.map(textOf)
  const known = form.fields.get(name)
  if (known === undefined) form.fields.set(name, texts)
  else for (const text of texts) known.push(text)
  if (form.fields.size > maxFields) refuse(`The body holds more than ${maxFields} fields.`)
}

function textOf(value: unknown): string {
  const text = value === null ? '' : String(value)
  return text.includes('\0') ? refuse('The body holds a NUL character.') : text
}

function refuse(message: string): never {
  throw new HttpError(400, 'http.json-invalid', message)
}
