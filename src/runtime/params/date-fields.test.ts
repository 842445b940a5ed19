import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Temporal } from '../base.ts'
import { ParamType, Params } from '../params.ts'

const params = (values: Record<string, string>) =>
  new Params(new Map(Object.entries(values).map(([key, text]) => [key, [text]])))

describe('decision 17: withDate', () => {
  it.each<[string, Record<string, string>, string | undefined]>([
    ['camel case', { dYear: '2013', dMonth: '1', dDay: '2' }, '2013-01-02'],
    ['snake case', { d_year: '2013', d_month: '1', d_day: '2' }, '2013-01-02'],
    ['an ISO date', { d: '2013-01-02' }, '2013-01-02'],
    [
      'empty parts beside an own value',
      { d: '2013-01-02', dYear: '', dMonth: '', dDay: '' },
      '2013-01-02',
    ],
    ['an empty month', { dYear: '2013', dMonth: '', dDay: '3' }, '2013--03'],
    ['a missing day', { dYear: '2013', dMonth: '1' }, '2013-01-'],
    ['letters', { dYear: '2013', dMonth: 'a1', dDay: '2' }, '2013-a1-02'],
    ['nothing', {}, undefined],
  ])('reads %s', (_case, values, text) => expect(params(values).withDate('d').get('d')).toBe(text))

  it('returns a text that does not convert when parts are missing', () => {
    const incomplete = params({ dYear: '2013', dMonth: '', dDay: '3' }).withDate('d')
    expect(incomplete.getAs('d', ParamType.LocalDate)).toBeUndefined()
  })

  it('reads inputs with explicit names', () => {
    const copy = params({ y: '2013', m: '12', d: '31' }).withDate('birthday', {
      year: 'y',
      month: 'm',
      day: 'd',
    })
    expect(copy.get('birthday')).toBe('2013-12-31')
    expect(copy.get('y')).toBe('2013')
  })
})

describe('withTime, withDateTime, withNow', () => {
  it('reads a time', () => {
    const copy = params({ t_hour: '1', t_minute: '2', t_second: '3' }).withTime('t')
    expect(copy.get('t')).toBe('1970-01-01 01:02:03')
    expect(copy.getAs('t', ParamType.LocalTime)?.toString()).toBe('01:02:03')
    expect(params({ tHour: '1', tMinute: '2' }).withTime('t').get('t')).toBe('1970-01-01 01:02:00')
    const incomplete = params({ tHour: '1', tMinute: '', tSecond: '3' }).withTime('t')
    expect(incomplete.getAs('t', ParamType.LocalTime)).toBeUndefined()
    const named = params({ h: '1', m: '2', s: '3' }).withTime('t', {
      hour: 'h',
      minute: 'm',
      second: 's',
    })
    expect(named.get('t')).toBe('1970-01-01 01:02:03')
  })

  it.each<[Record<string, string>, string | undefined]>([
    [
      { aYear: '2013', aMonth: '1', aDay: '2', aHour: '3', aMinute: '4', aSecond: '5' },
      '2013-01-02 03:04:05',
    ],
    [{ a_date: '2013-01-02', a_time: '03:04:05' }, '2013-01-02 03:04:05'],
    [
      {
        aDate: '2013-01-02',
        aTime: '03:04',
        aYear: '1999',
        aMonth: '1',
        aDay: '1',
        aHour: '1',
        aMinute: '1',
        aSecond: '1',
      },
      '2013-01-02 03:04',
    ],
    [{ a: '2013-01-02 00:00' }, '2013-01-02 00:00'],
    [{}, undefined],
  ])('reads a date and time', (values, text) =>
    expect(params(values).withDateTime('a').get('a')).toBe(text),
  )

  it.each<Record<string, string>>([
    { aDate: '2013-01-02' },
    { aDate: '2013-01-02', aTime: '' },
    { aTime: '03:04' },
    { aYear: '2013', aMonth: '1', aDay: '2' },
    { aHour: '3', aMinute: '4' },
  ])('returns a text that does not convert when one half is missing: %#', (values) => {
    const copy = params(values).withDateTime('a')
    expect(copy.has('a')).toBe(true)
    expect(copy.getAs('a', ParamType.DateTime)).toBeUndefined()
  })

  it('reads two or six inputs with explicit names', () => {
    const two = params({ x: '2013-01-02', y: '03:04:05' }).withDateTime('at', {
      date: 'x',
      time: 'y',
    })
    expect(two.get('at')).toBe('2013-01-02 03:04:05')
    const names = { year: 'a', month: 'b', day: 'c', hour: 'd', minute: 'e', second: 'f' }
    const six = params({ a: '1', b: '2', c: '3', d: '4', e: '5', f: '6' }).withDateTime('at', names)
    expect(six.get('at')).toBe('0001-02-03 04:05:06')
  })

  it('writes the current time in UTC', () => {
    const now = params({}).withNow('at').getAs('at', ParamType.DateTime)
    expect(Math.abs(Date.now() - now!.epochMilliseconds)).toBeLessThan(5000)
  })
})

