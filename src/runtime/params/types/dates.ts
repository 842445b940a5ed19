/** `ParamType.LocalDate`, `LocalTime`, `LocalDateTime` and `DateTime`. */
import { Temporal } from '../../base.ts'
import { parseDate, parseDateTime, parseInstant, parseTime } from '../parse-date.ts'
import {
  dateTimeToIso,
  dateToIso,
  decodeInstant,
  decodePlainDate,
  decodePlainDateTime,
  decodePlainTime,
  instantToIso,
  timeToIso,
} from '../sql-date.ts'
import type { FieldFacet, TypeDefinition } from '../type-definition.ts'

/** An input for a date with a time holds milliseconds. */
const inputDigits = { smallestUnit: 'millisecond', roundingMode: 'trunc' } as const

const clock = '\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?'

export const localDate: TypeDefinition<Temporal.PlainDate> = {
  name: 'LocalDate',
  expected: 'a date',
  parse: parseDate,
  read: (text) => Temporal.PlainDate.from(text),
  rule: 'dateFormat',
  jsonSchema: { type: 'string', format: 'date' },
  className: 'PlainDate',
  sql: { type: 'date', oids: [[1082, 1182]], decode: decodePlainDate, toJson: dateToIso },
  field: {
    input: 'date',
    rules: ['dateFormat'],
    paramsMethod: 'withDate',
    samples: ['2000-01-02', '2001-02-03'],
    invalidSample: '2000-13-01',
    code: (_text, quoted) => `Temporal.PlainDate.from(${quoted})`,
    uniqueCode: "Temporal.PlainDate.from('2000-01-02').add({ days: count })",
    display: 'date',
  },
}

export const localTime: TypeDefinition<Temporal.PlainTime> = {
  name: 'LocalTime',
  expected: 'a time',
  parse: parseTime,
  rule: 'timeFormat',
  jsonSchema: { type: 'string', format: 'time-local', pattern: `^${clock}$` },
  className: 'PlainTime',
  sql: { type: 'time', oids: [[1083, 1183]], decode: decodePlainTime, toJson: timeToIso },
  field: {
    input: 'time',
    rules: ['timeFormat'],
    paramsMethod: 'withTime',
    samples: ['10:20:30', '11:20:30'],
    invalidSample: '25:00:00',
    code: (_text, quoted) => `Temporal.PlainTime.from(${quoted})`,
    uniqueCode: "Temporal.PlainTime.from('10:20:30').add({ minutes: count })",
    display: 'date',
  },
}

const dateTimeField = {
  input: 'datetime',
  rules: ['dateTimeFormat'],
  paramsMethod: 'withDateTime',
  samples: ['2000-01-02 10:20:30', '2001-02-03 10:20:30'],
  invalidSample: '2000-13-01 10:20:30',
} as const satisfies FieldFacet

/** Columns without a time zone contain UTC, because the connection's time zone is UTC. */
export const localDateTime: TypeDefinition<Temporal.PlainDateTime> = {
  name: 'LocalDateTime',
  expected: 'a date and time',
  parse: parseDateTime,
  formText: (value) => String(value.round(inputDigits)),
  read: (text) => Temporal.PlainDateTime.from(text),
  rule: 'dateTimeFormat',
  jsonSchema: {
    type: 'string',
    format: 'date-time-local',
    pattern: `^\\d{4}-\\d{2}-\\d{2}T${clock}$`,
  },
  className: 'PlainDateTime',
  sql: {
    type: 'timestamp',
    oids: [[1114, 1115]],
    decode: decodePlainDateTime,
    toJson: dateTimeToIso,
    convert: (value) =>
      value instanceof Temporal.Instant ? value.toZonedDateTimeISO('UTC').toPlainDateTime() : value,
  },
  field: {
    ...dateTimeField,
    code: (_text, quoted) => `Temporal.PlainDateTime.from(${quoted.replace(' ', 'T')})`,
    uniqueCode: "Temporal.PlainDateTime.from('2000-01-02T10:20:30').add({ minutes: count })",
    display: 'date',
  },
}

export const dateTime: TypeDefinition<Temporal.Instant> = {
  name: 'DateTime',
  expected: 'a date and time',
  parse: parseInstant,
  formText: (value) => String(value.round(inputDigits)),
  read: (text) => Temporal.Instant.from(text),
  rule: 'dateTimeFormat',
  jsonSchema: { type: 'string', format: 'date-time' },
  className: 'Instant',
  isInstant: true,
  sql: {
    type: 'timestamptz',
    oids: [[1184, 1185]],
    decode: decodeInstant,
    toJson: instantToIso,
    convert: (value) =>
      value instanceof Temporal.PlainDateTime ? value.toZonedDateTime('UTC').toInstant() : value,
  },
  field: {
    ...dateTimeField,
    code: (text) => `Temporal.Instant.from('${text.replace(' ', 'T')}Z')`,
    uniqueCode: "Temporal.Instant.from('2000-01-02T10:20:30Z').add({ minutes: count })",
    display: 'instant',
  },
}
