import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  sourceSet,
  sourceSetPart,
  sourceSetRoot,
  sourceSetStart,
  unsafeUrl,
  urlBase,
  urlComponent,
  urlPart,
  urlRoot,
  urlRootSegment,
  urlSegment,
  urlStart,
  urlTail,
  urlTailBase,
} from './escape-url.ts'

test.each([
  ['/a/b.c_d-e~f', '/a/b.c_d-e~f'],
  ['javascript:alert(1)', unsafeUrl],
  ['java\tscript:alert(1)', unsafeUrl],
  ['java\r\nscript:alert(1)', unsafeUrl],
  ['\u0001 javascript:alert(1)', unsafeUrl],
  ['\u0000javascript:alert(1)', unsafeUrl],
  ['a \u0001b', 'a%20%01b'],
  ['a\tb\nc', 'abc'],
  ['MAILTO:a@b', 'MAILTO:a@b'],
  ['data:text/html,x', unsafeUrl],
  ['?a=b&c=%zz%41', '?a=b&c=%25zz%41'],
])('%j begins a URL as %j', (value, url) => {
  expect(urlStart(value)).toBe(url)
})

test('what browsers ignore is dropped after the start, too', () => {
  expect(urlTail('a\tb:c/d:e')).toBe('ab%3Ac/d:e')
  expect(urlPart('\t/x\n')).toBe('/x')
  expect(urlComponent("a/b ?&'")).toBe('a%2Fb%20%3F%26%27')
})

test('a value beside the first slash makes no host', () => {
  expect(['//e', '', 'a/b'].map(urlRoot)).toEqual(['%2F%2Fe', '', 'a/b'])
  expect(['/e', ''].map(urlRootSegment)).toEqual(['%2Fe', '.'])
  expect(['/', '//', '/a', ''].map(urlBase)).toEqual(['', '', '/a', ''])
  expect(['/', 'a:b'].map(urlTailBase)).toEqual(['', 'a%3Ab'])
  expect(['a/b', ''].map(urlSegment)).toEqual(['a%2Fb', '.'])
  expect(sourceSetRoot('/a,b')).toBe('%2Fa,b')
  expect(sourceSet('a 1x, javascript:b 2x z')).toBe(`a 1x, ${unsafeUrl} 2x`)
})

test.each([
  ['https://x/a,b/c.png 1x, /b.png 2x', 'https://x/a,b/c.png 1x, /b.png 2x'],
  ['/upload/w_400,h_300/dog.jpg 400w', '/upload/w_400,h_300/dog.jpg 400w'],
  ['a.png 1x,b.png 2x', 'a.png 1x, b.png 2x'],
  ['a.png, b.png 2x', 'a.png, b.png 2x'],
  ['a.png,b.png 2x', 'a.png,b.png 2x'],
  [' ,, a.png,,\nb.png 1.5e1x', 'a.png, b.png 1.5e1x'],
  ['a.png 100w 50h, b.png (x, y) 2x', 'a.png 100w 50h, b.png 2x'],
  ['/a,javascript:b 1x, javascript:c 2x', '/a,javascript:b 1x, #unsafe 2x'],
  ['\u0001javascript:a,b 1x', '#unsafe 1x'],
  ['', ''],
  [' , ', ''],
])('the srcset %j becomes %j', (value, printed) => {
  expect(sourceSet(value)).toBe(printed)
})

test('a URL of a srcset keeps its commas, but begins and ends with none', () => {
  expect(sourceSetStart('/w_400,h_300/dog.jpg')).toBe('/w_400,h_300/dog.jpg')
  expect(sourceSetStart(',,/a,')).toBe('%2C%2C/a%2C')
  expect(sourceSetPart('w_400,h_300,')).toBe('w_400,h_300%2C')
  expect(sourceSetPart(',')).toBe('%2C')
})

/** Returns the URLs and descriptors of a srcset, as HTML § 2.3.9.2 (parsing a srcset attribute) reads them. */
function candidates(text: string): string[][] {
  const found: string[][] = []
  for (let rest = text; ;) {
    rest = rest.replace(/^[\t\n\f\r ,]+/, '')
    if (rest === '') return found
    const url = /^[^\t\n\f\r ]+/.exec(rest)![0]
    rest = rest.slice(url.length)
    const descriptors = url.endsWith(',') ? '' : /^(?:\([^)]*(?:\)|$)|[^,(])*/.exec(rest)![0]
    rest = rest.slice(descriptors.length)
    const words = descriptors.split(/[\t\n\f\r ]+/).filter((word) => word !== '')
    found.push([url.replace(/,+$/, ''), ...words])
  }
}

test('property: browsers read the candidates of a printed srcset as those of the value', () => {
  const piece = fc.constantFrom(
    '/a',
    'b.png',
    ',',
    ' ',
    ', ',
    '\t',
    '1x',
    '100w',
    '2h',
    '.5x',
    'https://c/d,e',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const value = pieces.join('')
      expect(candidates(sourceSet(value))).toEqual(
        candidates(value).map(([url, ...words]) => [
          urlStart(url),
          ...words.filter((word) => /^[\d.]+[wxh]$/.test(word)),
        ]),
      )
    }),
    { numRuns: 2000 },
  )
})
