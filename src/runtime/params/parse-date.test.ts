import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Temporal } from '../base.ts'
import { ParamType } from '../params.ts'

const text = <T extends object>(type: ParamType<T>, spelling: string) =>
  type.parse(spelling)?.toString()

describe('decision 14: dates', () => {
  it.each([
    ['2013-01-02', '2013-01-02'],
    ['2013/1/2', '2013-01-02'],
    ['2013-01-02T03:04:05', '2013-01-02'],
    ['2013-01-02T23:04:05+09:00', '2013-01-02'],
    ['2013-01-02 03', '2013-01-02'],
    ['2013-01-02 ', '2013-01-02'],
    ['2012-02-29', '2012-02-29'],
    ['2013-02-29', undefined],
    ['2013-13-01', undefined],
    ['0000-01-01', undefined],
    ['12345-01-01', undefined],
    ['+275760-09-13', undefined],
    ['2026-1-1T', undefined],
    ['2013-01', undefined],
    ['2013--02', undefined],
    ['-01-02', undefined],
    ['2013-01-02 99:00', undefined],
    ['', undefined],
    ['9'.repeat(10_000), undefined],
  ])('LocalDate of %s is %s', (spelling, date) =>
    expect(text(ParamType.LocalDate, spelling)).toBe(date),
  )

  it.each([
    ['01:02:03', '01:02:03'],
    ['12:34', '12:34:00'],
    ['1:2', '01:02:00'],
    ['12:34:56.789', '12:34:56.789'],
    ['1970-01-01 03:04:05', '03:04:05'],
    ['2013-01-02T03:04:05Z', '03:04:05'],
    ['24:00', undefined],
    ['12:60', undefined],
    ['12', undefined],
    ['2013-01-02', undefined],
  ])('LocalTime of %s is %s', (spelling, time) =>
    expect(text(ParamType.LocalTime, spelling)).toBe(time),
  )

  it.each([
    ['2013-01-02T03:04:05', '2013-01-02T03:04:05', '2013-01-02T03:04:05Z'],
    ['2013-01-02T03:04', '2013-01-02T03:04:00', '2013-01-02T03:04:00Z'],
    ['2013-01-02T03:04:05+09:00', '2013-01-02T03:04:05', '2013-01-01T18:04:05Z'],
    ['2013-01-02 03:04:05+09:00', '2013-01-02T03:04:05', '2013-01-01T18:04:05Z'],
    ['2013-01-02 03:04:05 09:00', '2013-01-02T03:04:05', '2013-01-01T18:04:05Z'],
    ['2013/1/2 3:4:5 09:00', '2013-01-02T03:04:05', '2013-01-01T18:04:05Z'],
    ['2013/1/2 3:4:5-09:00', '2013-01-02T03:04:05', '2013-01-02T12:04:05Z'],
    ['2013-01-02 03:04:05-09', undefined, undefined],
    ['2013-01-02 03:04 09:00', undefined, undefined],
    [
      '2013-01-02T03:04:05.123456789-01:30',
      '2013-01-02T03:04:05.123456789',
      '2013-01-02T04:34:05.123456789Z',
    ],
    ['2013/1/2 3:4:5', '2013-01-02T03:04:05', '2013-01-02T03:04:05Z'],
    ['2013-01-02 03-04-05', '2013-01-02T03:04:05', '2013-01-02T03:04:05Z'],
    ['2013-01-02', '2013-01-02T00:00:00', '2013-01-02T00:00:00Z'],
    ['2013-1-2', undefined, undefined],
    ['2013-01-02 03', undefined, undefined],
    ['2013-01-02T03:04:05+09:60', undefined, undefined],
    ['2013-01-02T03:04:05+19:00', undefined, undefined],
    ['2013-01-02T03:04:60', undefined, undefined],
  ])('LocalDateTime and DateTime of %s', (spelling, plain, instant) => {
    expect(text(ParamType.LocalDateTime, spelling)).toBe(plain)
    expect(text(ParamType.DateTime, spelling)).toBe(instant)
  })

  it('accepts exactly the days that Temporal accepts', () => {
    const day = fc.record({
      year: fc.integer({ min: 1, max: 9999 }),
      month: fc.integer({ min: 0, max: 13 }),
      day: fc.integer({ min: 0, max: 32 }),
    })
    fc.assert(
      fc.property(day, ({ year, month, day }) => {
        const spelling = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`
        let expected: string | undefined
        try {
          expected = Temporal.PlainDate.from(spelling).toString()
        } catch {
          expected = undefined
        }
        expect(text(ParamType.LocalDate, spelling)).toBe(expected)
      }),
    )
  })

  it('parses every instant that Temporal formats', () => {
    const moment = fc.date({
      min: new Date('0001-01-02T00:00:00Z'),
      max: new Date('9999-12-30T00:00:00Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(moment, fc.integer({ min: -17 * 60, max: 17 * 60 }), (date, minutes) => {
        const sign = minutes < 0 ? '-' : '+'
        const clock = Temporal.PlainTime.from('00:00')
          .add({ minutes: Math.abs(minutes) })
          .toString()
          .slice(0, 5)
        const instant = Temporal.Instant.fromEpochMilliseconds(date.getTime())
        const spelling = instant.toString({ timeZone: `${sign}${clock}` })
        expect(text(ParamType.DateTime, spelling)).toBe(instant.toString())
        expect(text(ParamType.LocalDateTime, spelling)).toBe(
          instant.toZonedDateTimeISO(`${sign}${clock}`).toPlainDateTime().toString(),
        )
      }),
    )
  })
})
