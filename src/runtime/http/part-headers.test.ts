import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parsePartHeader } from './part-headers.ts'

const read = (lines: string, encoding: 'utf8' | 'latin1' = 'utf8') =>
  parsePartHeader(Buffer.from(lines, encoding))
const named = (parameters: string) => read(`Content-Disposition: form-data; ${parameters}`)
const invalid = expect.objectContaining({ status: 400, code: 'http.multipart-invalid' })

test.each<readonly [parameters: string, name: string, fileName: string | undefined]>([
  ['name="a"', 'a', undefined],
  ['name=a', 'a', undefined],
  ['NAME="a";FileName=f', 'a', 'f'],
  ['name="a" ; filename="f" ; ', 'a', 'f'],
  ['other=x; name="a"', 'a', undefined],
  ['name="a;b=\'c\'"', "a;b='c'", undefined],
  ['name="é 山"', 'é 山', undefined],
  // Browsers percent-encode quotation marks and line breaks only.
  ['name="%22a%0D%0Ab%41%22"', '"a\r\nb%41"', undefined],
  ['name="a"; filename="%22f%0D%0A%41"', 'a', '"f%0D%0A%41'],
  ['name="a\\"', 'a\\', undefined],
  ['name="a\\"; filename="f\\g\\"', 'a\\', ''],
  // Other clients escape quotation marks and backslashes.
  ['name="\\"a\\\\"; filename="\\"f\\""', '"a\\', '"f"'],
  ['name="a"; filename="C:\\dir\\f.txt"', 'a', 'f.txt'],
  ['name="a"; filename="/dir/f.txt"', 'a', 'f.txt'],
  ['name="a"; filename="../.."', 'a', ''],
  ['name="a"; filename="."', 'a', ''],
  ['name="a"; filename=""', 'a', ''],
  ['name="a"; filename*=UTF-8\'\'%E5%B1%B1.txt', 'a', '山.txt'],
  ['name="a"; filename="f"; filename*=utf-8\'en\'g', 'a', 'g'],
  ["name=a; filename*=iso-8859-1''%e9", 'a', 'é'],
  ["name=a; filename*=utf-8''..%2Ff", 'a', 'f'],
  // RFC 2231 §3 and §4: a value in several parameters, in any order.
  ['name=a; filename*0="long "; filename*1="name.txt"', 'a', 'long name.txt'],
  ['name=a; filename*1=b.txt; filename*0=a', 'a', 'ab.txt'],
  ["name=a; filename*0*=UTF-8''%E2%82; filename*1*=%AC%20; filename*2=%41.txt", 'a', '€ %41.txt'],
  ["name=a; filename*0*=iso-8859-1'fr'%e9; filename*1*=%20%e8", 'a', 'é è'],
  ['name=a; filename*0="/dir/"; filename*1=f; filename=other', 'a', 'f'],
  ['name=a; filename*0=""', 'a', ''],
  ['name*0="a"; name*1="b"', 'ab', undefined],
  [
    `name=a; ${Array.from({ length: 12 }, (_, at) => `filename*${at}=${at};`).join('')}`,
    'a',
    '01234567891011',
  ],
])('%s', (parameters, name, fileName) => {
  expect(named(parameters)).toEqual({ name, fileName, contentType: undefined, charset: undefined })
})

