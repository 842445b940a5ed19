import { afterAll, beforeAll, expect, test } from 'vitest'
import { htmlStructure } from '../../../test/view/html-structure.ts'
import { payloads } from '../../../test/view/payloads.ts'
import { testProject, type TestProject } from '../../../test/view/project.ts'
import { unescape, type ViewEngine, createViewEngine } from '../../runtime/view.ts'
import { generateViews } from './generate-views.ts'

const texts = [
  '<p>${x}</p>',
  '<p>a<b>${x}</b>c${x}</p>',
  'a < b ${x}',
  '<!-- ${x} --><p>',
  '<!--${x}--><p>',
  '<!--${x}-><p>--><i>',
  '<!-- -${x}-><p>--><i>',
  '<? ${x}><p>',
  '</3 ${x}><p>',
  '<title>${x}</title>',
  '<textarea>${x}</textarea>',
  '<pre>${x}</pre>',
  '<noscript>${x}</noscript>',
  '<iframe>${x}</iframe>',
  '<xmp>${x}</xmp>',
  '<template><p>${x}</p></template>',
  '<table><tr><td>${x}</table>',
  '<select><option>${x}</select>',
  '<svg><text>${x}</text><title>${x}</title></svg>',
  '<math><mi>${x}</mi></math>',
  '<button>${x}</button>',
]
const attributeValues = [
  '<p class="${x}">a</p>',
  "<p class='${x}'>a</p>",
  '<p class=${x}>a</p>',
  '<p class=${x} id=b>a</p>',
  '<p class=a${x} id=b>a</p>',
  '<p class=a${x}>a</p>',
  '<p class=${x}b${x} id=b>a</p>',
  '<p class = ${x} id=b>',
  '<p title="a" onmouseover="g(\'a\', ${x})" class="${x}">',
  '<input value="${x}"#if (x) checked#end>',
  '<p #for (a of [x, x])data-${a.length}="${a}" #end>a</p>',
  '<p title="a ${x} b">',
  '<svg viewBox="${x}"></svg>',
  '<p data-${x}="1">',
  '<p aria-${x}="1">',
  '<p ${x}>',
  '<p ${x} class="a">',
  '<p class="a" ${x}/>',
  '<input type="${x}">',
  '<input checked="${x}" disabled=${x}>',
  "<p class='a'hidden='${x}'>",
  '<td rowspan=${x}>',
  '<meta name="a" content="${x}">',
  '<meta name=description content=${x}>',
]
const urls = [
  '<a href="?${x}">a</a>',
  '<a href="${x}">a</a>',
  "<a href='${x}'>a</a>",
  '<a href=${x}>a</a>',
  '<a href=${x} id=b>a</a>',
  '<a href="/a/${x}/b">a</a>',
  '<a href=/a/${x}/b>a</a>',
  '<a href="/a?q=${x}&b=1">a</a>',
  '<a href="/a?q=1&${x}=1">a</a>',
  '<a href="#${x}">a</a>',
  "<a href='https://x/${x}'>",
  '<a href="https://${x}/">',
  '<a href="java${x}">',
  '<a href="${x}${x}">',
  '<a href="${x}/${x}">',
  '<a href=" ${x}">',
  '<a href="mailto:${x}">',
  '<a href="#if (x)/a#else/b#end?q=${x}">',
  '<a href="#if (x)java#end${x}">',
  '<form action="${x}">',
  '<button formaction="${x}">',
  '<img src="${x}">',
  '<object data="${x}"></object>',
  '<svg><a xlink:href="${x}"></a></svg>',
  '<svg><use href="${x}"/></svg>',
  '<svg><set attributeName="href" to="${x}"/></svg>',
  '<img srcset="${x} 2x">',
  '<img srcset="/a ${x}x, ${x} 2x">',
  '<img srcset=${x}>',
  '<img srcset="a${x} 1x">',
  '<meta http-equiv=refresh content="0; url=${x}">',
  '<video poster="${x}"></video>',
  '<a href="data:image/png;base64,${x}">'.replace('<a href', '<img alt'),
  '<iframe srcdoc="${x}"></iframe>',
  '<iframe srcdoc=${x}></iframe>',
  '<a ping="${x}">',
  '<base href="${x}">',
]
const scripts = [
  '<script>var a = ${x};</script>',
  '<script>var a = "${x}";</script>',
  "<script>var a = 'b${x}c';</script>",
  '<script>var a = "<${x}";</script>',
  '<script>var a = /b${x}c/;</script>',
  '<script>var a = /${x}/g;</script>',
  '<script>var a = /[${x}]/;</script>',
  '<script>var a = [1, ${x}, {b: ${x}}]; if (a) { f(${x}) }</script>',
  '<script>if (a) /"/.test(${x})</script>',
  '<script>var a = (1 + 2) / 3, b = "/" + ${x}</script>',
  '<script>var a = `q\\${1}`, b = ${x};</script>',
  '<script>var a = `q\\${f(${x})}`;</script>',
  '<script>/* " */ var a = ${x} // \'\n;</script>',
  '<script>return ${x}</script>',
  '<script>a = b <${x}</script>',
  '<script>typeof ${x}</script>',
  '<script type=module>var a = "${x}";</script>',
  '<script>var a = {#for (y of [x, x])"k": ${y},#end}</script>',
  '<script>#if (x)a#else b#end; f(${x})</script>',
  '<script type="application/json">{"a": ${x}}</script>',
  '<script type="application/ld+json">{"a": "${x}"}</script>',
  '<script type="text/x-template"><b>${x}</b></script>',
  '<p onclick="f(${x})">',
  '<p onclick=\'f("${x}")\'>',
  '<p onclick="f(\'${x}\')">',
  '<p onclick=f(${x})>',
  '<p onclick=f(${x}) id=b>',
  '<p onclick=${x}>',
  '<p onclick="f(&quot;${x}&quot;)">',
  '<p onclick="f(&#39;${x}&#x27;)">',
  '<p onclick="/${x}/.test(a)">',
  '<p @click="f(${x})">',
  '<div x-data="{ a: \'${x}\' }">'.replace('{ a:', '[').replace(' }"', ']"'),
]
const styles = [
  '<p style="color: ${x}">',
  '<p style=color:${x}>',
  '<p style=\'background: "${x}"\'>',
  '<p style="content: \'${x}\'">',
  '<p style="background: url(\'${x}\')">',
  '<p style="width: ${x}px; height: ${x}%">',
  '<p style="${x}: red">',
  '<p style="content: &quot;${x}&quot;">',
  '<style>p { color: ${x} }</style>',
  '<style>p:after { content: "${x}" }</style>',
  "<style>p { background: url( '${x}' ) }</style>",
  '<style>.${x} { color: red }</style>',
  '<style>/* " */ p { margin: ${x} } /* \' */</style>',
  '<style>p { content: "<${x}" }</style>',
]
const contexts = [...texts, ...attributeValues, ...urls, ...scripts, ...styles]

