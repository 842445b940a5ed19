import { expect, test } from 'vitest'
import { parse } from './parsed-template.ts'
import { proveEscaping } from './proof.ts'

/** A template, and the escapers that a defect of the compiler would choose for its expression. */
const defects: readonly (readonly [what: string, template: string, wrong: readonly string[]])[] = [
  ['a script string is taken for text', '<script>var a = "${x}"</script>', ['escapeText']],
  ['the code of a script is taken for a string', '<script>var a = ${x}</script>', ['plainText']],
  [
    'a regular expression is taken for text',
    '<script>var a = /${x}/</script>',
    ['escapeAttribute'],
  ],
  ['a handler is taken for a plain attribute', '<p onclick="f(\'${x}\')">', ['escapeAttribute']],
  ['a URL is taken for a plain attribute', '<a href="${x}">', ['escapeAttribute']],
  [
    'the root of a URL is taken for its path',
    '<form action="/${x}/b">',
    ['escapeAmpersand', 'urlPart'],
  ],
  ['a query is taken for a path', '<a href="/a?b=${x}">', ['escapeAttribute']],
  ['an unquoted value is taken for a quoted one', '<p class=a${x} id=b>', ['escapeAttribute']],
  ['an attribute is taken for text', '<p title="${x}">', ['escapeText']],
  ['a title is taken for text', '<title>${x}</title><p>', ['escapeText']],
  ['a comment is taken for raw text', '<!-- ${x} --><p>', ['plainText']],
  ['the name of an attribute is taken for its value', '<p ${x}>', ['escapeAttribute']],
  ['a style is taken for text', '<style>a { color: ${x} }</style>', ['escapeText']],
  ['a string of a style is taken for a word', '<p style="content: \'${x}\'">', ['escapeAttribute']],
  [
    'a URL of a style is taken for a string',
    '<p style="background: url(\'${x}\')">',
    ['escapeAttribute', 'styleString'],
  ],
  [
    'JSON is taken for text',
    '<script type="application/json">{"a": "${x}"}</script>',
    ['escapeText'],
  ],
  ['text is not escaped', '<p>${x}</p>', ['plainText']],
  ['noscript is taken for raw text', '<noscript>${x}</noscript>', ['plainText']],
  ['a document is taken for plain text', '<iframe srcdoc="${x}"></iframe>', ['escapeAttribute']],
]

test.each(defects)('the proof refutes that %s', (_what, template, escapers) => {
  const parsed = parse('views/t.html.ssp', template)
  expect(() => proveEscaping(parsed)).not.toThrow()
  const escapes = new Map(
    [...parsed.plan.escapes].map(([node, { before }]) => [node, { escapers, before }]),
  )
  const plan = { ...parsed.plan, escapes }
  expect(() => proveEscaping({ ...parsed, plan })).toThrow(
    /escapes this expression with .+, but the parsers read/,
  )
})

test.each(['<a href="?${x}">', '<a href="/a?${x}#${x}">', '<a href="/a?b&${x}">'])(
  '%s is accepted, although an empty value names no parameter',
  (template) => {
    expect(() => proveEscaping(parse('views/t.html.ssp', template))).not.toThrow()
  },
)

test.each([
  ['script', `<script>f(#for (x of xs)"+'+\${x}#end/*"/*'/**/)</script>`],
  ['style', `<style>a { b: #for (x of xs)"'\${x}#end"/*'/**/ }</style>`],
  [
    'script in an #else',
    `<script>f(#if (x) #else #for (x of xs)"+'+\${x}#end#end/*"/*'/**/)</script>`,
  ],
])('the proof refutes a %s whose third round of a loop reads otherwise', (_element, template) => {
  expect(() => proveEscaping(parse('views/t.html.ssp', template))).toThrow('the parsers read')
})

test('a quote or nonce that the compiler forgets is refuted', () => {
  const parsed = parse('views/t.html.ssp', '<p class=${x} id=b>')
  const escapes = new Map(
    [...parsed.plan.escapes].map(([node, { escapers }]) => [node, { escapers, before: '' }]),
  )
  expect(() => proveEscaping({ ...parsed, plan: { ...parsed.plan, escapes } })).toThrow(
    'the parsers read',
  )
})
