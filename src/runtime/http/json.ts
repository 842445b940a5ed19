/** JSON from and for clients: strict parsing, flattening into form fields, and serializing. */
import { HttpError } from '../base.ts'
import {
  findStringEnd,
  isRawJson,
  JsonNumber,
  mayHaveLongNumber,
  numberText,
  parseExactJson,
} from './json-number.ts'
import type { FieldMap } from './query.ts'
import { isStoredJson } from './stored-json.ts'

const maxDepth = 64
/** The limits of one document. Parsing a larger one would block the event loop too long (`npm run bench -- bodies`). */
const maxContainers = 10_000
const maxMembers = 15_000
const maxEntries = 100_000
// A text without a match contains no forbidden key. `\u` escapes count as a match, because they can spell any key.
const suspicious = /__proto__|constructor|\\u/

/** Parsed bodies → their text, if they may contain a number that a JavaScript number cannot represent. */
const textsOfLongNumbers = new WeakMap<object, string>()

/**
 * Parses untrusted JSON. `fieldsFromJson` still knows the digits of numbers that changed.
 * @throws HttpError 400 `http.json-invalid`: a syntax error, `__proto__`, `constructor.prototype`; more than 64 levels,
 * 10,000 objects and lists, 15,000 members of objects, or 100,000 values
 */
export function parseJson(text: string): unknown {
  rejectStructure(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    reject('The body is not valid JSON.')
  }
  if (suspicious.test(text)) rejectPrototypeKeys(value)
  if (isObject(value) && mayHaveLongNumber(text)) textsOfLongNumbers.set(value, text)
  return value
}

function reject(message: string): never {
  throw new HttpError(400, 'http.json-invalid', message)
}

// Runs before `JSON.parse`. It limits the depth, so that later functions may walk the value recursively.
function rejectStructure(text: string): void {
  if (text.length < maxDepth * 2) return
  let depth = 0
  let containers = 0
  let members = 0
  let entries = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    // Numbers first, because lists of them are long.
    if (code >= 0x2d && code <= 0x39) continue
    if (code === 0x22) i = findStringEnd(text, i + 1)
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > maxDepth)
        reject(`The JSON is nested deeper than ${maxDepth} levels${placeAt(text, i)}.`)
      if (++containers > maxContainers) rejectCount(text, i, `${maxContainers} objects and lists`)
      if (++entries > maxEntries) rejectCount(text, i, `${maxEntries} values`)
    } else if (code === 0x5d || code === 0x7d) depth--
    else if (code === 0x3a) {
      if (++members > maxMembers) rejectCount(text, i, `${maxMembers} members of objects`)
    } else if (code === 0x2c && ++entries > maxEntries) rejectCount(text, i, `${maxEntries} values`)
  }
}

function rejectCount(text: string, at: number, most: string): never {
  reject(`The JSON contains more than ${most}${placeAt(text, at)}.`)
}

const longestPath = 100

/** Formats the path of the value at a position of the text, in the form of parameter keys: ` at pets.0.name`. */
function placeAt(text: string, position: number): string {
  const path: (string | number)[] = []
  let string = ''
  for (let i = 0; i < position; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x22) {
      const end = findStringEnd(text, i + 1)
      string = text.slice(i + 1, end)
      i = end
    } else if (code === 0x5b) path.push(0)
    else if (code === 0x7b) path.push('')
    else if (code === 0x5d || code === 0x7d) path.pop()
    else if (code === 0x3a) path[path.length - 1] = string
    else if (code === 0x2c) {
      const last = path.at(-1)
      if (typeof last === 'number') path[path.length - 1] = last + 1
    }
  }
  return formatPlace(path)
}

/** Formats a path, shortened to a limit because clients choose the keys. */
export function formatPlace(path: readonly (string | number)[]): string {
  const whole = path.filter((part) => part !== '').join('.')
  if (whole === '') return ''
  return ` at ${whole.length > longestPath ? `${whole.slice(0, longestPath)}…` : whole}`
}

