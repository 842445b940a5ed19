/** Numbers as people write them in the languages of pages. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { I18n, MessageCatalog } from '../i18n.ts'
import { type BigDecimal, Params, ParamType } from '../params.ts'
import { combineSources } from './source.ts'
import { clearTexts, readWritten } from './written-number.ts'

const locales =
  'ar ar-EG bn ckb de de-AT de-CH dz en en-IN es fa fi ff-Adlm fr fr-CH gsw he hi ja lt mr my ne pl ps pt-BR pt-PT rm sat sd sl sv th ur zh-Hant'.split(
    ' ',
  )
const catalog = MessageCatalog.from(Object.fromEntries(locales.map((locale) => [locale, {}])))
const none = new Map<string, readonly string[]>()
const read = <T>(text: string, pageLocale: string | undefined, type: ParamType<T>) =>
  new Params(combineSources(none, none, new Map([['n', [text]]]), { pageLocale })).getAs('n', type)

const decimals = fc
  .tuple(fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }), fc.integer({ min: 0, max: 12 }))
  .map(([digits, scale]) => {
    const size = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
    const whole = size.slice(0, size.length - scale)
    const sign = digits < 0n ? '-' : ''
    return `${sign}${whole}${scale === 0 ? '' : `.${size.slice(-scale)}`}` as BigDecimal
  })
  .filter((text) => !/^-[0.]+$/.test(text))
const doubles = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Object.is(n, -0))

it('a form reads the number that it shows, in every language', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...locales),
      decimals,
      doubles,
      fc.maxSafeInteger(),
      (locale, decimal, double, integer) => {
        const i18n = new I18n(catalog, locale)
        expect(read(i18n.formatForForm(decimal), locale, ParamType.BigDecimal)).toBe(decimal)
        expect(read(i18n.formatForForm(String(double)), locale, ParamType.Double)).toBe(double)
        const long = Object.is(integer, -0) ? 0 : integer
        expect(read(i18n.formatForForm(String(long)), locale, ParamType.Long)).toBe(long)
      },
    ),
    { numRuns: 2500 },
  )
})

it(
  'a form reads what the page prints as the same number, or refuses it',
  { timeout: 60_000 },
  () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...locales),
        decimals,
        fc.maxSafeInteger(),
        (locale, decimal, n) => {
          const i18n = new I18n(catalog, locale)
          const text = i18n.formatNumber(decimal)
          const value = read(text, locale, ParamType.BigDecimal)
          if (value === undefined) expect(clearTexts(text, locale, 'decimal')).toHaveLength(2)
          else expect(value).toBe(decimal)
          const long = Object.is(n, -0) ? 0 : n
          expect(read(i18n.formatNumber(long), locale, ParamType.Long)).toBe(long)
        },
      ),
      { numRuns: 2500 },
    )
  },
)

it.each([
  ['de', '3,50', '3.50'],
  ['de', '3.50', '3.50'],
  ['de', ' 7 ', '7'],
  ['de', '1.234,50', '1234.50'],
  ['de', '1.234.567', '1234567'],
  ['de', '0.125', '0.125'],
  ['de', '1 234,5', '1234.5'],
  ['de', '1,5E-7', undefined],
  ['de', '−3', '-3'],
  ['de', '– 3', '-3'],
  ['de', '1.234', undefined],
  ['de', '-1.234', undefined],
  ['de', '1.23,4', undefined],
  ['de-CH', "1'234.50", '1234.50'],
  ['de-CH', '1’234.50', '1234.50'],
  ['fr', '1 234,5', '1234.5'],
  ['en', '1,234', '1234'],
  ['en', '1,234.5', '1234.5'],
  ['en', '3,50', undefined],
  ['en', '1.234', '1.234'],
  ['en', '12,34,567', undefined],
  ['en', '1,,234', undefined],
  ['en', ',234', undefined],
  ['en', '1,234,', undefined],
  ['en', '--3', undefined],
  ['en', '1 2', undefined],
  ['en', '', undefined],
  ['hi', '12,34,567.5', '1234567.5'],
  ['hi', '1,234,567.5', '1234567.5'],
  ['hi', '१२,३४,५६७.५', '1234567.5'],
  ['fa', '۳٫۵', '3.5'],
  ['fa', '\u200e−۱٬۲۳۴٫۵', '-1234.5'],
  ['fa', '۳.۵', '3.5'],
  ['ar', '٣٫٥', '3.5'],
  ['ar-EG', '١٬٢٣٤', '1234'],
  ['ja', '１', undefined],
  ['en', '12\n', undefined],
  ['en', '٣', '3'],
])('on a page in %s, %j is the decimal %s', (locale, text, expected) => {
  expect(read(text, locale, ParamType.BigDecimal)).toBe(expected)
})

it.each([
  ['de', '1.234', 1234],
  ['de', '1,5', undefined],
  ['en', '1,234', 1234],
  ['en', '1.234', undefined],
  ['fa', '۷', 7],
])('on a page in %s, %j is the integer %s', (locale, text, expected) => {
  expect(read(text, locale, ParamType.Int)).toBe(expected)
  expect(read(text, locale, ParamType.optional(ParamType.Int))).toBe(expected)
})

it.each(['3,50', ' 7', '−3', '۷', '1,234'])('the text %j of a program is no number', (text) => {
  expect(read(text, undefined, ParamType.BigDecimal)).toBeUndefined()
})

it.each([
  ['de', '1.234', ['1234', '1,234']],
  ['en', '3,50', ['3.50']],
  ['en', '1.234,50', ['1234.50']],
  ['de', '1,234.50', ['1234,50']],
  ['fa', '۳,۵۰', ['۳٫۵۰']],
  ['en', '1,234', []],
  ['en', 'abc', []],
  ['en', '1,2,3', []],
])('on a page in %s, %j should be written as %j', (locale, text, examples) => {
  expect(clearTexts(text, locale, 'decimal')).toEqual(examples)
})

it('lists read each item, and separated lists keep their separator', () => {
  const source = (texts: readonly string[]) =>
    new Params(combineSources(none, none, new Map([['n', texts]]), { pageLocale: 'de' }))
  expect(source(['1,5', '2']).getAs('n', ParamType.array(ParamType.Double))).toEqual([1.5, 2])
  expect(source(['1,5']).getAs('n', ParamType.separated(ParamType.Int))).toEqual([1, 5])
})

it('values that the application sets keep the point', () => {
  const params = new Params(combineSources(none, none, none, { pageLocale: 'de' }))
  expect(params.with('unit_price', 1.234).getAs('unitPrice', ParamType.Double)).toBe(1.234)
})

it('a double is printed with all its digits', () => {
  const en = new I18n(catalog, 'en')
  expect(en.formatNumber(5e-324)).toBe('5E-324')
  expect(en.formatNumber(2.5e-20)).toBe('2.5E-20')
  expect(en.formatNumber(1e21)).toBe('1E21')
  expect(en.formatNumber(0.1 + 0.2)).toBe('0.30000000000000004')
  expect(new I18n(catalog, 'de').formatNumber(1.5e-7)).toBe('1,5E-7')
})

it('a long text is not converted', () => {
  const text = `${'1.234'.repeat(400)},5`
  expect(readWritten(text, 'de', 'decimal')).toBe(text)
})
