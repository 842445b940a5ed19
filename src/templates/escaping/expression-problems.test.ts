import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { evaluate } from '../../../test/view/evaluate.ts'
import { applyFixes, type TemplateError } from '../read.ts'
import { parse } from './parsed-template.ts'

/** Returns the error of a template that does not compile. */
function errorOf(template: string, file = 'views/a.html.ssp'): TemplateError {
  try {
    parse(file, template)
  } catch (error) {
    return error as TemplateError
  }
  throw new Error(`this compiles: ${template}`)
}

const places = ({ line, column, others }: TemplateError): string[] => [
  `${line}:${column}`,
  ...others.map((one) => `${one.line}:${one.column}`),
]

const fixed = (template: string, file?: string): string => {
  const error = errorOf(template, file)
  return applyFixes(template, [error, ...error.others])
}

test('all template literals of the scripts of a file are reported at once', () => {
  const error = errorOf(
    '<p>${a}</p>\n<script>f(`${a} ${b}`)\ng("${c}")</script>\n<p onclick="h(`${d}`)">\n<script type="module">k(`${e}`)</script>',
  )
  expect(places(error)).toEqual(['2:12', '2:17', '4:16', '5:26'])
  expect(error.reason).toContain('in a template literal of the browser this could mean either')
  expect(error.message).toContain('also at 2:17, 4:16 and 5:26')
})

test.each([
  ['<script>f(`${a} ${b}`)</script>', '<script>f(`\\${a} \\${b}`)</script>'],
  [
    '<script>f(`<ul>${xs.map((x) => `<li>${x}</li>`).join("")}</ul>`)</script>',
    '<script>f(`<ul>\\${xs.map((x) => `<li>\\${x}</li>`).join("")}</ul>`)</script>',
  ],
  ['<script>f(`\\\\${a}`)</script>', '<script>f(`\\\\\\\\\\${a}`)</script>'],
  ['<p @click="f(`${a}`)">', '<p @click="f(`\\${a}`)">'],
])('the fix of %s is %s', (template, corrected) => {
  expect(fixed(template)).toBe(corrected)
  expect(evaluate(corrected)({}).replace(' nonce="N"', '')).toBe(template)
})

