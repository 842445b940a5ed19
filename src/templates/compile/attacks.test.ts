import { expect, test } from 'vitest'
import { evaluate } from '../../../test/view/evaluate.ts'
import { scriptStructure } from '../../../test/view/html-structure.ts'
import { TemplateError } from '../read.ts'

const declared = '<%@val a: any %><%@val b: any %><%@val q: any %>\n'
/** Would call `alert` if the value stood outside of a string, a regular expression or a template literal. */
const breakouts = [
  '";alert(1)//',
  "';alert(1)//",
  '`;alert(1)//',
  '${alert(1)}',
  '/;alert(1)//',
  '\\',
  '*/alert(1)/*',
  '</script><img src=x onerror=alert(1)>',
  '\n;alert(1)',
  '\u2028alert(1)',
  ');alert(1)//',
]

const scripts = [
  'var ratio = 1./3, unit = "km/h", label = ${q};',
  'var ratio = 1./3, unit = "km/h", label = "${q}";',
  'if/* c */(a) /"/.test("${q}")',
  'if/* c */(a) /"/.test(b); var c = "${q}"',
  'var a = "one \\\r\n two", b = "${q}"',
  'var of = 4; a = of /2; b = "/${q}"',
  'var of = 1, g = 2; c = of /"/.length/ g; d = "${q}"',
  'var await = 4; a = await /2; b = "/${q}"',
  'var yield = 4; a = yield /2; b = "/${q}"',
  'async function f(x) { for await (var y of x) /"/.test(y); var z = "${q}" }',
  'while (a) { break\n/"/.test(b) } var c = "${q}"',
  'debugger\n/"/.test(b); var c = "${q}"',
  'a = b\n++/"/.lastIndex; var c = "${q}"',
  'x = {} /2; y = "/${q}"',
  'a = function () {} / 2; y = "/${q}"',
  'label: /"/.test(b); var c = "${q}"',
]
const modules = [
  'export default /"/; var c = "${q}"',
  'var c = [...await /"/]; var d = "${q}"',
  'for await (var y of x) /"/.test(y); var z = "${q}"',
]

test.each([
  ...scripts.map((script) => `<script>${script}</script>`),
  ...modules.map((script) => `<script type="module">${script}</script>`),
])('%s: the value stays in its string, or the template is refused', (template) => {
  const render = renderOrRefused(template)
  if (render === undefined) return
  const isModule = template.includes('type="module"')
  const content = (html: string): string => /<script[^>]*>([^]*)<\/script>$/.exec(html)![1]!
  const shape = (q: string): string => scriptStructure(content(render({ a: 1, b: 1, q })), isModule)
  const harmless = shape('zz')
  expect(harmless).not.toContain('SYNTAX')
  for (const value of breakouts) expect([value, shape(value)]).toEqual([value, harmless])
})

function renderOrRefused(template: string): ReturnType<typeof evaluate> | undefined {
  try {
    return evaluate(declared + template)
  } catch (error) {
    if (error instanceof TemplateError) return undefined
    throw error
  }
}

test.each([
  ['<svg><script>var a = "${q}"</script></svg>', 'in the <script> of SVG or MathML'],
  ['<math><script>var a = ${q}</script></math>', 'in the <script> of SVG or MathML'],
  ['<svg><style>a { color: ${q} }</style></svg>', 'in the <style> of SVG or MathML'],
  [
    '<svg><style>&lt;</style></svg><svg><script>f("&quot;", "${q}")</script></svg>',
    'in the <script> of SVG',
  ],
  ['<select><iframe>${q}</iframe></select>', 'browsers disagree about <iframe> inside <select>'],
  ['<select><textarea>${q}</textarea></select>', 'browsers disagree about <textarea>'],
  ['<select><option><style>a{b:"${q}"}</style></select>', 'browsers disagree about <style>'],
  [
    '<script type="text/plain" type="module">var a = "${q}"</script>',
    "the attribute 'type' is written twice",
  ],
  [
    '<script #if (a)type="text/plain"#end #if (b)type="module"#end>f(${q})</script>',
    "'type' is written twice",
  ],
  ['<a href="/a" href="${q}">', "the attribute 'href' is written twice"],
  ['<s#if (a)cript#end>var a = "${q}"</script>', 'a directive cannot divide the name of a tag'],
  ['<s#if (a)x#end>', 'a directive cannot divide the name of a tag'],
  ['<p _="on click ${q}">', "the attribute '_' of <p> must be static"],
  ['<p hx-trigger="click[${q}]">', "the attribute 'hx-trigger' of <p> must be static"],
  ["<p hx-vals='js:{a: ${q}}'>", 'is not JSON'],
  ['<p ng-click="f(`${q}`)">', 'in a template literal of the browser'],
  ['<script>var ${q} = 1</script>', 'where a script needs a name'],
  ['<script>a.${q}</script>', 'where a script needs a name'],
  ['<script>a${q}</script>', 'a part of a name or number'],
  ['<script>${q} / "${a}" / 2</script>', 'where an object would be a block'],
  ['<style>a { b: ${q}(1) }</style>', 'a style has a function in this place'],
  ['<style>@${q} a {}</style>', 'a style has a at keyword in this place'],
  ['<svg>', 'the template must close this <svg>'],
  [
    '<script>a = <% if (a) { %>0<% } else for (const x of b) { %>"${x}<% } %>"</script>',
    'is not JavaScript',
  ],
  [
    '<script>a = <% if (a) { %>"<% } else b(); if (b) { %>"${q}<% } %>"</script>',
    'is not JavaScript',
  ],
  [
    '<% x: for (;;) { %><p title="<% for (;;) { if (a) break x %>b<% } %>"><% } %>${q}',
    'would leave the HTML unfinished',
  ],
  [
    '<!-- <% a.forEach(() => { %>--><b><% if (b) return %></b><!-- <% }) %>${q} -->',
    'would leave the HTML unfinished',
  ],
  [
    '<script>a = [<% x: for (;;) { %>"<% for (;;) { if (a) { %>b<% continue /**/ x } %>c<% } %>"<% } %>${q}]</script>',
    'is not JavaScript',
  ],
  ['#if (a)<svg>#end${q}', 'the template must close this <svg>'],
])('%s is refused', (template, reason) => {
  expect(() => evaluate(declared + template)).toThrow(reason)
})

