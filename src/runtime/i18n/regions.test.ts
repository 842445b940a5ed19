/** Dates and numbers of the visitor's region, where only the language has messages; one calendar and one time zone. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { Temporal } from '../base.ts'
import { MessageCatalog } from './catalog.ts'
import { negotiateLocale, regionalLocale } from './locale.ts'
import { I18n } from './reader.ts'
import { isTimeZone } from './time-zone.ts'

const languages = ['en', 'es', 'de', 'pt_BR', 'th', 'fa', 'ar', 'ja', 'zh_Hant', 'nb']
const messages = { at: 'At {0, date, medium}: {1, number}' }
const files = Object.fromEntries(languages.map((name) => [name, messages]))
const catalog = MessageCatalog.from({ '': messages, ...files, en: {} })

const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ')
const day = Temporal.PlainDate.from('2000-01-02')

function read(header: string, of = catalog): I18n {
  const locale = negotiateLocale(header, of.locales, of.defaultLocale)
  return new I18n(of, locale, {
    formatLocaleFor: (text) => regionalLocale(header, text),
    timeZone: of.timeZone,
  })
}

const regions: readonly (readonly [header: string, text: string, date: string, number: string])[] =
  [
    ['es', 'es', '2 ene 2000', '1.234.567,5'],
    ['es-MX,es;q=0.9', 'es', '2 ene 2000', '1,234,567.5'],
    ['es,es-MX;q=0.9', 'es', '2 ene 2000', '1,234,567.5'],
    ['de-DE', 'de', '02.01.2000', '1.234.567,5'],
    ['de-CH,de;q=0.9', 'de', '02.01.2000', '1’234’567.5'],
    ['en-US,en;q=0.9', 'en', 'Jan 2, 2000', '1,234,567.5'],
    ['en-GB,en;q=0.9', 'en', '2 Jan 2000', '1,234,567.5'],
    ['en-IN', 'en', '2 Jan 2000', '12,34,567.5'],
    ['pt-BR', 'pt-BR', '2 de jan. de 2000', '1.234.567,5'],
    ['pt-PT,pt;q=0.9', 'pt-BR', '02/01/2000', '1 234 567,5'],
    ['th-TH,th;q=0.9', 'th', '2 ม.ค. 2000', '1,234,567.5'],
    ['fa-IR,fa;q=0.9', 'fa', '۲ ژانویه ۲۰۰۰', '۱٬۲۳۴٬۵۶۷٫۵'],
    ['ar-EG', 'ar', '٠٢‏/٠١‏/٢٠٠٠', '١٬٢٣٤٬٥٦٧٫٥'],
    ['ar-MA', 'ar', '02‏/01‏/2000', '1.234.567,5'],
    ['ja-JP-u-ca-japanese', 'ja', '2000/01/02', '1,234,567.5'],
    ['zh-TW', 'zh-Hant', '2000年1月2日', '1,234,567.5'],
    // The region of another script or another language does not apply.
    ['zh-CN', 'en', 'Jan 2, 2000', '1,234,567.5'],
    ['fr-FR,fr;q=0.9', 'en', 'Jan 2, 2000', '1,234,567.5'],
    ['fr-CH, en;q=0.5', 'en', 'Jan 2, 2000', '1,234,567.5'],
    ['nn-NO', 'nb', '2. jan. 2000', '1 234 567,5'],
    ['nb-NO', 'nb', '2. jan. 2000', '1 234 567,5'],
  ]

test('a region that has no formats of its own is that of the language', () => {
  for (const region of ['ZZ', 'QX', '999']) expect(regionalLocale(`en-${region}`, 'en')).toBe('en')
  expect(regionalLocale('es-MX', 'es')).toBe('es-MX')
})

describe.each(regions)('%s', (header, text, date, number) => {
  test(`has texts in ${text} and prints ${date}`, () => {
    const i18n = read(header)
    expect(i18n.locale).toBe(text)
    expect(plain(i18n.formatDate(day))).toBe(date)
    expect(plain(i18n.formatNumber(1234567.5)).replaceAll("'", '’')).toBe(number)
  })

  test('a text prints what the page prints', () => {
    const i18n = read(header)
    const own = i18n.formatLocale
    const medium = { year: 'numeric', month: 'short', day: 'numeric', timeZone: 'UTC' } as const
    const format = new Intl.DateTimeFormat(own, { ...medium, calendar: 'gregory' })
    const number = new Intl.NumberFormat(own).format(1234567.5)
    expect(i18n.message('at', day, 1234567.5)).toBe(
      `At ${format.format(Date.UTC(2000, 0, 2))}: ${number}`,
    )
  })
})

test.each([
  // Readers of Nynorsk get texts in Bokmål, and then also dates in Bokmål.
  ['nn-NO,nn;q=0.9', 'nb', 'nb'],
  ['nn-NO', 'nn', 'nn-NO'],
  ['no-NO', 'nb', 'nb'],
  ['nb-NO', 'no', 'no'],
  ['nb-NO', 'nb', 'nb'],
  // Serbian in the script of the texts; `sh` is Serbian in Latin letters.
  ['sr-BA', 'sr', 'sr-BA'],
  ['sr-BA', 'sr-Latn', 'sr-Latn'],
  ['sr-Latn-BA', 'sr-Latn', 'sr-Latn-BA'],
  ['sr-Latn-BA', 'sr', 'sr'],
  ['sh-BA', 'sr-Latn', 'sr-Latn-BA'],
  ['hr-HR', 'sr-Latn', 'sr-Latn'],
  ['zh-SG', 'zh-Hans', 'zh-SG'],
  ['zh-HK', 'zh-Hant', 'zh-HK'],
  ['zh-HK', 'zh-Hans', 'zh-Hans'],
  ['zh-Hans-HK', 'zh-Hans', 'zh-Hans-HK'],
  ['iw-IL', 'he', 'he-IL'],
])('beside texts, %s in %s prints numbers and dates as %s', (header, text, locale) => {
  expect(regionalLocale(header, text)).toBe(locale)
})

test('a text of a fallback language has dates in its own script', () => {
  const when = { when: '{0, date, full}' }
  const chinese = MessageCatalog.from({ '': when, zh_Hant: {} }, { defaultLocale: 'zh-Hans' })
  expect(read('zh-TW', chinese).message('when', day)).toBe('2000年1月2日星期日')
  const serbian = MessageCatalog.from({ '': when, sr_Latn: {} }, { defaultLocale: 'sr' })
  expect(read('sr-Latn-BA', serbian).message('when', day)).toBe('недеља, 2. јануар 2000.')
})

test('the locale of numbers and dates is determined once', () => {
  let calls = 0
  const i18n = new I18n(catalog, 'es', {
    formatLocaleFor: (text) => `${text}-MX${'!'.repeat(calls++)}`,
    timeZone: 'UTC',
  })
  for (const number of [1, 2, 3]) expect(i18n.formatNumber(number)).toBe(String(number))
  expect([i18n.formatLocale, calls]).toEqual(['es-MX', 1])
})

test('a calendar of the configuration applies to pages and texts', () => {
  const th = { th: messages, '': messages }
  const print = (calendar: string | undefined, options = {}) => {
    const i18n = read('th-TH', MessageCatalog.from(th, { calendar }))
    return [i18n.formatDate(day, options), i18n.message('at', day, 1)]
  }
  expect(print(undefined)).toEqual(['2 ม.ค. 2000', 'At 2 ม.ค. 2000: 1'])
  expect(print('locale')).toEqual(['2 ม.ค. 2543', 'At 2 ม.ค. 2543: 1'])
  expect(print('buddhist')).toEqual(['2 ม.ค. 2543', 'At 2 ม.ค. 2543: 1'])
  expect(print(undefined, { calendar: 'buddhist' })[0]).toBe('2 ม.ค. 2543')
})

test('instants are in the time zone of the page, in texts too', () => {
  const at = { '': { at: '{0, date, short} {0, time, short}' } }
  const i18n = new I18n(MessageCatalog.from(at, { timeZone: 'Asia/Tokyo' }))
  const instant = Temporal.Instant.from('2000-01-01T20:30:00Z')
  const zoned = instant.toZonedDateTimeISO('America/New_York')
  const shown = (value: Temporal.Instant | Temporal.ZonedDateTime | Date | number) => [
    plain(i18n.formatDate(value, { dateStyle: 'short' })),
    plain(i18n.message('at', value) ?? ''),
  ]
  const tokyo = ['1/2/00, 5:30 AM', '1/2/00 5:30 AM']
  expect(shown(instant)).toEqual(tokyo)
  expect(shown(new Date(instant.epochMilliseconds))).toEqual(tokyo)
  expect(shown(instant.epochMilliseconds)).toEqual(tokyo)
  expect(shown(zoned)).toEqual(['1/1/00, 3:30 PM', '1/1/00 3:30 PM'])
  expect(plain(i18n.formatDate(instant, { timeZone: 'UTC' }))).toBe('Jan 1, 2000, 8:30 PM')
  expect(i18n.timeZoneName).toBe('Japan Standard Time')
  expect(new I18n(MessageCatalog.from(at)).timeZoneName).toBe('UTC')
})

test('a text names the zone of its value, not that of the process', () => {
  const before = process.env['TZ']
  onTestFinished(() => {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  })
  // The clock of the process skips the time below.
  process.env['TZ'] = 'Europe/Berlin'
  const texts = { '': { at: '{0, time, long}', on: '{0, date, short} {0, time, short}' } }
  const i18n = new I18n(MessageCatalog.from(texts, { timeZone: 'Asia/Tokyo' }))
  const shown = (key: string, value: unknown) => plain(i18n.message(key, value) ?? '')
  const instant = Temporal.Instant.from('2024-03-31T01:30:00Z')
  expect(shown('at', instant)).toBe('10:30:00 AM GMT+9')
  expect(shown('at', instant.epochMilliseconds)).toBe('10:30:00 AM GMT+9')
  expect(shown('at', instant.toZonedDateTimeISO('America/New_York'))).toBe('9:30:00 PM EDT')
  const skipped = Temporal.PlainDateTime.from('2024-03-31T02:30:00')
  expect(shown('on', skipped)).toBe('3/31/24 2:30 AM')
  expect(shown('at', skipped)).toBe('2:30:00 AM')
  expect(shown('at', skipped.toPlainTime())).toBe('2:30:00 AM')
  expect(shown('on', skipped.toPlainDate())).toBe('3/31/24 12:00 PM')
  expect(shown('on', Temporal.PlainDate.from('0099-12-31'))).toBe('12/31/99 12:00 PM')
  expect(shown('at', new Date(Number.NaN))).toBe('{0, time, long}')
})

test.each([
  ['UTC', true],
  ['Europe/Berlin', true],
  ['+05:30', true],
  ['Europe/Atlantis', false],
  ['', false],
  ['x'.repeat(100_000), false],
])('%.20s is a time zone: %s', (text, isZone) => {
  expect(isTimeZone(text)).toBe(isZone)
})
