/** Checks that each function that reads or prints a client's text takes linear time. */
import { expect, it } from 'vitest'
import * as escapers from '../../src/compiled.ts'
import { redactText } from '../../src/runtime/base.ts'
import { linearGrowth } from '../../src/runtime/base/growth.fixture.ts'
import * as http from '../../src/runtime/http.ts'
import { parseContentType } from '../../src/runtime/http/content-type.ts'
import { parseRange } from '../../src/runtime/http/file-response.ts'
import { parseJson } from '../../src/runtime/http/json.ts'
import { parsePartHeader } from '../../src/runtime/http/part-headers.ts'
import { negotiateLocale } from '../../src/runtime/i18n.ts'
import { ParamType, toCamelCase, toSnakeCase } from '../../src/runtime/params.ts'
import { clearTexts, readWritten } from '../../src/runtime/params/written-number.ts'
import { isHost, splitAbsolute } from '../../src/runtime/server/request-validator.ts'
import { TrustedProxies } from '../../src/runtime/server/trusted-proxies.ts'
import { readProof } from '../../src/runtime/session/device-binding.ts'
import { readSessionCookie } from '../../src/runtime/session/session-cookie.ts'
import * as validation from '../../src/runtime/validation.ts'
import { slowestGrowth } from './linear-time.ts'

type Read = (text: string) => unknown

const proxies = new TrustedProxies({ trustedProxies: ['127.0.0.1'], forwardedHost: true })
const direct = { remoteAddress: '127.0.0.1', scheme: 'http', host: 'a.example' } as const
const formats = new http.FormatTable()
const locales = ['en', 'ja', 'zh-Hant']

/** The functions, each with the starts of texts that reach its inner loops. */
const readers: Readonly<Record<string, readonly [read: Read, ...starts: readonly string[]]>> = {
  'media types': [parseContentType, 'text/a', 'text/a;a=', 'text/a;a="', 'text/a;a="\\'],
  'media ranges': [(text) => formats.preferred(text), 'text/html;q=0.', '*/*,', 'a/b;c="'],
  'content codings': [(text) => http.bestEncoding(text, ['gzip']), 'gzip;q=', 'br,'],
  'media type of a name': [http.mediaTypeOf, 'a.'],
  locales: [(text) => negotiateLocale(text, locales, 'en'), 'en-', 'en;q=', 'a,'],
  dates: [http.parseHttpDate, 'Sun, 06 Nov 1994 08:49:37 GMT;', 'Sun Nov  6 08:49:37 1994'],
  ranges: [(text) => parseRange(text, 1000), 'bytes=', 'bytes=1-', 'bytes='],
  'entity tags': [http.parseEntityTags, '"a"', 'W/"', '"a",', '"a" '],
  cookies: [(text) => new http.CookieJar(text).names(), 'a=', 'a="', 'a=b;'],
  'the session cookie': [(text) => readSessionCookie(text, 'sid'), 'sid', 'a;sid', ' sid='],
  paths: [http.parsePath, '/', '/a/', '/%', '/..'],
  queries: [http.parseQuery, 'a=', 'a=%', 'a&', '='],
  'malformed queries': [http.parseQueryString, '%&a=', 'a=%&', '%=', '%'],
  'part headers': [
    (text) => parsePartHeader(Buffer.from(text)),
    'Content-Disposition: form-data; name="a"',
    'Content-Disposition: form-data; name="',
    'Content-Disposition: form-data; name="a"; filename="',
    "Content-Disposition: form-data; name=a; filename*=UTF-8''",
    "Content-Disposition: form-data; name=a; filename*0*=UTF-8''",
    'Content-Disposition: form-data; name=a; filename*0=a; filename*1="',
    'Content-Disposition: form-data; name=a\r\n',
    'Content-Disposition: form-data; name=a\r\nX: a',
  ],
  'forwarded headers': [(text) => proxies.resolve(direct, () => text), '1.2.3.4, ', '10.', '::'],
  hosts: [isHost, 'a.', '[::', 'a:'],
  'absolute targets': [splitAbsolute, 'http://', 'http://a/', 'http://a'],
  JSON: [parseJson, '{"a":"', '["', '[', '{"__proto__":', '[1'],
  'numbers of JSON': [
    (text) => http.fieldsFromJson({ a: parseJson(`[${text}]`) }),
    '12345678901234567,',
    '1e400,',
    '"1e400",',
    '0.',
    '-',
  ],
  'written numbers': [
    (text) => [readWritten(text, 'de', 'decimal'), clearTexts(text, 'de', 'decimal')],
    '1.',
    '-1.234',
    '1,5e',
    '۱٬',
  ],
  'names of XML elements': [http.elementName, 'a', ' '],
  'XML texts': [http.escapeXml],
  'file names': [http.attachment, 'a.', 'é'],
  'camel case': [toCamelCase, 'a_', 'A'],
  'snake case': [toSnakeCase, 'a', 'A'],
  'proofs of devices': [readProof, '"e30.', '"e30.e30.'],
  secrets: [redactText, 'http://', 'a://a@'],
}

