/** Headers of browsers and the message files that answer them. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { processorTime } from '../base/growth.fixture.ts'
import { MessageCatalog } from './catalog.ts'
import { localeChain, localeDirection, negotiateLocale } from './locale.ts'

const many = 'en zh_Hans zh_Hant pt_BR nb sr_Latn'
const european = 'en de fr es it nl pl uk'
/** [message files, `Accept-Language`, the file that answers] */
const table: readonly (readonly [string, string, string])[] = [
  [many, 'zh-TW,zh;q=0.9,en-US;q=0.8,en;q=0.7', 'zh_Hant'],
  [many, 'zh-HK,zh;q=0.8', 'zh_Hant'],
  [many, 'zh-MO,zh;q=0.9,en;q=0.8', 'zh_Hant'],
  [many, 'zh-Hant-TW', 'zh_Hant'],
  [many, 'zh-CN,zh;q=0.9', 'zh_Hans'],
  [many, 'zh-CN,zh;q=0.8,zh-TW;q=0.7,zh-HK;q=0.5,en-US;q=0.3,en;q=0.2', 'zh_Hans'],
  [many, 'zh-SG,zh;q=0.9', 'zh_Hans'],
  [many, 'zh', 'zh_Hans'],
  [many, 'pt-PT,pt;q=0.9', 'pt_BR'],
  [many, 'pt-PT,pt;q=0.8,en;q=0.5,en-US;q=0.3', 'pt_BR'],
  [many, 'pt', 'pt_BR'],
  [many, 'pt-BR,pt;q=0.9,en-US;q=0.8,en;q=0.7', 'pt_BR'],
  [many, 'no', 'nb'],
  [many, 'nn-NO,nn;q=0.9,no-NO;q=0.8,no;q=0.6,nb-NO;q=0.5,nb;q=0.4,en-US;q=0.3', 'nb'],
  [many, 'nn', 'nb'],
  [many, 'nb-NO,nb;q=0.9,no;q=0.8,nn;q=0.7,en-US;q=0.6,en;q=0.5', 'nb'],
  [many, 'sr-Latn-RS', 'sr_Latn'],
  [many, 'sr-RS,sr;q=0.9,en;q=0.8', 'sr_Latn'],
  [many, 'en-GB,en-US;q=0.9,en;q=0.8', 'en'],
  [many, 'en;q=0.1,zh-Hant;q=0', 'en'],
  [many, 'ko-KR,ko;q=0.9', 'en'],
  ['en zh_CN zh_TW', 'zh-HK', 'zh_TW'],
  ['en zh_CN zh_TW', 'zh-Hans-CN', 'zh_CN'],
  ['en zh_CN zh_TW', 'zh-Hant', 'zh_TW'],
  ['en zh_CN zh_TW', 'zh-SG', 'zh_CN'],
  ['en sr', 'sr-Cyrl-RS,sr;q=0.9', 'sr'],
  ['en sr sr_Latn', 'sr-RS', 'sr'],
  ['en sr sr_Latn', 'sr-Latn', 'sr_Latn'],
  ['en pt pt_BR', 'pt-PT', 'pt'],
  ['en pt_BR pt_PT', 'pt-AO', 'pt_PT'],
  ['en es es_MX', 'es-AR,es;q=0.9', 'es_MX'],
  ['en_US en_GB', 'en-AU,en;q=0.9', 'en_GB'],
  [european, 'de-AT,de;q=0.9,en;q=0.8', 'de'],
  [european, 'de-CH', 'de'],
  [european, 'fr-CA,fr;q=0.9,en-CA;q=0.8', 'fr'],
  [european, 'es-419,es;q=0.9,en;q=0.8', 'es'],
  [european, 'nl-BE,nl;q=0.9,fr-BE;q=0.8', 'nl'],
  [european, 'uk-UA,uk;q=0.9,en-US;q=0.8,en;q=0.7,ru;q=0.6', 'uk'],
  [european, 'ca-ES,ca;q=0.9,es;q=0.8,en;q=0.7', 'es'],
  [european, 'sv-SE,sv;q=0.9,en-US;q=0.8,en;q=0.7', 'en'],
  ['en he', 'iw', 'he'],
  ['en fil', 'tl-PH,tl;q=0.9', 'fil'],
  ['en id', 'in-ID', 'id'],
]

