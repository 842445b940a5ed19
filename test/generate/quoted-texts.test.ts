/** Texts of a database that generators write into templates: labels of an enum keep their characters and stay texts. */
import fc from 'fast-check'
import { parse } from 'node-html-parser'
import { expect, test } from 'vitest'
import { quoteInTemplate, textInTemplate } from '../../src/tools/generate/format-code.ts'
import { evaluate } from '../view/evaluate.ts'

const nasty = [
  '7"',
  '${x}',
  "it's",
  '%>',
  '<%@val x: any %>',
  '#end',
  '</option>',
  'a\\b',
  '`',
  '&amp;',
  'größe 漢 😀',
  '-->',
  '\u2028',
]
const label = fc.oneof(
  fc.constantFrom(...nasty),
  fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0')),
)

test('a label is the value and the text of its option, which is chosen by the label alone', () => {
  fc.assert(
    fc.property(label, (text) => {
      const template = `<%@val chosen: string %><select><option value="${textInTemplate(text)}" selected="\${chosen === ${quoteInTemplate(text)}}">${textInTemplate(text)}</option></select>`
      const option = (chosen: string) =>
        parse(evaluate(template)({ chosen })).querySelector('option')!
      expect(option(text).getAttribute('value')).toBe(text)
      expect(option(text).textContent).toBe(text)
      expect(option(text).hasAttribute('selected')).toBe(true)
      expect(option(`${text} `).hasAttribute('selected')).toBe(false)
    }),
    { numRuns: 100 },
  )
})