test.each([
  [
    '<script type="text&#47;plain">var a = ${q}</script>',
    '"\'',
    '<script type="text&#47;plain">var a = &#34;&#39;</script>',
  ],
  [
    '<script type="modul&#101;">var a = ${q}</script>',
    '"',
    '<script type="modul&#101;" nonce="N">var a = "\\""</script>',
  ],
  [
    '<svg><a xlink:href="${q}"><title>${q}</title></a></svg>',
    '</title>',
    '<svg><a xlink:href="%3C/title%3E"><title>&lt;/title&gt;</title></a></svg>',
  ],
  [
    '<p style="width: calc(10px/2*3); color: ${q}">',
    'red',
    '<p style="width: calc(10px/2*3); color: red">',
  ],
  [
    '<style>a { background: image-set("${q}" 1x) }</style>',
    'javascript:x',
    '<style nonce="N">a { background: image-set("\\23 unsafe" 1x) }</style>',
  ],
  ['#match (q) #case (1) one #case ("x") ex #otherwise no #end', 'x', ' ex '],
  ['\\#if \\#else \\#for (x) \\#end', 1, '#if #else #for (x) #end'],
  ['<param value="${q}">', 'javascript:x', '<param value="#unsafe">'],
  [
    '<p hx-get="/a?b=${q}" hx-vals=\'{"a": ${q}, "b": "${q}"}\'>',
    '"\'',
    '<p hx-get="/a?b=%22%27" hx-vals=\'{"a": &#34;\\&#34;\\u0027&#34;, "b": "\\u0022\\u0027"}\'>',
  ],
])('%s with %j', (template, q, html) => {
  expect(evaluate('<%@val q: any %>\n' + template)({ q })).toBe(html)
})

const site = 'https://site.example/'
const attribute = /(?:href|action|src|srcset|url)="([^"]*)"/

test.each([
  '<form action="/${a}/${b}">',
  '<script src="/${a}/${b}.js"></script>',
  '<a href="${a}/${b}">',
  '<a href="${a}${b}/${q}">',
  '<a href="/${a}${b}/${q}">',
  '<a href="/${a}/x/${b}">',
  '<a href="/#if (a)${a}/#end${b}">',
  '<a href="#if (a)/#end${b}/${q}">',
  '<img srcset="/${a}/${b} 2x">',
])('%s stays on the site', (template) => {
  const render = evaluate(declared + template)
  const slashes = [
    '',
    '/',
    '//',
    '\\',
    '/\\',
    '.',
    'x',
    'evil.example',
    '/evil.example',
    '//evil.example',
    '\\evil.example',
  ]
  for (const a of ['', '/', 'x', ...(template.includes('="/') ? slashes : [])]) {
    for (const b of template.includes('${a}${b}/') || template.includes('#end${b}/')
      ? ['']
      : slashes) {
      for (const q of slashes) {
        const html = render({ a, b, q })
        const url = attribute.exec(html)![1]!.split(' ')[0]!.replaceAll('&amp;', '&')
        // A value that begins the URL alone may name another host; one after it may not.
        if (!template.includes('="/') && URL.canParse(a, 'x:y')) continue
        expect([a, b, q, html, new URL(url, site).host]).toEqual([a, b, q, html, 'site.example'])
      }
    }
  }
})

test('a value that is not given is not taken from a polluted prototype', () => {
  const page = evaluate(
    "<%@val title: string = 'own' %>\n<%@val head: string | undefined %>\n${title}[${head}]",
  )
  Object.assign(Object.prototype, { title: 'polluted', head: 'polluted' })
  try {
    expect(page({})).toBe('own[]')
    expect(page({ title: 'given', head: 'x' })).toBe('given[x]')
  } finally {
    for (const name of ['title', 'head']) delete (Object.prototype as Record<string, unknown>)[name]
  }
})

test('JSON follows branches, and takes partials as values only', () => {
  const json = (template: string) => evaluate(declared + template, 'views/t.json.ssp')
  const list = json('[#for ((x, i) of a)#if (i > 0),#end{"n": ${x}, "s": "${x}"}#end]')
  expect(list({ a: ['"', 2] })).toBe('[{"n": "\\"", "s": "\\u0022"},{"n": 2, "s": "2"}]')
  expect(() => json('{"a": #if (a)"#end${q}#if (a)"#end}')).toThrow('different contexts')
  expect(() => json(`{"a": "<%@include '_b' %>"}`)).toThrow(
    'a partial cannot stand in a string of JSON',
  )
  expect(() => json('{"a": x, "b": ${q}}')).toThrow('is not JSON')
})

test('branches that open different attributes are refused', () => {
  expect(() => evaluate(declared + '<p #if (a)title="#else class="#end${q}">')).toThrow(
    'the branches end in different places of the HTML',
  )
})
