import fc from 'fast-check'
// @ts-expect-error -- css-tree ships no types
import { tokenize, tokenNames } from 'css-tree/tokenizer'
import { expect, test } from 'vitest'
import { styleDeclarations, styleValue } from './escape-style.ts'

test.each([
  'red',
  '#fff',
  '1.5em',
  'rgb(1, 2, 3)',
  'RGBA(1 2 3 / 50%)',
  'hsl(120deg 50% 50%)',
  'var(--main-color)',
  'var(--a, rgb(1, 2, 3))',
  'calc(100% - (2px + 3em) * 2 / 3)',
  'clamp(1rem, 2.5vw, 4rem) solid red',
  'linear-gradient(to right, red 20%, oklch(60% 0.2 30))',
  'translate(-50%, 10px) rotate(45deg)',
  'repeat(2, minmax(0, 1fr))',
])('%s stays', (value) => {
  expect(styleValue(value)).toBe(value)
})

test.each([
  'url(a)',
  'rgb(url(a))',
  'var(--a, url(a))',
  'image-set(a)',
  'expression(1)',
  'element(a)',
  'attr(a)',
  'rgb(1',
  'rgb(1))',
  ')rgb(1)(',
  '(1)',
  'a (1)',
  'rgb(1; 2)',
  'rgb("a")',
  'rgb(1/*2*/)',
  'rgb(1 */ 2)',
  'red, blue',
  '1 / 2',
  'red; color: blue',
  'a: b',
  'rgb(1)}',
  '\\75 rl(a)',
  'var(--a)\n',
  'rgb(1)--',
])('%j is replaced', (value) => {
  expect(styleValue(value)).toBe('unsafe')
})

const pieces = 'rgb( var( calc( url( u rl ( ) , / * + - --a 1px #f ; : { } " \\ < @a !'.split(' ')
const piece = fc.constantFrom(' ', '\n', ...pieces)

test('property: a value is tokens without URLs, strings and separators, with balanced parentheses', () => {
  let kept = 0
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
      const value = pieces.join('')
      if (styleValue(value) !== value) return
      kept++
      let depth = 0
      tokenize(`${value} `, (type: number, start: number, end: number) => {
        const name = String(tokenNames[type])
        if (name === 'function-token' || name === '(-token') depth++
        if (name === ')-token') depth--
        expect([value, name]).not.toEqual([
          value,
          expect.stringMatching(
            /^(?:bad-)?(?:url|string|comment|colon|semicolon|at-keyword|[{}[\]]|CD[OC])-token$/,
          ),
        ])
        expect([value, depth < 0]).toEqual([value, false])
        if (name === 'comma-token') expect([value, depth]).not.toEqual([value, 0])
        expect(value.slice(start, end)).not.toMatch(/^(url|src|image|element|attr)\($/i)
      })
      expect([value, depth]).toEqual([value, 0])
    }),
    { numRuns: 20_000 },
  )
  expect(kept).toBeGreaterThan(500)
})

test('declarations end with a semicolon, and other values print nothing', () => {
  expect(['color: red', 'color: red; ', ''].map(styleDeclarations)).toEqual([
    'color: red;',
    'color: red;',
    '',
  ])
  expect([false, null, undefined, 0, true].map(styleDeclarations)).toEqual(['', '', '', '', ''])
})