const characters = [...'aA0 \t\r\n\\"\'`,;:=/.?#@&%$*+-_~!|<>()[]{}é\0']
const words =
  'a, a; a= ;a=b ;a="b" "" \\" \\\\ %41 %E3%81 a/ ../ ./ // 1. 1, -1 a- -a &a= a& a=b& "a", ' +
  'aA A_ _a <a> &amp; :// @a {0} sid sid= ;sid [[ {"a": [1, "a":1, e1 1e \u{10400}'
const blanks = [', ', '; ', '; a=b', 'a b', ' sid', '\r\n', '\r\n ', '\n\n', 'A:b\r\n', '\t ']
const repeated = [...characters, ...words.split(' '), ...blanks]
const ends = ['', '\0', '"']

function measure(read: Read, starts: readonly string[]) {
  const texts = ['', ...starts].flatMap((start) =>
    repeated.flatMap((part) => ends.map((end) => ({ start, repeated: part, end }))),
  )
  const run = (text: string) => {
    try {
      read(text)
    } catch {
      // A refusal is a result as well.
    }
  }
  return slowestGrowth(texts, run)
}

function expectLinear(read: Read, starts: readonly string[]): void {
  const { growth, text } = measure(read, starts)
  // Garbage collections of large texts cost more than in proportion.
  if (growth > 1.5 * linearGrowth) expect({ growth, text }).toBeUndefined()
}

it('the measurement finds a function that searches the rest of the text at each semicolon', () => {
  const read = (text: string) =>
    text.split(';').reduce((count, _part, at) => count + text.indexOf('=', at), 0)
  expect(measure(read, []).growth).toBeGreaterThan(1.5 * linearGrowth)
})

it.each(Object.entries(readers))('%s are read in linear time', (_name, [read, ...starts]) => {
  expectLinear(read, starts)
})

const types = Object.entries<object>(ParamType).filter(([, type]) => typeof type === 'object') as [
  string,
  ParamType<unknown>,
][]
const dates = ['2013-01-02', '2013-01-02T', '2013-01-02T03:04:05.', '1', '-', '0.', '1e', '+1']

const lists = [['separated', ParamType.separated(ParamType.Int)]] as const

it.each([...types, ...lists])(
  'ParamType.%s reads in linear time',
  (_name, type: ParamType<unknown>) => {
    expectLinear((text) => type.read([text]), [...dates, '{"a":"', '[1', 'aa=', '12345678-'])
    expectLinear((text) => type.permit([text]), [])
  },
)

const rules = Object.entries(validation).filter(
  (entry): entry is [string, validation.Rule] => entry[1] instanceof validation.Rule,
)

it.each(rules)('the rule %s takes linear time', (_name, rule) => {
  const starts = ['http://', 'http://a.', 'https://a/', 'a@', 'a@a.', 'a@a.aa', '12345678-1234-']
  expectLinear((text) => rule.evaluate(text), [...dates, ...starts])
})

const printers = Object.entries(escapers).filter(
  ([name, value]) => typeof value === 'function' && !/^(?:SafeHtml|ownValues|nonce)/.test(name),
)

it.each(printers as [string, Read][])('%s prints in linear time', (_name, print) => {
  expectLinear(print, ['http://', 'javascript:', '/', 'a ', 'a 1x, ', 'url('])
})
