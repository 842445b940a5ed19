import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attachment, inline } from './content-disposition.ts'

test.each([
  [undefined, 'attachment'],
  ['', 'attachment'],
  ['plans.pdf', 'attachment; filename="plans.pdf"'],
  ['a b;c.txt', 'attachment; filename="a b;c.txt"'],
  ['../../etc/passwd', 'attachment; filename="passwd"'],
  ['C:\\x\\y.txt', 'attachment; filename="y.txt"'],
  ['"quoted".txt', `attachment; filename="_quoted_.txt"; filename*=UTF-8''%22quoted%22.txt`],
  [
    "é山's (1)*.txt",
    `attachment; filename="__'s (1)*.txt"; filename*=UTF-8''%C3%A9%E5%B1%B1%27s%20%281%29%2A.txt`,
  ],
  ['a\r\nb\0.txt', 'attachment; filename="ab.txt"'],
  ['photo\u202egpj.exe', 'attachment; filename="photogpj.exe"'],
  ['100%.txt', `attachment; filename="100_.txt"; filename*=UTF-8''100%25.txt`],
])('%j', (name, expected) => expect(attachment(name)).toBe(expected))

test('inline', () => expect(inline('a.pdf')).toBe('inline; filename="a.pdf"'))

test('property: any name, even with a lone surrogate, becomes one line of ASCII', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      expect(attachment(name)).toMatch(
        /^attachment(; filename="[\x20\x21\x23-\x5b\x5d-\x7e]+")?(; filename\*=UTF-8''[\w!#$&+\-.^`|~%]+)?$/,
      )
    }),
  )
  expect(attachment('\ud800')).toContain('%EF%BF%BD')
})
