/** How the console shows values: rows as a table, dates as they are written, models and answers in a line. */
import { inspect } from 'node:util'
import { escapeControls, FwError, Temporal } from '../base.ts'
import { FwModel } from '../model.ts'
import { Route } from '../routing.ts'
import { Page } from '../testing.ts'

type Row = Readonly<Record<string, unknown>>

const mostRows = 50
const beginning = 400

/** Teaches `util.inspect` of this process a class, in one of its own styles. */
function teach(prototype: object, style: string, show: (value: never) => string): void {
  Object.defineProperty(prototype, inspect.custom, {
    configurable: true,
    value(
      this: never,
      _depth: number,
      { stylize }: { readonly stylize: (text: string, by: string) => string },
    ) {
      return stylize(show(this), style)
    },
  })
}

const showModel = ({ table, columns }: FwModel<string, Record<string, never>>): string =>
  `model of ${table} (${Object.keys(columns).join(', ')})`

function showPage({ status, headers, body, location, bytes }: Page): string {
  const what = location === undefined ? `${bytes.length} bytes` : `to ${location}`
  const head = [status, headers.get('content-type'), what].filter((part) => part !== null)
  const text = body.length <= beginning ? body : `${body.slice(0, beginning)}…`
  return [head.join(', '), text.trimEnd()].join('\n').trimEnd()
}

/** Once for a process. */
export function teachInspect(): void {
  // Its classes are no enumerable properties.
  for (const { value } of Object.values(Object.getOwnPropertyDescriptors(Temporal)))
    if (typeof value === 'function') teach(value.prototype as object, 'date', String)
  teach(FwModel.prototype, 'special', showModel)
  // `_error.stack` has the rest.
  teach(FwError.prototype, 'regexp', ({ message, code }: FwError) => `${message} (${code})`)
  teach(Route.prototype, 'special', ({ method, pattern }: Route) => `${method} ${pattern}`)
  teach(Page.prototype, 'special', showPage)
}

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null)

/** Plain objects with the same keys, such as a finder gives. */
function areRows(value: unknown): value is readonly Row[] {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isRow)) return false
  const keys = Object.keys(value[0] as Row).join()
  return keys !== '' && value.every((row) => Object.keys(row).join() === keys)
}

function cell(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return escapeControls(value)
  return inspect(value, { depth: 1, breakLength: Infinity, compact: true })
}

const isNumber = (value: unknown): boolean =>
  value === undefined || ['number', 'bigint'].includes(typeof value)

/** Numbers stand to the right. */
function table(rows: readonly Row[]): string[] {
  const columns = Object.keys(rows[0]!).map((key) => {
    const texts = [key, ...rows.map((row) => cell(row[key]))]
    const width = Math.max(...texts.map((text) => text.length))
    const right = rows.every((row) => isNumber(row[key]))
    return texts.map((text) => (right ? text.padStart(width) : text.padEnd(width)))
  })
  const lines = columns[0]!.map((_, at) => columns.map((column) => column[at]).join('  '))
  return lines.map((line) => line.trimEnd())
}

/** As the console prints a value; rows as a table where it fits into the columns. */
export function showValue(value: unknown, width: number, colors: boolean): string {
  if (areRows(value)) {
    const lines = table(value.slice(0, mostRows))
    const left = value.length - mostRows
    const last = left > 0 ? [`… and ${left} more`] : []
    const count = `(${value.length} ${value.length === 1 ? 'row' : 'rows'})`
    if (lines.every((line) => line.length <= width)) return [...lines, ...last, count].join('\n')
  }
  return inspect(value, { colors, breakLength: Math.min(width, 120) })
}
