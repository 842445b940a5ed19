/** What the Content-Security-Policy of production would block, with the line. */
import { expect, onTestFinished, test } from 'vitest'
import { testProject } from '../../../test/view/project.ts'
import { generateViews } from '../compile.ts'
import { formatDiagnostic } from './diagnostics.ts'
import { policyWarnings } from './policy-warnings.ts'

/** Returns the warnings of templates, as `place message`, without the folder. */
function warn(templates: Readonly<Record<string, string>>, settings = ''): readonly string[] {
  const project = testProject(templates)
  onTestFinished(() => project.remove())
  project.write('src/main/resources/application.yml', settings)
  const { templates: compiled, errors } = generateViews(project)
  expect(errors).toEqual([])
  return policyWarnings(compiled, project).map((one) =>
    formatDiagnostic(one).split('\n')[0]!.replace('src/main/webapp/WEB-INF/', ''),
  )
}
const page = (text: string, settings?: string) => warn({ 'views/a.html.ssp': text }, settings)

test('a style attribute whose text is not in the template is blocked', () => {
  expect(page('<%@val w: number %>\n<p>\n<b style="width: ${w}%">a</b></p>')).toEqual([
    'views/a.html.ssp:3:4 warning: the Content-Security-Policy blocks this style attribute, because its text is not known before: ' +
      'choose between texts of the template, use a class or a <style> element, or set style-src-attr: "\'unsafe-inline\'" in security.contentSecurityPolicy (view.blocked)',
  ])
})

test.each([
  '<p style="color: red">',
  "<%@val a: boolean %><p style=\"color: ${a ? 'red' : 'blue'}; ${a && 'margin: 0'}\">",
  '<p data-style="${1}" class="a">',
  '<my-element onclick="f()"></my-element>',
  '<a href="/a" class="b">a</a><img src="/a.png" srcset="/b.png 2x"><form action="/c"></form>',
  '<a href="https://other.example/">a</a>',
  '<script src="/a.js"></script><script>a()</script><style>a { }</style>',
])('%s is not blocked', (template) => {
  expect(page(template)).toEqual([])
})

test.each([
  ['<%@val c: boolean %><p style="a: b;#if (c) c: d#end">', 24, 'this style attribute'],
  ['<p style="<%== 1 %>">', 4, 'this style attribute'],
  ['<p id="a" onclick="f()">', 11, "the handler 'onclick'"],
  ['<a href="javascript:void(0)">', 4, "the script URL in 'href'"],
  ['<p hx-on:click="f()">', 4, "'hx-on:click', which htmx evaluates"],
  ['<img alt="" src="https://cdn.example/a.png">', 13, 'https://cdn.example: add it to img-src'],
  [
    '<script src="https://cdn.example/a.js"></script>',
    9,
    'https://cdn.example: add it to script-src',
  ],
  [
    '<link rel="stylesheet" href="//fonts.example/a.css">',
    24,
    'https://fonts.example: add it to style-src',
  ],
  [
    '<iframe src="https://video.example/embed/${1}"></iframe>',
    9,
    'https://video.example: add it to frame-src',
  ],
  ['<form action="https://pay.example/x">', 7, 'https://pay.example: add it to form-action'],
  ['<img src="data:image/gif;base64,R0lGOD">', 6, 'data:: add it to img-src'],
  ['<base href="https://other.example/">', 7, 'https://other.example: add it to base-uri'],
])('%s is blocked', (template, column, says) => {
  const [warning, ...others] = page(template)
  expect(others).toEqual([])
  expect(warning).toMatch(
    `views/a.html.ssp:1:${column} warning: the Content-Security-Policy blocks `,
  )
  expect(warning).toContain(says)
})

const settings = (directives: string): string =>
  `security:\n  contentSecurityPolicy:\n${directives.replace(/^/gm, '    ')}\n`

test.each([
  ['<p style="color: ${1}">', `style-src-attr: "'unsafe-inline'"`],
  ['<p style="color: ${1}">', `style-src: "'self' 'unsafe-inline'"`],
  ['<p style="color: ${1}">', `style-src: off\ndefault-src: off`],
  ['<p onclick="f()">', `script-src-attr: "'unsafe-inline'"`],
  ['<p onclick="f()">', `script-src: "'self' 'unsafe-inline'"`],
  ['<p onclick="f()">', `script-src: "'self' 'unsafe-hashes' 'sha256-a'"`],
  ['<p hx-on:click="f()">', `script-src: "'self' 'unsafe-eval'"`],
  ['<img src="https://cdn.example/a">', `img-src: "'self' https://cdn.example"`],
  ['<img src="https://cdn.example/a">', `img-src: "cdn.example"`],
  ['<img src="https://a.cdn.example/a">', `img-src: "*.cdn.example"`],
  ['<img src="https://cdn.example/a">', `img-src: "https:"`],
  ['<img src="https://cdn.example/a">', `img-src: "*"`],
  ['<img src="https://cdn.example:8443/a">', `img-src: "cdn.example:*"`],
  ['<img src="https://cdn.example/a">', `default-src: "'self' https://cdn.example/images/"`],
  ['<img src="data:image/png,a">', `img-src: "'self' data:"`],
  ['<script src="https://cdn.example/a"></script>', `script-src-elem: "cdn.example"`],
  ['<p style="color: ${1}"><b onclick="f()">', `default-src: off\nstyle-src: off\nscript-src: off`],
])('%s is not blocked with %s', (template, directives) => {
  expect(page(template, settings(directives))).toEqual([])
})

test.each([
  ['<img src="https://cdn.example/a">', `img-src: "other.example http://cdn.example:8080"`],
  ['<img src="https://cdn.example.evil/a">', `img-src: "*.cdn.example cdn.example"`],
  ['<img src="http://cdn.example/a">', `img-src: "https://cdn.example"`],
  ['<img src="data:image/png,a">', `img-src: "*"`],
  ['<img src="https://cdn.example/a">', `img-src: "'none'"`],
  ['<p style="color: red">', `style-src-attr: "'none'"`],
  ['<p style="color: red">', `style-src-attr: "'self'"`],
])('%s is blocked with %s', (template, directives) => {
  expect(page(template, settings(directives))).toHaveLength(1)
})

test('settings of production count', () => {
  const production = `production:\n  security:\n    contentSecurityPolicy: { style-src-attr: "'unsafe-inline'" }\n`
  expect(page('<p style="color: ${1}">', production)).toEqual([])
})

test('a page with more style attributes than the policy permits is reported once', () => {
  const styles = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, at) => `<p style="margin: ${from + at}px">`).join('\n')
  const templates = {
    'views/a.html.ssp': `${styles(0, 15)}\n<%@include '_b' %>`,
    'views/_b.html.ssp': styles(15, 21),
    'views/c.html.ssp': styles(0, 20),
  }
  expect(warn(templates)).toEqual([
    'views/a.html.ssp:1:1 warning: this page has 21 different style attributes, and the Content-Security-Policy permits 20 of them: move them to a style sheet (view.blocked)',
  ])
})

test('the places of the other templates are those of their own files', () => {
  const found = warn({
    'layouts/default.ssp': '<html><body onload="f()">${body}</body></html>',
    'views/a.html.ssp': "<%@include '_b' %>",
    'views/_b.html.ssp': '<p>\n<b onclick="f()">',
    'views/c.xml.ssp': '<p onclick="f()"/>',
  })
  expect(found.map((line) => line.split(' ')[0])).toEqual([
    'views/_b.html.ssp:2:4',
    'layouts/default.ssp:1:13',
  ])
})