test.each([
  ['without a name', 'filename="f"'],
  ['an empty name', 'name=""'],
  ['two names', 'name="a"; name="b"'],
  ['two file names', 'name="a"; filename="f"; FILENAME="g"'],
  ['an open quotation mark', 'name="a'],
  ['a text after it', 'name="a"b'],
  ['a bare text of more than a token', 'name=a b'],
  ['no value', 'name'],
  ['a blank before the value', 'name= "a"'],
  ['filename* that is not encoded', 'name=a; filename*="f"'],
  ['filename* with half a byte', "name=a; filename=f; filename*=UTF-8''%z"],
  ['filename* that is no UTF-8', "name=a; filename=f; filename*=UTF-8''%ff"],
  ['filename* in another charset', "name=a; filename=f; filename*=utf-9''f"],
  ['filename* with a line break', "name=a; filename*=UTF-8''f%0d%0aX:1"],
  ['filename* with NUL', "name=a; filename*=UTF-8''f%00.png"],
  ['a control character', 'name="a\x01"'],
  ['filename* in parts, without the first', 'name=a; filename*1=b'],
  ['filename* in parts, without a middle one', 'name=a; filename*0=a; filename*2=b'],
  ['filename* in parts, one of them twice', 'name=a; filename*0=a; filename*00=b'],
  ['filename* in parts and whole', "name=a; filename*=UTF-8''a; filename*0=b"],
  ['filename* in parts, encoded without a charset', 'name=a; filename*0=a; filename*1*=%41'],
  ['filename* in parts with half a character', "name=a; filename*0*=UTF-8''%E2%82; filename*1=a"],
  ['name* in parts beside a name', 'name=a; name*0=b'],
  ['name* in parts with NUL', "name*0*=UTF-8''a%00"],
  ['filename* in parts with a line break', "name=a; filename*0*=UTF-8''%0d; filename*1*=%0a"],
])('%s is rejected', (_what, parameters) => {
  expect(() => named(parameters)).toThrow(invalid)
})

const a = 'Content-Disposition: form-data; name="a"'
test.each([
  ['no disposition', 'Content-Type: text/plain'],
  ['another one', 'Content-Disposition: attachment; name="a"'],
  ['two of them', `${a}\r\n${a}`],
  ['two types', `${a}\r\nContent-Type: text/plain\r\ncontent-type: text/html`],
  ['a line without a colon', `${a}\r\nhello`],
  ['a blank before the colon', `${a}\r\nX : 1`],
  ['no name before it', `${a}\r\n: 1`],
  ['a bare line feed', `${a}\nX: 1`],
  ['a bare carriage return', `${a}\rX: 1`],
  ['NUL', `${a}\r\nX: \0`],
  ['an empty line', `${a}\r\n`],
  ['17 lines', `${a}${'\r\nX: 1'.repeat(16)}`],
])('%s: rejected', (_what, lines) => {
  expect(() => read(lines)).toThrow(invalid)
})

test.each([
  'name="a\r\nb"',
  'name="a\r\nX: b"',
  'name="a\nb"',
  'name="a\rb"',
  'name="a"; filename="f\r\n.txt"',
  'name="a"; filename="f\n.txt"',
  'name="a',
])('%j: the refusal names the raw line break', (parameters) => {
  expect(() => named(parameters)).toThrow(/line break.*%0D%0A/)
})

test('a name that is not UTF-8 is rejected', () => {
  expect(() => read('Content-Disposition: form-data; name="\xe9"', 'latin1')).toThrow(invalid)
})

test('the type and its charset; other headers are ignored; folded lines are joined', () => {
  expect(
    read(
      `X-Other: 1\r\nX-Other: 2\r\n${a};\r\n filename="f"\r\nContent-Type: Text/Plain; charset=UTF-8`,
    ),
  ).toEqual({ name: 'a', fileName: 'f', contentType: 'text/plain', charset: 'utf-8' })
  for (const type of ['', 'text', 'text/plain; charset="', 'text/html\x85'])
    expect(read(`${a}\r\nContent-Type: ${type}`).contentType).toBeUndefined()
  expect(read(`${a}${'\r\nX: 1'.repeat(15)}`).name).toBe('a')
})

test('property: any header is read or rejected', () => {
  const pieces =
    'Content-Disposition|form-data|name|filename|filename*|:|;|=|"| |\t|\\|\r\n|\r\n |\r|\n|\0'
  const piece = fc.constantFrom(...pieces.split('|'), "UTF-8''", '%', '%22', 'a', 'é')
  fc.assert(
    fc.property(fc.boolean(), fc.array(piece, { maxLength: 30 }), (begun, some) => {
      try {
        const { name, fileName } = read(
          `${begun ? 'Content-Disposition: form-data; ' : ''}${some.join('')}`,
        )
        expect(name).not.toBe('')
        expect(fileName ?? '').not.toMatch(/[\0\r\n/\\]/)
      } catch (error) {
        expect(error).toEqual(invalid)
      }
    }),
    { numRuns: 2000 },
  )
})