function rejectPrototypeKeys(value: unknown): void {
  if (!isObject(value)) return
  if (Array.isArray(value)) return value.forEach(rejectPrototypeKeys)
  for (const [key, member] of Object.entries(value)) {
    const isPrototype = isObject(member) && Object.hasOwn(member, 'prototype')
    if (key === '__proto__' || (key === 'constructor' && isPrototype))
      reject(`The JSON contains the forbidden key ${key}.`)
    rejectPrototypeKeys(member)
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof JsonNumber)

const maxFields = 1000
/**
 * The limit of values in all fields together. A list of scalars is one field with many values; an empty list counts as
 * one value.
 */
const maxValues = 10_000
const maxNameLength = 256

/**
 * Converts the members of a JSON object to form fields. `{ name: 'Ann', tags: ['a', 'b'], home: { city: 'Ulm' }, pets:
 * [{ name: 'Rex' }] }` has the fields `name`, `tags` (two values), `home.city` and `pets.0.name`. Numbers and booleans
 * become text, numbers with all their digits; `null` becomes '' (a blank field). A value that is not an object has no fields. `value` must come from
 * `parseJson` or `parseXml`, which limit its depth.
 * @throws HttpError 400 `http.json-invalid`: more than 1000 fields or 10,000 values, or a dotted key of more than 256
 * characters
 */
export function fieldsFromJson(value: unknown): JsonFields {
  const fields = flatten(value, new JsonFields(value))
  const text = isObject(value) ? textsOfLongNumbers.get(value) : undefined
  if (text === undefined) return fields
  // Parsing exact numbers takes long, so `flatten` must have limited the values first. It does so for an object, but not for a list.
  const exact = parseLimited(text, Array.isArray(value) ? maxValues : undefined)
  return flatten(exact, new JsonFields(exact))
}

function parseLimited(text: string, limit: number | undefined): unknown {
  try {
    return parseExactJson(text, limit)
  } catch (error) {
    if (error instanceof RangeError) return reject(error.message)
    throw error
  }
}

/**
 * Converts a value of `parseXml`, which contains only texts, as `fieldsFromJson` does.
 * @throws HttpError 400 `http.xml-invalid`
 */
export function fieldsFromXml(value: unknown): FieldMap {
  try {
    return flatten(value, new XmlFields())
  } catch (error) {
    throw error instanceof HttpError
      ? new HttpError(error.status, 'http.xml-invalid', error.message)
      : error
  }
}

function flatten<F extends FieldMap>(value: unknown, fields: F): F {
  if (isObject(value) && !Array.isArray(value)) addMembers({ fields, valueCount: 0 }, '', value)
  return fields
}

/** The fields of a JSON body. The method `json` also returns its typed values; a number that would change is a `JsonNumber`. */
export class JsonFields extends Map<string, string[]> {
  readonly hasItems = true
  readonly #body: unknown

  constructor(body: unknown) {
    super()
    this.#body = body
  }

  /** Returns the value at a dotted key, `undefined` for an unknown key. Without a key, returns the whole body. */
  json(key?: string): unknown {
    return key === undefined ? this.#body : findValue(this.#body, key)
  }
}

/**
 * Finds a value by its dotted key. A member's name may itself contain dots: `{ "a.b": 1 }` and `{ "a": { "b": 1 } }`
 * both have `a.b`.
 */
function findValue(value: unknown, key: string): unknown {
  if (!isObject(value)) return undefined
  if (Object.hasOwn(value, key)) return (value as Record<string, unknown>)[key]
  for (let dot = key.indexOf('.'); dot !== -1; dot = key.indexOf('.', dot + 1)) {
    const name = key.slice(0, dot)
    if (!Object.hasOwn(value, name)) continue
    const found = findValue((value as Record<string, unknown>)[name], key.slice(dot + 1))
    if (found !== undefined) return found
  }
  return undefined
}

/** The fields of an XML body, in which repeated elements are the items of a list. */
class XmlFields extends Map<string, string[]> {
  readonly hasItems = true
}

interface Form {
  readonly fields: FieldMap
  valueCount: number
}

function addMembers(form: Form, prefix: string, value: object): void {
  for (const [key, member] of Object.entries(value)) addMember(form, prefix + key, member)
}

function addMember(form: Form, name: string, value: unknown): void {
  if (name.length > maxNameLength)
    reject(`A key of the body is longer than ${maxNameLength} characters${formatPlace([name])}.`)
  if (!isObject(value)) return addValues(form, name, [value])
  if (Array.isArray(value) && !value.some(isObject)) return addValues(form, name, value)
  addMembers(form, `${name}.`, value)
}

// An empty list adds no field, like a form in which no checkbox is checked.
function addValues(form: Form, name: string, values: readonly unknown[]): void {
  form.valueCount += values.length || 1
  if (form.valueCount > maxValues)
    reject(`The body contains more than ${maxValues} values${formatPlace([name])}.`)
  if (values.length === 0) return
  const texts = values.map((value) => fieldText(value, name))
  const known = form.fields.get(name)
  if (known === undefined) form.fields.set(name, texts)
  else for (const text of texts) known.push(text)
  if (form.fields.size > maxFields)
    reject(`The body contains more than ${maxFields} fields${formatPlace([name])}.`)
}

function fieldText(value: unknown, name: string): string {
  const text = value === null ? '' : typeof value === 'number' ? numberText(value) : String(value)
  if (text.includes('\0')) reject(`The body contains a NUL character${formatPlace([name])}.`)
  return text
}

/** Options of `stringifyJson`. */
export interface JsonStyle {
  /** True to indent the JSON by two spaces. */
  readonly prettify?: boolean
  /** A function that renames the keys of objects. The keys of a `Map`, and of values of JSON columns, stay. */
  readonly key?: (key: string) => string
}

/**
 * Serializes a value like `JSON.stringify`, but writes a `bigint` as text, a `Map` as an object and a `Set` as a list.
 * @throws TypeError for a circular value or a promise
 */
export function stringifyJson(value: unknown, { prettify = false, key }: JsonStyle = {}): string {
  try {
    let replacer = key && renameKeys(key)
    // A replacer makes `JSON.stringify` several times slower.
    if (replacer === undefined && needsReplacer(value, 0)) replacer = replaceCollections
    return JSON.stringify(value, replacer, prettify ? 2 : undefined) ?? 'null'
  } catch (error) {
    ignoreRejections(value, new Set())
    throw error
  }
}

const isCollection = (value: object): boolean =>
  value instanceof Map || value instanceof Set || value instanceof Promise

const hasToJson = (value: object): value is { toJSON(): unknown } =>
  typeof (value as { toJSON?: unknown }).toJSON === 'function'

/** Returns true for dates and times. The `toJSON` of any other object may return a collection. */
const isTextInJson = (value: object): boolean =>
  value instanceof Date || Object.prototype.toString.call(value).startsWith('[object Temporal.')

/** Returns true if the value may contain a `bigint`, or a `Map`, `Set` or promise, which `JSON.stringify` writes as `{}`. */
function needsReplacer(value: unknown, depth: number): boolean {
  if (!isObject(value)) return typeof value === 'bigint'
  if (depth > maxDepth || isCollection(value)) return true
  if (Array.isArray(value)) return value.some((entry) => needsReplacer(entry, depth + 1))
  if (hasToJson(value)) return !isTextInJson(value) && needsReplacer(value.toJSON(), depth + 1)
  for (const key in value)
    if (needsReplacer((value as Record<string, unknown>)[key], depth + 1)) return true
  return false
}

function replaceCollections(key: string, value: unknown): unknown {
  if (value instanceof Promise)
    throw new TypeError(
      `The promise at '${key}' in a JSON response was not awaited: await it in the action.`,
    )
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Map) return Object.fromEntries(value)
  if (value instanceof Set) return [...value]
  return value
}

function renameKeys(rename: (key: string) => string) {
  return (key: string, value: unknown): unknown => {
    if (!isObject(value) || Array.isArray(value) || isCollection(value))
      return replaceCollections(key, value)
    if (isStoredJson(value) || isRawJson(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [rename(name), member]))
  }
}

/** Adds a rejection handler to every promise in the value, because an unhandled rejection would end the process. */
function ignoreRejections(value: unknown, seen: Set<object>): void {
  if (!isObject(value) || seen.has(value)) return
  seen.add(value)
  if (value instanceof Promise) return void value.catch(() => {})
  const members = value instanceof Map ? value.values() : Object.values(value)
  for (const member of members) ignoreRejections(member, seen)
}
