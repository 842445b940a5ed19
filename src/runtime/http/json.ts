/** JSON from and for clients: strict parsing, flattening into form fields, and writing. */
import { HttpError } from '../base.ts'
import type { FieldMap } from './query.ts'

const maxDepth = 64
/** Of one document; a larger one holds the event loop (`npm run bench -- bodies`). */
const maxContainers = 10_000
const maxMembers = 15_000
const maxEntries = 100_000
// `\u` escapes can spell any key.
const suspicious = /__proto__|constructor|\\u/

/**
 * Parses untrusted JSON.
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
  return value
}

function reject(message: string): never {
  throw new HttpError(400, 'http.json-invalid', message)
}

// Runs before parsing, so that everything that walks the value later may recurse.
function rejectStructure(text: string): void {
  if (text.length < maxDepth * 2) return
  let depth = 0
  let containers = 0
  let members = 0
  let entries = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x22) i = findStringEnd(text, i + 1)
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > maxDepth) reject(`The JSON is nested deeper than ${maxDepth} levels.`)
      containers++
    } else if (code === 0x5d || code === 0x7d) depth--
    else if (code === 0x3a) members++
    else if (code === 0x2c) entries++
  }
  rejectCount(containers, maxContainers, 'objects and lists')
  rejectCount(members, maxMembers, 'members of objects')
  rejectCount(entries + containers, maxEntries, 'values')
}

function rejectCount(count: number, most: number, what: string): void {
  if (count > most) reject(`The JSON contains more than ${most} ${what}.`)
}

function findStringEnd(text: string, start: number): number {
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x5c) i++
    else if (code === 0x22) return i
  }
  return text.length
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

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const maxFields = 1000
/** The limit of values in all fields together: a list of scalars is one field with many, an empty list counts as one. */
const maxValues = 10_000
const maxNameLength = 256

/**
 * The members of a JSON object as form fields. `{ name: 'Ann', tags: ['a', 'b'], home: { city: 'Ulm' },
 * pets: [{ name: 'Rex' }] }` has the fields `name`, `tags` (two values), `home.city` and `pets.0.name`. Numbers and
 * booleans become text, `null` becomes '' (a blank field). Any other value than an object has no fields. `value` must
 * come from `parseJson` or `parseXml`, which limit the depth.
 * @throws HttpError 400 `http.json-invalid`: more than 1000 fields or 10,000 values, or a dotted key longer than 256
 */
export function fieldsFromJson(value: unknown): FieldMap {
  const form: Form = { fields: new Map(), valueCount: 0 }
  if (isObject(value) && !Array.isArray(value)) addMembers(form, '', value)
  return form.fields
}

/** As `fieldsFromJson`, for a value of `parseXml`. @throws HttpError 400 `http.xml-invalid` */
export function fieldsFromXml(value: unknown): FieldMap {
  try {
    return fieldsFromJson(value)
  } catch (error) {
    throw error instanceof HttpError
      ? new HttpError(error.status, 'http.xml-invalid', error.message)
      : error
  }
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
    reject(`A key of the body is longer than ${maxNameLength} characters.`)
  if (!isObject(value)) return addValues(form, name, [value])
  if (Array.isArray(value) && !value.some(isObject)) return addValues(form, name, value)
  addMembers(form, `${name}.`, value)
}

// An empty list adds no field, like a form in which no checkbox is checked.
function addValues(form: Form, name: string, values: readonly unknown[]): void {
  form.valueCount += values.length || 1
  if (form.valueCount > maxValues) reject(`The body contains more than ${maxValues} values.`)
  if (values.length === 0) return
  const texts = values.map(fieldText)
  const known = form.fields.get(name)
  if (known === undefined) form.fields.set(name, texts)
  else for (const text of texts) known.push(text)
  if (form.fields.size > maxFields) reject(`The body contains more than ${maxFields} fields.`)
}

function fieldText(value: unknown): string {
  const text = value === null ? '' : String(value)
  return text.includes('\0') ? reject('The body contains a NUL character.') : text
}

/** How `stringifyJson` writes. */
export interface JsonStyle {
  /** Indents by two spaces. */
  readonly prettify?: boolean
  /** Renames the keys of objects; a `Map` keeps its keys. */
  readonly key?: (key: string) => string
}

/**
 * Like `JSON.stringify`, but writes a `bigint` as text, a `Map` as an object and a `Set` as a list.
 * @throws TypeError for a circular value or a promise
 */
export function stringifyJson(value: unknown, { prettify = false, key }: JsonStyle = {}): string {
  try {
    if (key === undefined && !prettify) return stringifyPlain(value)
    const replacer = key === undefined ? replaceCollections : renameKeys(key)
    return JSON.stringify(value, replacer, prettify ? 2 : undefined) ?? 'null'
  } catch (error) {
    ignoreRejections(value, new Set())
    throw error
  }
}

// `JSON.stringify` is several times slower with a replacer.
function stringifyPlain(value: unknown): string {
  if (containsCollection(value, 0)) return JSON.stringify(value, replaceCollections)
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    return JSON.stringify(value, replaceCollections)
  }
}

const isCollection = (value: object): boolean =>
  value instanceof Map || value instanceof Set || value instanceof Promise

/** Dates and times. Another `toJSON` may return a collection. */
const isTextInJson = (value: object): boolean =>
  value instanceof Date || Object.prototype.toString.call(value).startsWith('[object Temporal.')

/** True if the value may contain a `Map`, `Set` or promise, which `JSON.stringify` writes as `{}`. */
function containsCollection(value: unknown, depth: number): boolean {
  if (!isObject(value)) return false
  if (depth > maxDepth || isCollection(value)) return true
  if (Array.isArray(value)) return value.some((entry) => containsCollection(entry, depth + 1))
  if (typeof (value as { toJSON?: unknown }).toJSON === 'function') return !isTextInJson(value)
  for (const key in value)
    if (containsCollection((value as Record<string, unknown>)[key], depth + 1)) return true
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
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [rename(name), member]))
  }
}

/** Adds a handler to every promise in the value: an unhandled rejection would end the process. */
function ignoreRejections(value: unknown, seen: Set<object>): void {
  if (!isObject(value) || seen.has(value)) return
  seen.add(value)
  if (value instanceof Promise) return void value.catch(() => {})
  const members = value instanceof Map ? value.values() : Object.values(value)
  for (const member of members) ignoreRejections(member, seen)
}
