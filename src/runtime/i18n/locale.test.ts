/** The locale a browser asked for. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { negotiateLocale } from './locale.ts'

const available = ['en', 'ja', 'pt_BR', 'zh-Hant']

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['ja', 'ja'],
  ['ja-JP', 'ja'],
  ['JA-jp', 'ja'],
  ['ja-JP-u-ca-japanese', 'ja'],
  ['fr, ja;q=0.8, en;q=0.9', 'en'],
  ['en;q=0.1, ja;q=0.5', 'ja'],
  ['en;q=0.5, ja;q=0.5', 'en'],
  ['ja;q=0, fr', 'en'],
  ['ja ; q=0.9 , pt-BR', 'pt_BR'],
  ['pt-br', 'pt_BR'],
  ['pt', 'pt_BR'],
  ['zh-Hant-TW', 'zh-Hant'],
  ['zh-TW', 'zh-Hant'],
  ['*, ja', 'en'],
  ['ja, *', 'ja'],
  ['fr, *;q=0.5, ja;q=0.1', 'en'],
  ['ja;q=2', 'en'],
  ['ja;q=0.1234', 'en'],
  ['ja;level=1', 'en'],
  ['j\u0000a', 'en'],
  ['toolonglanguage-JP', 'en'],
  [`${'x,'.repeat(40)}ja`, 'en'],
  [`ja,${'x'.repeat(1024)}`, 'en'],
])('%j: %s', (header, expected) => {
  expect(negotiateLocale(header, available, 'en')).toBe(expected)
})

test('any header gives one of the locales, soon', () => {
  const part = fc.oneof(
    fc.constantFrom('ja', 'en-US', '*', ';q=', '0.5', ',', '-', ' ', 'q', 'u-ca'),
    fc.string(),
  )
  const header = fc.array(part, { maxLength: 60 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(header, (text) => {
      expect(available).toContain(negotiateLocale(text, available, 'en'))
    }),
  )
})

test('nothing available gives the default', () => {
  expect(negotiateLocale('ja', [], 'en')).toBe('en')
})
