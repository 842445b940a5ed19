/** The texts that a form shows for a record's values, and the notation of lists in one input. */
import { OutOfRangeValue } from '../base.ts'
import { parseExactJson } from '../http.ts'
import { formatText, isOptionalType, type ParamType } from './param-type.ts'

/**
 * Returns the text that a form's input shows for a value; `undefined` for NULL and for a list. A value that its type cannot
 * represent has PostgreSQL's text.
 */
export function formText(type: ParamType<unknown>, value: unknown): string | undefined {
  // The value of a JSON column may be a list, and if the column is not optional, it contains JSON's null instead of NULL.
  if (type.definition?.isJson === true)
    return (value ?? null) === null && isOptionalType(type)
      ? undefined
      : formatText(type, value ?? null)
  if (value === undefined || value === null || Array.isArray(value)) return undefined
  if (value instanceof OutOfRangeValue) return value.text
  return type.definition?.formText?.(value) ?? formatText(type, value)
}

/** Returns the items of a list as a JSON list in a form has them: texts, numbers, `null`, lists, and JSON. */
export function listItems(element: ParamType<unknown>, items: readonly unknown[]): unknown[] {
  const isJson = element.definition?.isJson === true
  return items.map((item) => {
    if (isJson || typeof item === 'number') return item
    return Array.isArray(item) ? listItems(element, item) : (formText(element, item) ?? null)
  })
}

/**
 * Returns the text of a list for one input, which `readList` reads: a line for each item. A list that lines cannot represent is a
 * JSON text: one with `null`, a list, a blank item, or an item with line breaks or surrounding blanks.
 */
export function listText(items: readonly unknown[]): string {
  const lines = items.map(String).join('\n')
  const read = readList(lines)
  const isExact = items.length === read.length && items.every((item, at) => isLine(item, read[at]))
  return isExact ? lines : JSON.stringify(items)
}

const isLine = (item: unknown, line: unknown): boolean =>
  item === line || (typeof item === 'number' && String(item) === line)

/** Reads the list in the text of one input: a JSON list, or else the lines, trimmed and without blank ones. */
export function readList(text: string): readonly unknown[] {
  return readJsonList(text) ?? readLines(text)
}

/** Returns the items of a text that is a JSON list; `undefined` for any other text. */
export function readJsonList(text: string): readonly unknown[] | undefined {
  if (!text.trimStart().startsWith('[')) return undefined
  try {
    return parseExactJson(text) as readonly unknown[]
  } catch {
    return undefined
  }
}

/** Returns the lines of a text, trimmed and without blank ones. */
export const readLines = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

const dateText = /^(?!0000)\d{4}-\d\d-\d\d$/
const timeText = /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?$/

/**
 * Whether a browser keeps the text as the value of an input of this kind. It trims addresses and removes line breaks. A time is
 * shown without its fraction of a second, which a hidden input contains.
 */
function keepsText(kind: string, text: string): boolean {
  if (kind === 'date') return dateText.test(text)
  if (kind === 'time') return timeText.test(text)
  return kind !== 'email' && kind !== 'url' ? true : text === text.trim()
}

const oneLine: ReadonlySet<string> = new Set(['text', 'email', 'url'])

/** Returns the kind of input that keeps the text: `kind`, or else `text` or `textarea`. */
export function chooseInput<K extends string>(kind: K, text: string): K | 'text' | 'textarea' {
  if (text === '') return kind
  if (/[\r\n]/.test(text)) return oneLine.has(kind) ? 'textarea' : kind
  return keepsText(kind, text) ? kind : 'text'
}
