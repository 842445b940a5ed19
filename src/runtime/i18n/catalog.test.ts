/** Messages: lookup, fallback, ICU. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Temporal } from '../base.ts'
import { MessageCatalog } from './catalog.ts'
import { I18n } from './reader.ts'

const catalog = MessageCatalog.from({
  '': {
    hello: 'Hello {0}',
    plain: "It''s",
    member: { name: 'Name', 'flash.created': 'The member was created.' },
    items: '{count, plural, one {# item} other {# items}} for {name}',
    only: 'default',
    months: ['Jan', 'Feb'],
  },
  ja: { hello: 'こんにちは {0}', member: { name: '名前' }, items: '{name}: {count, number} 個' },
  ja_JP: { hello: 'どうも {0}' },
  'pt-BR': { hello: 'Olá {0}' },
})

function textOf(message: string, ...args: unknown[]): string | undefined {
  return new I18n(MessageCatalog.from({ '': { message } })).get('message', ...args)
}

test('a key is looked up along the locale, the default locale and the shipped texts', () => {
  const japan = new I18n(catalog, 'ja_JP')
  expect(japan.get('hello', 'A')).toBe('どうも A')
  expect(japan.get('member.name')).toBe('名前')
  expect(japan.get('only')).toBe('default')
  expect(japan.get('backToList')).toBe('Back to list')
  expect(new I18n(catalog, 'ja').get('hello', 'A')).toBe('こんにちは A')
  expect(new I18n(catalog, 'pt').get('hello', 'A')).toBe('Hello A')
})

test('a locale has its messages once, however it is spelt, and what is none has those of the default', () => {
  expect(catalog.translations('ja_JP')).toBe(catalog.translations('ja-jp'))
  expect(catalog.translations('x'.repeat(100_000))).toBe(catalog.translations())
})

test('a missing key', () => {
  const i18n = new I18n(catalog)
  for (const key of ['nope', 'member', '', '__proto__', 'toString', 'constructor.name']) {
    expect(i18n.get(key)).toBeUndefined()
    expect(i18n.message(key)).toBeUndefined()
    expect(i18n.getOrKey(key)).toBe(key)
  }
  expect(i18n.getOrKey('hello', 1)).toBe('Hello 1')
  expect(i18n.get('months.1')).toBe('Feb')
})

test.each([
  [undefined, 'en'],
  ['ja', 'ja'],
  ['ja_JP', 'ja-JP'],
  ['ja-jp', 'ja-JP'],
  ['ja-Latn-JP', 'en'],
  ['en_GB', 'en-GB'],
  ['fr', 'en'],
  ['', 'en'],
  ['not a locale', 'en'],
  ['x'.repeat(5000), 'en'],
])('the locale of the texts for %j is %s', (asked, locale) => {
  expect(new I18n(catalog, asked).locale).toBe(locale)
})

test('the default locale names the language of messages.yml', () => {
  const japanese = MessageCatalog.from(
    { '': { a: '既定', b: '{0, number}' }, en: { a: 'English' } },
    { defaultLocale: 'ja' },
  )
  expect(japanese.locales).toEqual(['ja', 'en'])
  expect(new I18n(japanese).get('a')).toBe('既定')
  expect(new I18n(japanese, 'en').get('a')).toBe('English')
  expect(new I18n(japanese, 'de').get('a')).toBe('既定')
})

test('placeholders by position and by name', () => {
  expect(textOf('{0} and {1}', 'a', 2)).toBe('a and 2')
  expect(textOf('{1} and {0}', 'a', 'b')).toBe('b and a')
  expect(textOf('{name}!', { name: 'Ann' })).toBe('Ann!')
  expect(textOf('{0}', 1234567.5)).toBe('1234567.5')
  expect(textOf('{0}{1}{2}', undefined, null, false)).toBe('false')
  expect(textOf('{0}', Temporal.PlainDate.from('2020-01-02'))).toBe('2020-01-02')
})

test('a placeholder without a value stays as it is written', () => {
  expect(textOf('{0} must be the same with {1}', 'x')).toBe('x must be the same with {1}')
  expect(textOf('{name} {length} {toString}', {})).toBe('{name} {length} {toString}')
  expect(textOf('{length}')).toBe('{length}')
})

test('apostrophes as ICU has them, with placeholders and without', () => {
  expect(textOf("It''s {0}", 1)).toBe("It's 1")
  expect(textOf("It''s")).toBe("It's")
  expect(textOf("Don't {0}", 1)).toBe("Don't 1")
  expect(textOf("'{'{0}'}'", 1)).toBe('{1}')
})

test('markup is text', () => {
  expect(textOf('<b>{0}</b> <a href="x">', '<i>')).toBe('<b><i></b> <a href="x">')
})

test('plural, select, numbers, dates, in the language of the text', () => {
  const english = new I18n(catalog)
  expect(english.get('items', { count: 1, name: 'Ann' })).toBe('1 item for Ann')
  expect(english.get('items', { count: 1200n, name: 'Ann' })).toBe('1,200 items for Ann')
  expect(new I18n(catalog, 'ja').get('items', { count: 1200, name: 'A' })).toBe('A: 1,200 個')
  expect(new I18n(catalog, 'pt-BR').get('items', { count: 1200, name: 'A' })).toBe(
    '1,200 items for A',
  )
  expect(textOf('{0, select, true {yes} other {no}}', true)).toBe('yes')
  expect(textOf('{0, date, long}', Temporal.PlainDate.from('2020-02-03'))).toBe('February 3, 2020')
  expect(textOf('{0, date, ::yyyyMMdd}', Temporal.PlainDate.from('0099-02-03'))).toContain('99')
  expect(textOf('{0, time, short}', Temporal.PlainTime.from('04:05'))?.replace(/\s/, ' ')).toBe(
    '4:05 AM',
  )
  const both = '{0, date, short} {0, time, short}'
  expect(
    textOf(both, Temporal.PlainDateTime.from('2020-02-03T16:05'))?.replace(/\s(?=PM)/, ' '),
  ).toBe('2/3/20 4:05 PM')
  expect(textOf('{0, date, short}', new Date(2020, 1, 3))).toBe('2/3/20')
  const instant = Temporal.Instant.fromEpochMilliseconds(new Date(2020, 1, 3).getTime())
  expect(textOf('{0, date, short}', instant)).toBe('2/3/20')
})

test('the region of the reader counts where the language is the same', () => {
  const dates = MessageCatalog.from({ '': { day: '{0, date, short}' } })
  const day = Temporal.PlainDate.from('2020-02-03')
  expect(new I18n(dates, 'en-GB').get('day', day)).toBe('03/02/20')
  expect(new I18n(dates, 'en-US').get('day', day)).toBe('2/3/20')
})

test('a broken pattern or value shows the text as it is written', () => {
  expect(textOf('{0, plurl, x', 1)).toBe('{0, plurl, x')
  expect(textOf('{0, date, short}', 'not a date')).toBe('{0, date, short}')
  expect(textOf('{0}', { toString: undefined }, 1)).toBe('{0}')
})

test('problems for `fw check`: broken patterns, and placeholders the default locale does not have', () => {
  const broken = MessageCatalog.from({
    '': { a: '{0', b: '{0}', c: '{x' },
    ja: { a: '{1}', b: '{1}' },
  })
  expect(broken.problems().map(({ text }) => text)).toEqual([
    expect.stringMatching(/^message a: the text cannot be read as a message/),
    expect.stringMatching(/^message c: the text cannot be read as a message/),
    'message b: {1} is not in the text of the default locale',
  ])
  expect(catalog.missingKeys('ja')).toEqual([
    'member.flash.created',
    'months.0',
    'months.1',
    'only',
    'plain',
  ])
})

test('files of a folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fw-messages-'))
  try {
    expect(MessageCatalog.load(folder).locales).toEqual(['en'])
    writeFileSync(
      join(folder, 'messages.yml'),
      'hello: Hello\nmember.name: Name\nempty:\nversion: 1.10\n',
    )
    writeFileSync(join(folder, 'messages_ja.yml'), 'hello: こんにちは\n')
    const loaded = MessageCatalog.load(folder, { defaultLocale: 'en' })
    expect(loaded.locales).toEqual(['en', 'ja'])
    expect(new I18n(loaded, 'ja').get('hello')).toBe('こんにちは')
    expect(new I18n(loaded).get('version')).toBe('1.10')
    expect(new I18n(loaded).get('empty')).toBe('Empty')
    writeFileSync(join(folder, 'messages_1.yml'), 'a: 1')
    expect(() => MessageCatalog.load(folder)).toThrow(
      'which is no locale; write one as ja or pt_BR',
    )
    rmSync(join(folder, 'messages_1.yml'))
    writeFileSync(join(folder, 'messages_JA.yml'), 'a: 1')
    expect(() => MessageCatalog.load(folder)).toThrow('two message files are for ja')
    writeFileSync(join(folder, 'messages_fr.yml'), 'a: "x')
    expect(() => MessageCatalog.load(folder)).toThrow(/messages_fr\.yml:1:6/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('any number of locales asked for keeps the memory bounded', () => {
  const first = catalog.translations('ja')
  expect(catalog.translations('ja')).toBe(first)
  for (let count = 0; count < 200; count++) catalog.translations(`ja-${count + 100}`)
  expect(catalog.translations('ja')).not.toBe(first)
  expect(catalog.translations('ja').find('hello')?.format(['A'])).toBe('こんにちは A')
})
