/** Formats values for the console: rows as a table; dates, models and responses in one line. */
import { inspect, type InspectOptionsStylized, type Style } from 'node:util'
import { escapeControls, FwError, Temporal } from '../../runtime/base.ts'
import { ReadOnlyModel } from '../../runtime/model.ts'
import { Route } from '../../runtime/routing.ts'
import { Page } from '../testing.ts'
import { count } from './terminal.ts'

type Row = Readonly<Record<string, unknown>>

const maxRows = 50
/** The maximum number of printed characters of a response's body. */
const maxBody = 400

/** Defines how `util.inspect` prints the instances of a class. `style` is one of the colour styles of `util.inspect`. */
function defineInspector<T>(
  { prototype }: { readonly prototype: T },
  style: Style,
  show: (value: T) => string,
): void {
  Object.defineProperty(prototype, inspect.custom, {
    configurable: true,
    value(this: T, _depth: number, options: InspectOptionsStylized) {
      return options.stylize(show(this), style)
    },
  })
}

const formatModel = ({ table, columns }: ReadOnlyModel<string, Record<string, never>>): string =>
  `model of ${table} (${Object.keys(columns).join(', ')})`

function formatPage({ status, headers, body, location, bytes }: Page): string {
  const what = location === undefined ? `${bytes.length} bytes` : `to ${location}`
  const head = [status, headers.get('content-type'), what].filter((part) => part !== null)
  const text = body.length <= maxBody ? body : `${body.slice(0, maxBody)}…`
  return [head.join(', '), text.trimEnd()].join('\n').trimEnd()
}

/** Defines how `util.inspect` prints classes of Fw and `Temporal`. Call it once per process. */
export function installInspectors(): void {
  // Read the property descriptors, because the classes of `Temporal` are not enumerable.
  for (const { value } of Object.values(Object.getOwnPropertyDescriptors(Temporal)))
    if (typeof value === 'function') defineInspector(value as { prototype: object }, 'date', String)
  defineInspector(ReadOnlyModel, 'special', formatModel)
  // Print errors without their stack, which the console provides as `_error.stack`.
  defineInspector(FwError, 'regexp', ({ message, code }) => `${message} (${code})`)
  defineInspector(Route, 'special', ({ method, pattern }) => `${method} ${pattern}`)
  defineInspector(Page, 'special', formatPage)
}

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null)

/** True for an array of plain objects with the same keys, such as the result of a finder. */
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

function formatTable(rows: readonly Row[]): string[] {
  const columns = Object.keys(rows[0]!).map((key) => {
    const texts = [key, ...rows.map((row) => cell(row[key]))]
    const width = Math.max(...texts.map((text) => text.length))
    const right = rows.every((row) => isNumber(row[key]))
    return texts.map((text) => (right ? text.padStart(width) : text.padEnd(width)))
  })
  const lines = columns[0]!.map((_, at) => columns.map((column) => column[at]).join('  '))
  return lines.map((line) => line.trimEnd())
}

/** Formats a value. Rows become a table if the table fits into the width. */
export function formatValue(value: unknown, width: number, colors: boolean): string {
  if (areRows(value)) {
    const lines = formatTable(value.slice(0, maxRows))
    const left = value.length - maxRows
    const last = left > 0 ? [`… and ${left} more`] : []
    const total = `(${count(value.length, 'row')})`
    if (lines.every((line) => line.length <= width)) return [...lines, ...last, total].join('\n')
  }
  return inspect(value, { colors, breakLength: Math.min(width, 120) })
}
