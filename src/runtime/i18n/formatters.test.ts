/** Dates and numbers in the language of the page, as `toLocaleString` writes them. */
import { expect, test } from 'vitest'
import { Temporal } from '../base.ts'
import type { BigDecimal } from '../params.ts'
import { MessageCatalog } from './catalog.ts'
import { I18n } from './reader.ts'

const catalog = MessageCatalog.from({ en: {}, de: {}, ja: {} })
const dateStyle = 'medium'
const timeStyle = 'short'
const timeZone = 'Asia/Kolkata'
const instant = Temporal.Instant.from('2024-02-29T20:30:40.5Z')

const values = [
  [Temporal.PlainDate.from('2024-02-29'), { dateStyle }],
  [Temporal.PlainDate.from('2024-02-29[u-ca=gregory]'), { dateStyle }],
  [Temporal.PlainTime.from('23:59:59.999'), { timeStyle }],
  [Temporal.PlainDateTime.from('1969-12-31T23:59:59'), { dateStyle, timeStyle }],
  [instant, { dateStyle, timeStyle }],
  [instant.toZonedDateTimeISO(timeZone), { dateStyle, timeStyle }],
  [new Date(instant.epochMilliseconds), { dateStyle, timeStyle }],
] as const

test.each(values)('%s has the text of toLocaleString in every language', (value, options) => {
  for (const locale of ['en', 'de', 'ja']) {
    const expected = value.toLocaleString(locale, options)
    expect(new I18n(catalog, locale).formatDate(value)).toBe(expected)
  }
})

// Node 26 formats this date by the Julian calendar in `toLocaleString`.
test('a date of the first century is formatted by the Gregorian calendar', () => {
  const date = Temporal.PlainDate.from('0099-12-31')
  expect(new I18n(catalog, 'en').formatDate(date)).toBe('Dec 31, 99')
})

test('styles and the time zone of an instant can be chosen', () => {
  const i18n = new I18n(catalog, 'de')
  expect(i18n.formatDate(instant, { timeZone })).toBe('01.03.2024, 02:00')
  const long = { dateStyle: 'long', timeStyle: 'medium', timeZone: 'UTC' } as const
  expect(i18n.formatDate(instant, long)).toBe('29. Februar 2024 um 20:30:40')
  const date = Temporal.PlainDate.from('2024-02-29')
  expect(i18n.formatDate(date, { dateStyle: 'full' })).toBe('Donnerstag, 29. Februar 2024')
  // A date has no zone.
  expect(i18n.formatDate(date, { timeZone: 'America/Adak' })).toBe('29.02.2024')
})

test('any number of locales can be requested', () => {
  const date = Temporal.PlainDate.from('2024-02-29')
  for (let number = 0; number < 300; number++) {
    const locale = `en-x-a${number}`
    const text = new I18n(MessageCatalog.from({}, { defaultLocale: locale })).formatDate(date)
    expect(text).toBe('Feb 29, 2024')
  }
})

test('any number of days can be formatted', () => {
  const i18n = new I18n(catalog, 'en')
  const first = Temporal.PlainDate.from('2000-01-01')
  for (const days of [0, 1, ...Array(4500).keys()]) {
    const date = first.add({ days })
    const { year, day } = date
    expect(i18n.formatDate(date)).toMatch(new RegExp(`^\\w{3} ${day}, ${year}$`))
  }
})

test('a number is written as the locale does, and a decimal keeps its digits', () => {
  const number = (locale: string, value: number | bigint | BigDecimal) =>
    new I18n(MessageCatalog.from({ '': {}, de: { a: 'b' } }), locale).formatNumber(value)
  expect(number('en', 1234567)).toBe('1,234,567')
  expect(number('de', -1234.5)).toBe('-1.234,5')
  expect(number('en', 9007199254740993n)).toBe('9,007,199,254,740,993')
  const decimal = (text: string) => text as BigDecimal
  expect(number('de', decimal('1234567890123456789.50'))).toBe('1.234.567.890.123.456.789,50')
  expect(number('en', decimal('7.0'))).toBe('7.0')
})

test.each([
  [0, ['0 byte', '0 Byte']],
  [1023, ['1,023 byte', '1.023 Byte']],
  [1024, ['1 kB', '1 kB']],
  [8 * 2 ** 20, ['8 MB', '8 MB']],
  [1.55 * 2 ** 20, ['1.5 MB', '1,5 MB']],
  [2 * 2 ** 30, ['2 GB', '2 GB']],
  [2 ** 42, ['4,096 GB', '4.096 GB']],
])('%d bytes are a size in the unit of the language, rounded down', (bytes, expected) => {
  const texts = ['en', 'de'].map((locale) => new I18n(catalog, locale).formatFileSize(bytes))
  expect(texts.map((text) => text.replace(/\s/, ' '))).toEqual(expected)
})
