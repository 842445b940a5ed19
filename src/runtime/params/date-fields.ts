/** Joins the separate inputs of a date in a form, such as `birthdayYear` or `birthday_year`, into one text. */
import { cached } from './cached.ts'
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

/** The keys of the inputs of a date and time: six inputs, or one input for the date and one for the time. */
export type DateTimeNames =
  | (DateNames & TimeNames)
  | { readonly date: string; readonly time: string }

const suffixes = ['Year', 'Month', 'Day', 'Hour', 'Minute', 'Second', 'Date', 'Time'] as const

type InputNames = Record<Lowercase<(typeof suffixes)[number]>, string>

interface FieldNames {
  readonly camelCase: InputNames
  readonly snakeCase: InputNames
}

const namesBy = (nameOf: (suffix: string) => string): InputNames =>
  Object.fromEntries(suffixes.map((suffix) => [suffix.toLowerCase(), nameOf(suffix)])) as InputNames

const namesOf = cached((field): FieldNames => ({
  camelCase: namesBy((suffix) => field + suffix),
  snakeCase: namesBy((suffix) => `${field}_${suffix.toLowerCase()}`),
}))

/**
 * Returns the keys of the inputs of a field. They are in camel case if the request contains at least one such key,
 * otherwise in snake case.
 */
function inputNames(source: ParamSource, field: string): InputNames {
  const { camelCase, snakeCase } = namesOf(field)
  for (const key of Object.values(camelCase)) if (source.get(key) !== undefined) return camelCase
  return snakeCase
}

const textOf = (source: ParamSource, key: string): string | undefined => textsOf(source, key)?.[0]

/** Pads digits with zeros. Other text stays unchanged, so that the validation rules for dates reject it. */
const pad = (text = '', width = 2): string =>
  /^\d+$/.test(text) ? text.padStart(width, '0') : text

/** Returns `''` if one of the texts was sent, although all are empty. */
const blank = (...texts: readonly (string | undefined)[]): '' | undefined =>
  texts.some((text) => text !== undefined) ? '' : undefined

/**
 * Returns the date as `yyyy-mm-dd`. A part whose input was empty stays empty. Returns `''` when all inputs are empty, and
 * `undefined` when none was sent.
 */
export function joinDateFields(
  source: ParamSource,
  field: string,
  names: DateNames = inputNames(source, field),
): string | undefined {
  const [y, m, d] = [names.year, names.month, names.day].map((key) => textOf(source, key))
  return y || m || d ? `${pad(y, 4)}-${pad(m)}-${pad(d)}` : blank(y, m, d)
}

const exactText = /^\d\d:\d\d:\d\d\.\d{1,9}$/

/**
 * Returns the time with the fraction of a second that the hidden input `<field>Exact` contains, unless the visitor has changed the
 * time. Time inputs have no microseconds, and browsers leave out seconds that are 0.
 */
function withFraction(source: ParamSource, field: string, clock: string): string {
  const exact = textOf(source, `${field}Exact`)
  if (exact === undefined || exact.length > 18 || !exactText.test(exact)) return clock
  const whole = clock.length === 5 ? `${clock}:00` : clock
  return exact.startsWith(`${whole}.`) ? exact : clock
}

function clockText(source: ParamSource, names: TimeNames): string | undefined {
  const [h, m, s] = [names.hour, names.minute, names.second].map((key) => textOf(source, key))
  // Without an input for seconds, the seconds are 0. With an empty input, the time stays incomplete, and the validation
  // rules reject it.
  return h || m || s ? `${pad(h)}:${pad(m)}:${pad(s ?? '0')}` : blank(h, m, s)
}

/**
 * Returns the time as `1970-01-01 HH:mm:ss`; `''` when all three inputs are empty. Without these inputs, returns the text of the
 * field with its fraction of a second, and `undefined` if that is unchanged.
 */
export function joinTimeFields(
  source: ParamSource,
  field: string,
  names: TimeNames = inputNames(source, field),
): string | undefined {
  const clock = clockText(source, names)
  if (clock !== undefined) return `1970-01-01 ${withFraction(source, field, clock)}`
  const text = textOf(source, field)
  const exact = text === undefined ? undefined : withFraction(source, field, text)
  return exact === text ? undefined : exact
}

// Replaces a missing date or a missing time, so that the validation rules reject the text.
const missing = '?'

/** Returns the date and time as `yyyy-MM-dd HH:mm:ss`. A date input and a time input take precedence over six single inputs. */
export function joinDateTimeFields(
  source: ParamSource,
  field: string,
  names: DateTimeNames = inputNames(source, field),
): string | undefined {
  const [own, ownTime] =
    'date' in names ? [textOf(source, names.date), textOf(source, names.time)] : []
  if (own || ownTime)
    return `${own || missing} ${ownTime ? withFraction(source, field, ownTime) : missing}`
  if (!('year' in names)) return blank(own, ownTime)
  const [date, clock] = [joinDateFields(source, field, names), clockText(source, names)]
  if (!date && !clock) return blank(own, ownTime, date, clock)
  return `${date || missing} ${clock ? withFraction(source, field, clock) : missing}`
}
