/** One date text out of the several inputs of a form: `birthdayYear` or `birthday_year`, and so on. */
import { type ParamSource, textsOf } from './source.ts'

/** The keys of the three inputs of a date. */
export interface DateNames {
  readonly year: string
  readonly month: string
  readonly day: string
}

/** The keys of the three inputs of a time. */
export interface TimeNames {
  readonly hour: string
  readonly minute: string
  readonly second: string
}

/** The keys of a date and time: six inputs, or one for the date and one for the time. */
export type DateTimeNames =
  | (DateNames & TimeNames)
  | { readonly date: string; readonly time: string }

const suffixes = ['Year', 'Month', 'Day', 'Hour', 'Minute', 'Second', 'Date', 'Time'] as const

/** The names of a field's inputs: camel case as soon as one of those was sent, else snake case. */
function namesOf(source: ParamSource, field: string) {
  const camel = suffixes.some((suffix) => source.get(field + suffix) !== undefined)
  const name = (suffix: (typeof suffixes)[number]) =>
    camel ? field + suffix : `${field}_${suffix.toLowerCase()}`
  return {
    year: name('Year'),
    month: name('Month'),
    day: name('Day'),
    hour: name('Hour'),
    minute: name('Minute'),
    second: name('Second'),
    date: name('Date'),
    time: name('Time'),
  }
}

function textOf(source: ParamSource, key: string): string | undefined {
  return textsOf(source, key)?.[0]
}

/** Only digits are padded; anything else stays, for the date rules to refuse. */
function pad(text: string | undefined, width: number): string {
  return text !== undefined && /^\d+$/.test(text) ? text.padStart(width, '0') : (text ?? '')
}

/** `yyyy-mm-dd`, an empty part left empty; `undefined` when no part was filled in. */
export function dateText(
  source: ParamSource,
  field: string,
  names?: DateNames,
): string | undefined {
  const { year, month, day } = names ?? namesOf(source, field)
  const [y, m, d] = [textOf(source, year), textOf(source, month), textOf(source, day)]
  return y || m || d ? `${pad(y, 4)}-${pad(m, 2)}-${pad(d, 2)}` : undefined
}

function clockText(source: ParamSource, { hour, minute, second }: TimeNames): string | undefined {
  const [h, m, s] = [textOf(source, hour), textOf(source, minute), textOf(source, second)]
  // A form without an input for seconds means the full minute; one left empty is incomplete.
  return h || m || s ? `${pad(h, 2)}:${pad(m, 2)}:${pad(s ?? '0', 2)}` : undefined
}

/** `1970-01-01 HH:mm:ss`; `undefined` when no part was filled in. */
export function timeText(
  source: ParamSource,
  field: string,
  names?: TimeNames,
): string | undefined {
  const clock = clockText(source, names ?? namesOf(source, field))
  return clock === undefined ? undefined : `1970-01-01 ${clock}`
}

// Stands where half of a date and time is missing: no date rule accepts it.
const missing = '?'

/** `yyyy-MM-dd HH:mm:ss`; a date input and a time input win over six single ones. */
export function dateTimeText(
  source: ParamSource,
  field: string,
  names?: DateTimeNames,
): string | undefined {
  const own: Partial<ReturnType<typeof namesOf>> = names ?? namesOf(source, field)
  if (own.date !== undefined && own.time !== undefined) {
    const [date, time] = [textOf(source, own.date), textOf(source, own.time)]
    if (date || time) return `${date || missing} ${time || missing}`
  }
  if (own.year === undefined) return undefined
  const six = own as DateNames & TimeNames
  const [date, clock] = [dateText(source, field, six), clockText(source, six)]
  return date || clock ? `${date ?? missing} ${clock ?? missing}` : undefined
}