const script = fc
  .array(
    fc.constantFrom(
      'f(`${a}`)',
      'g(`x ${b.c} \\` ${`in ${d} ${`${e}`}`}`)',
      'h("a")',
      'k(`$ {} $${l}`)',
      "m(`${n ? `<b>${o}</b>` : ''}`)",
      'p(`a\\\\${q}`)',
      '/`/.test(r)',
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((statements) => statements.join(';\n'))

test('property: the fixed template prints the static script as it was written', () => {
  fc.assert(
    fc.property(script, (text) => {
      const page = `<script>${text}</script>`
      const template = text.includes('${') ? fixed(page) : page
      expect(evaluate(template)({}).replace(' nonce="N"', '')).toBe(page)
    }),
    { numRuns: 200 },
  )
})

test('a byte order mark stays', () => {
  const template = '\ufeff<script>f(`${a}`)</script>'
  expect(fixed(template)).toBe('\ufeff<script>f(`\\${a}`)</script>')
})

test('a value that a tag prints into a template literal has no fix', () => {
  const error = errorOf('<script>f(`<%= a %>`)</script>')
  expect(places(error)).toEqual(['1:12'])
  expect(error.reason).toBe(
    'an expression cannot stand in a template literal of the browser: put the value in a variable before',
  )
  expect(error.fix).toBeUndefined()
})

test.each([
  ['<script>x = ${JSON.stringify(a)}</script>', '1:15', '<script>x = ${a}</script>'],
  [
    '<script>x = [<%= JSON.stringify(a.b, null, 2) %>]</script>',
    '1:18',
    '<script>x = [<%= a.b %>]</script>',
  ],
  ['<script>x=<%== JSON.stringify(a) %></script>', '1:16', '<script>x=<%= a %></script>'],
  [
    '<script>x=${unescape(JSON.stringify({ a: [1, 2] }))}</script>',
    '1:13',
    '<script>x=${{ a: [1, 2] }}</script>',
  ],
  [
    '<script type="application/json">${ JSON.stringify(a) }</script>',
    '1:36',
    '<script type="application/json">${ a }</script>',
  ],
  ['<p x-data="${JSON.stringify(a)}">', '1:14', '<p x-data="${a}">'],
  ['<p hx-vals="${JSON.stringify(a)}">', '1:15', '<p hx-vals="${a}">'],
  ['<p onclick="x=${JSON.stringify(a)}">', '1:17', '<p onclick="x=${a}">'],
])('%s prints JSON twice', (template, place, corrected) => {
  const error = errorOf(template)
  expect(places(error)).toEqual([place])
  expect(error.reason).toContain('JSON is printed here anyway')
  expect(fixed(template)).toBe(corrected)
  expect(() => parse('views/a.html.ssp', corrected)).not.toThrow()
})

test('JSON.stringify in a JSON template is an error with its fix', () => {
  const template = '{"a": ${JSON.stringify(a)}, "b": "${JSON.stringify(b)}"}'
  expect(places(errorOf(template, 'views/a.json.ssp'))).toEqual(['1:9'])
  expect(fixed(template, 'views/a.json.ssp')).toBe('{"a": ${a}, "b": "${JSON.stringify(b)}"}')
})

test.each([
  ['<script>f(${JSON.stringify(a).replace(/</g, "")})</script>'],
  ['<script>x = ${JSON.stringify(a, ["b"])}</script>'],
  ["<script>localStorage.setItem('k', ${JSON.stringify(a)})</script>"],
  ['<script>f(${JSON.stringify(a)})</script>'],
  ['<p onclick="f(<%== JSON.stringify(a) %>)">'],
  ['<script>x = ${JSON.stringify(JSON.stringify(a))}</script>'],
  ['<script type="application/json">${JSON.stringify( JSON.stringify(a))}</script>'],
])('%s has no fix, because another value may be meant', (template) => {
  const error = errorOf(template)
  expect(error.reason).toContain('JSON is printed here anyway')
  expect(error.reason).toContain('for a text that contains JSON, write ${String(JSON.stringify(')
  expect(error.fix).toBeUndefined()
})

test.each([
  '<p data-a="${JSON.stringify(a)}">${JSON.stringify(a)}</p>',
  "<script>f(JSON.parse('${JSON.stringify(a)}'))</script>",
  '<script>f(JSON.parse(${JSON.stringify(a)}))</script>',
  '<p onclick="JSON . parse( <%= JSON.stringify(a) %>)">',
  '<script>f(${String(JSON.stringify(a))})</script>',
  '<script>f(${JSON.stringify(a) === b})</script>',
  '<script>f(${JSON.stringify(a).length})</script>',
])('%s compiles', (template) => {
  expect(() => parse('views/a.html.ssp', template)).not.toThrow()
})

test('both kinds are reported together, in the order of the file', () => {
  const template = '<script>x=[${JSON.stringify(a)}, `${b}`]</script>'
  expect(places(errorOf(template))).toEqual(['1:14', '1:35'])
  expect(fixed(template)).toBe('<script>x=[${a}, `\\${b}`]</script>')
})

test.each([
  [
    '<a href="a" href="b">',
    '1:13',
    "the attribute 'href' is written twice, and browsers take the first: remove one",
  ],
  [
    '#if (a)<a href="a" href="b">#end',
    '1:20',
    "the attribute 'href' is written twice, and browsers take the first: remove one",
  ],
  [
    '<a title="<" href="${a}" href="b">',
    '1:26',
    "'href' is written twice, and browsers take the first: remove one",
  ],
  [
    '<a href="a" #if (b)href="b"#end>',
    '1:20',
    "'href' is written twice in one way through the branches",
  ],
])('%s: a doubled attribute', (template, place, says) => {
  const error = errorOf(template)
  expect(places(error)).toEqual([place])
  expect(stripVTControlCharacters(error.reason)).toContain(says)
})