test.each(table)('%s: %s gives %s', (files, header, expected) => {
  const locales = files.split(' ')
  expect(negotiateLocale(header, locales, locales[0]!)).toBe(expected)
})

/** Returns headers with locales that no other header contains. */
function hostileHeaders(count: number, makeLocale: (number: number) => string): string[] {
  const locale = (header: number) => (_: unknown, at: number) => makeLocale(header * 32 + at)
  return Array.from({ length: count }, (_, header) =>
    Array.from({ length: 32 }, locale(header)).join(','),
  )
}

/** Returns a text of lower-case letters that differs for each number below 26 ** `length`. */
function letters(number: number, length: number): string {
  return Array.from({ length }, (_, at) =>
    String.fromCharCode(97 + (Math.floor(number / 26 ** at) % 26)),
  ).join('')
}

test.each([
  [
    'unknown languages',
    (number: number) => `${letters(number, 7)}-${letters(number, 4)}-${letters(number, 2)}`,
  ],
  ['unknown scripts of a known language', (number: number) => `sr-${letters(number, 4)}`],
  ['variants', (number: number) => `zh-${letters(number, 7)}`],
  ['malformed locales', (number: number) => `${letters(number, 4)}-${letters(number, 8)}`],
])('a header with %s takes less than half a millisecond', (_, makeLocale) => {
  const locales = [...many.split(' '), ...european.split(' ').slice(1)]
  const headers = hostileHeaders(1_000, makeLocale)
  const times: number[] = []
  for (let at = 0; at < headers.length; at += 50) {
    const began = processorTime()
    for (const header of headers.slice(at, at + 50)) negotiateLocale(header, locales, 'en')
    times.push((processorTime() - began) / 50)
  }
  expect(Math.min(...times)).toBeLessThan(500)
})

test('headers of hostile clients do not stay in memory, and known locales are still found', () => {
  const locales = many.split(' ')
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const makeLocale = (number: number) => `${letters(number, 5)}-${letters(number, 4)}`
  negotiateLocale('zh-TW', locales, 'en')
  for (const header of hostileHeaders(500, makeLocale)) negotiateLocale(header, locales, 'en')
  collect()
  const before = process.memoryUsage().heapUsed
  for (const header of hostileHeaders(3_000, makeLocale)) negotiateLocale(header, locales, 'en')
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(4 * 1024 ** 2)
  expect(negotiateLocale('zh-TW,x', locales, 'en')).toBe('zh_Hant')
  expect(negotiateLocale('zh-Hant-JP', locales, 'en')).toBe('zh_Hant')
})

test('a key that a file lacks never comes from a file in another script', () => {
  const messages = MessageCatalog.from({
    '': { a: 'en', b: 'en' },
    zh: { a: 'zh', b: 'zh' },
    zh_TW: {},
    zh_Hant: { b: 'Hant' },
    sr: { a: 'sr' },
    sr_Latn: { b: 'Latn' },
    pt: { a: 'pt' },
    pt_BR: { b: 'BR' },
  })
  const both = (locale: string) => {
    const found = messages.translations(locale)
    return [found.find('a')?.format([]), found.find('b')?.format([])]
  }
  expect(both('zh-TW')).toEqual(['en', 'Hant'])
  expect(both('zh-CN')).toEqual(['zh', 'zh'])
  expect(both('sr-Latn-RS')).toEqual(['en', 'Latn'])
  expect(both('pt-BR')).toEqual(['pt', 'BR'])
  expect(localeChain('zh-Hant-TW')).toEqual(['zh-Hant-TW', 'zh-Hant'])
})

test.each([
  ['ar', 'rtl'],
  ['he', 'rtl'],
  ['fa-IR', 'rtl'],
  ['ur', 'rtl'],
  ['pa-Arab', 'rtl'],
  ['pa', 'ltr'],
  ['en', 'ltr'],
  ['az', 'ltr'],
])('%s is written %s', (locale, direction) => {
  expect(localeDirection(locale)).toBe(direction)
})