describe('withModel', () => {
  const record = {
    name: 'Ann',
    age: 33,
    note: null,
    birthday: Temporal.PlainDate.from('2000-01-02'),
    opensAt: Temporal.PlainTime.from('08:30'),
    createdAt: Temporal.Instant.from('2013-01-02T03:04:05Z'),
    company: { name: 'related' },
  }

  it('turns a record into the parameters that its form sends', () => {
    const shown = params({ note: 'sent', company: 'x' }).withModel(record)
    expect(Object.fromEntries(shown.toMap())).toEqual({
      company: 'x',
      name: 'Ann',
      age: '33',
      birthday: '2000-01-02',
      birthdayYear: '2000',
      birthdayMonth: '1',
      birthdayDay: '2',
      opensAt: '08:30:00',
      opensAtHour: '8',
      opensAtMinute: '30',
      opensAtSecond: '0',
      createdAt: '2013-01-02T03:04:05Z',
      createdAtYear: '2013',
      createdAtMonth: '1',
      createdAtDay: '2',
      createdAtHour: '3',
      createdAtMinute: '4',
      createdAtSecond: '5',
      createdAtDate: '2013-01-02',
      createdAtTime: '03:04:05',
    })
  })

  it('writes the keys in snake case on request, and reads them back', () => {
    const shown = params({}).withModel(record, { snakeCase: true })
    expect(shown.get('birthday_year')).toBe('2000')
    expect(shown.with('birthday', undefined).withDate('birthday').get('birthday')).toBe(
      '2000-01-02',
    )
    const at = shown.with('created_at', undefined).withDateTime('created_at')
    expect(at.getAs('created_at', ParamType.DateTime)?.toString()).toBe('2013-01-02T03:04:05Z')
  })
})

describe('fractions of a second, which time inputs cannot contain', () => {
  const time = fc
    .tuple(fc.nat(86_399), fc.nat(999_999))
    .map(([seconds, micros]) => new Temporal.PlainTime().add({ seconds, microseconds: micros }))
  const day = Temporal.PlainDate.from('2024-02-29')

  /** Sends the inputs as a browser does: it leaves out seconds that are 0. */
  const send = (record: object, clock: string, name: string) => {
    const shown = Params.from({}).withModel(record)
    const exact = shown.get('atExact')
    const date = { atDate: '2024-02-29' }
    return Params.from({
      ...date,
      [name]: clock,
      ...(exact === undefined ? {} : { atExact: exact }),
    })
  }
  const inputText = (text: string) => text.slice(0, 8).replace(/:00$/, '')

  it('survive an unchanged form', () => {
    fc.assert(
      fc.property(time, (at) => {
        const clock = inputText(at.toString({ smallestUnit: 'second' }))
        const dateTime = day.toPlainDateTime(at)
        const sent = send({ at: dateTime }, clock, 'atTime').withDateTime('at')
        expect(String(sent.getAs('at', ParamType.LocalDateTime))).toBe(String(dateTime))
        const instant = dateTime.toZonedDateTime('UTC').toInstant()
        const again = send({ at: instant }, clock, 'atTime').withDateTime('at')
        expect(String(again.getAs('at', ParamType.DateTime))).toBe(String(instant))
        const alone = send({ at }, clock, 'at').withTime('at')
        expect(String(alone.getAs('at', ParamType.LocalTime))).toBe(String(at))
      }),
      { numRuns: 500 },
    )
  })

  it('end with another time, and a client cannot write another time into them', () => {
    const form = { atDate: '2024-02-29', atTime: '10:20:31', atExact: '10:20:30.5' }
    expect(Params.from(form).withDateTime('at').get('at')).toBe('2024-02-29 10:20:31')
    const odd = { ...form, atTime: '10:20:30', atExact: '10:20:30.5Z+99' }
    expect(Params.from(odd).withDateTime('at').get('at')).toBe('2024-02-29 10:20:30')
    expect(Params.from({ at: '10:21', atExact: '10:20:00.5' }).withTime('at').get('at')).toBe(
      '10:21',
    )
  })

  it('survive six inputs', () => {
    const at = day.toPlainDateTime(Temporal.PlainTime.from('01:02:03.000004'))
    const sent = Params.from({})
      .withModel({ at })
      .with('atDate', undefined)
      .with('atTime', undefined)
    expect(sent.withDateTime('at').get('at')).toBe('2024-02-29 01:02:03.000004')
  })
})