let project: TestProject
let engine: ViewEngine

beforeAll(async () => {
  project = testProject(
    Object.fromEntries(
      contexts.map((context, at) => [`views/c${at}.html.ssp`, `<%@val x: any %>${context}`]),
    ),
  )
  const { errors } = generateViews(project)
  if (errors.length > 0) throw errors[0]!
  engine = createViewEngine({ ...project, mode: 'production' })
  await engine.load()
})
afterAll(() => project.remove())

function render(at: number, x: unknown): string {
  const view = engine.find(`/c${at}`, 'html')
  if (view === undefined || view instanceof Promise) throw new Error(`c${at}`)
  return view.render({ x }, { cspNonce: '' }, {}) as string
}

const structure = (at: number, x: unknown): string =>
  htmlStructure(render(at, x), !/<p( class="a")? \$\{x\}/.test(contexts[at]!))

test('no value changes what a browser or a script engine reads', () => {
  const different: string[] = []
  let renders = 0
  contexts.forEach((context, at) => {
    const harmless = structure(at, 'zzz')
    expect(context + harmless).not.toMatch(/SYNTAX|BROKEN|BAD/)
    for (const payload of payloads) {
      // Emptiness is a condition there, not a value.
      if (payload === '' && /#if \(x\)|checked=|hidden=/.test(context)) continue
      renders++
      const found = structure(at, payload)
      if (found === harmless) continue
      different.push(
        `${context} with ${JSON.stringify(payload)}\n  ${render(at, payload)}\n  ${found}\n  ${harmless}`,
      )
    }
  })
  expect(different.slice(0, 10).join('\n')).toBe('')
  expect(renders).toBeGreaterThan(20_000)
})

test('data in scripts keeps its shape whatever it holds', () => {
  const shape = (at: number, text: string): string[] =>
    [{ a: text }, [text], { [text]: 1 }].map((value) =>
      htmlStructure(render(at, value)).replaceAll(/"value":\{[^}]*\}/g, ''),
    )
  contexts.forEach((context, at) => {
    if (
      !/(= |f\()\$\{x\}|"a": \$\{x\}/.test(context) ||
      context.includes("'${x}") ||
      !/script|onclick/.test(context)
    )
      return
    for (const payload of payloads) {
      if (payload === '__proto__') continue
      const [object, array] = shape(at, payload)
      expect([context, payload, object, array]).toEqual([
        context,
        payload,
        ...shape(at, 'zzz').slice(0, 2),
      ])
    }
  })
})

test('safe HTML cannot leave an attribute, a title or a script', () => {
  const nasty = unescape('"\'><script>alert(1)</script></title></textarea></style>')
  contexts.forEach((context, at) => {
    if (texts.includes(context) && !/title|textarea|<!--|<\?|<\/3|iframe|xmp|srcdoc/.test(context))
      return
    if (/<svg><text|srcdoc/.test(context)) return
    expect(context + structure(at, nasty)).toBe(context + structure(at, 'zzz'))
  })
})
