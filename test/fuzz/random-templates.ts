/**
 * Generates random templates from a grammar, mutates them, and renders them with hostile values. The same seed
 * generates the same templates and values.
 */
import { TemplateError } from '../../src/templates/read.ts'
import { evaluate, type Render } from '../view/evaluate.ts'
import { htmlStructure } from '../view/html-structure.ts'
import { payloads } from '../view/payloads.ts'

/** Returns a random number generator (mulberry32) for numbers from 0 to below 1. */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const words = [
  'a',
  'one two',
  'km/h',
  'é',
  'a < b',
  '&amp;',
  '&lt',
  '1 & 2',
  '"',
  "'",
  '\n',
  '${q}',
  '${q}',
  '${q}',
]
const tags = (
  'p div b a i ul li table tr td th tbody select option button form label svg math g text title style desc ' +
  'foreignObject mi mtext annotation-xml template noscript pre h1 section nobr font'
).split(' ')
const rawTags = ['title', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes']
const attributes = [
  'class="${q}"',
  "title='a ${q} b'",
  'value=${q}',
  'value=a${q}b',
  'data-${q}="1"',
  '${q}',
  'href="${q}"',
  'href="/${q}"',
  'href="/${q}/${q}"',
  'href="${q}/${q}"',
  'href=/a/${q}',
  'src="/a?b=${q}&c=${q}"',
  'action="#if (c)/#end${q}"',
  'srcset="/a ${q}x, ${q} 2x"',
  'srcset="${q}"',
  'xlink:href="${q}"',
  'style="color: ${q}; background: url(\'${q}\')"',
  'style=width:${q}px',
  `style="\${c ? 'color: rgb(1, 2, 3)' : ''}\${c && 'margin: 0'}; width: \${q}"`,
  'onclick="f(${q})"',
  'onclick="f(\'${q}\', /${q}/)"',
  "onclick='f(&quot;${q}&quot;)'",
  'onclick=f(${q})',
  '@click="f(\'${q}\')"',
  'x-data="{ a: \'${q}\' }"',
  'hx-vals=\'{"a": "${q}"}\'',
  'srcdoc="${q}"',
  'id="x"',
  'checked',
  'disabled="${q}"',
  'hidden=${q}',
  '#if (c)class="b"#end',
  '#if (c) title="${q}"#else title="z"#end',
  '#for (x of xs)data-${q}="2" #end',
]
const statements = [
  'var a = ${q};',
  'f("${q}");',
  "f('x${q}y');",
  'f(/re${q}/g);',
  'if (a) /"/.test(b);',
  'if/* " */(a) /"/.test(b);',
  'x = 1 /2; y = "/";',
  'r = 1./3, u = "km/h", v = ${q};',
  '// it\'s "\n',
  '/* ` " */',
  'g(`t\\${1}"`);',
  'g(`t\\${f(${q})}`);',
  'h({ "k": ${q}, l: [${q}, 1] });',
  'a = b\n++c;',
  'of = 4; a = of /2; b = "/";',
  'for (;;) { break\n/"/.test(b) }',
  'debugger\n/"/.test(b);',
  'function w() {} /"/.test(a);',
  'k = () => {}\n/"/.test("${q}");',
  'k = {} / 2; m = "/${q}";',
  's = "one \\\r\n two ${q}";',
  'a ? /"/ : "${q}";',
  'typeof /"/; new /"/.constructor;',
  'return ${q}',
  '#if (c)x();#else y(${q});#end',
  '#for (x of xs)z(${q});#end',
  'l = [#for (x of xs)"${q}",#end];',
]
const rules = [
  'a { color: ${q} }',
  'b { content: "${q}" }',
  "i { background: url('${q}') }",
  'i { background: image-set("${q}" 1x) }',
  'p { width: calc(10px/2*3 + ${q}px) }',
  '/* " */ u { margin: ${q} }',
  '.${q} { color: red }',
  '@media print { a { color: ${q} } }',
  "s { content: 'it\\'s ${q}' }",
  '#if (c)a { b: c }#end',
  "b { ${c ? 'color: red' : ''} }",
]
const comments = ['<!-- ${q} -->', '<!--a-->', '<!--${q}-->', '<? ${q} ?>', '<!-- - -${q} -->']
const mutations = (
  '< > / " \' ` = & ; ( ) { } [ ] \\ \n \r $ <!-- --> --!> </script> <script> <svg> </svg> <math> <select> ' +
  '</select> <table> </title> <style> </style> ]]> <![CDATA[ /* */ // ${q} "${q}" #end #else &quot; &#39; ' +
  '&lt; url( @import <template> <p title=" on type="'
).split(' ')

export class TemplateGenerator {
  readonly #random: () => number

  constructor(next: () => number) {
    this.#random = next
  }

  template(): string {
    let html = this.#content(3)
    const count = this.#random() < 0.5 ? 0 : 1 + this.#below(3)
    for (let at = 0; at < count; at++) html = this.#mutate(html)
    return html
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit)
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)]!
  }

  #some(make: () => string, most: number): string {
    return Array.from({ length: this.#below(most + 1) }, make).join(' ')
  }

  #content(depth: number): string {
    return Array.from({ length: 1 + this.#below(3) }, () => this.#node(depth)).join('')
  }

  #node(depth: number): string {
    const kind = this.#random()
    if (kind < 0.2 || depth === 0) return this.#pick(words)
    if (kind < 0.55) {
      const tag = this.#pick(tags)
      const close = this.#random() < 0.9 ? `</${tag}>` : ''
      return `<${tag} ${this.#some(() => this.#pick(attributes), 3)}>${this.#content(depth - 1)}${close}`
    }
    if (kind < 0.7) {
      const type = this.#pick(['', '', '', ' type="module"', ' type=text/plain', ' src="/${q}.js"'])
      return `<script${type}>${this.#some(() => this.#pick(statements), 4)}</script>`
    }
    if (kind < 0.74) return `<script type="application/json">{"a": \${q}, "b": "x\${q}"}</script>`
    if (kind < 0.8) return `<style>${this.#some(() => this.#pick(rules), 3)}</style>`
    if (kind < 0.84) {
      const tag = this.#pick(rawTags)
      return `<${tag}>${this.#pick(words)}</${tag}>`
    }
    if (kind < 0.87) return this.#pick(comments)
    if (kind < 0.94)
      return `#if (c)${this.#content(depth - 1)}${this.#random() < 0.5 ? `#else ${this.#content(depth - 1)}` : ''}#end`
    return `#for (x of xs)${this.#content(depth - 1)}#end`
  }

  #mutate(html: string): string {
    const at = this.#below(html.length + 1)
    const length = 1 + this.#below(4)
    switch (this.#below(3)) {
      case 0:
        return html.slice(0, at) + html.slice(at + length)
      case 1:
        return html.slice(0, at) + this.#pick(mutations) + html.slice(at)
      default: {
        const from = this.#below(html.length + 1)
        return html.slice(0, at) + html.slice(from, from + length * 5) + html.slice(at)
      }
    }
  }

  /** Returns a hostile value: one of the known payloads, or pieces of several. */
  value(): string {
    if (this.#random() < 0.6) return this.#pick(payloads)
    const pieces = Array.from({ length: 2 + this.#below(3) }, () => this.#pick(payloads))
    return pieces.map((piece) => piece.slice(0, 30)).join('')
  }
}

export interface FuzzResult {
  readonly compiled: number
  readonly refused: number
  readonly renders: number
  readonly differences: readonly string[]
}

const declared = '<%@val q: any %><%@val c: boolean %><%@val xs: readonly number[] %>\n'

/**
 * Compiles random templates, and renders each with random values of `q`. Returns the number of templates and
 * renderings, and the values that change the structure of a page.
 */
export function fuzzTemplates(
  seed: number,
  templates: number,
  rendersEach: number,
  onPage?: (template: string, render: Render) => void,
): FuzzResult {
  const next = random(seed)
  const generator = new TemplateGenerator(next)
  const differences: string[] = []
  let [compiled, refused, renders] = [0, 0, 0]
  while (compiled < templates && differences.length < 20) {
    const template = generator.template()
    if (!template.includes('${q}')) continue
    const render = evaluateOrRefuse(declared + template)
    if (render === undefined) {
      refused++
      continue
    }
    if (!runs(render)) continue
    compiled++
    onPage?.(template, render)
    for (const [c, xs] of [
      [true, [1]],
      [false, []],
      [true, [1, 2, 3]],
    ] as const) {
      const structure = (q: string): string =>
        htmlStructure('<!doctype html><body>' + render({ q, c, xs }), !render.namesAttributes)
      const [harmless, blank] = [structure('zz'), structure(' ')]
      for (let at = 0; at < Math.ceil(rendersEach / 3); at++) {
        const q = generator.value()
        // Browsers drop the character NUL from text, so such a value is an empty one.
        if (/^\0*$/.test(q)) continue
        renders++
        // Text between the rows of a table moves out of the table, blanks do not. So compare blanks with another blank
        // value.
        if (structure(q) === (/^[\t\n\f\r \0]*$/.test(q) ? blank : harmless)) continue
        differences.push(`${JSON.stringify(template)} with ${JSON.stringify({ q, c, xs })}`)
        break
      }
    }
  }
  return { compiled, refused, renders, differences }
}

/** False if the template throws, because a mutation has named a variable that does not exist. */
function runs(render: Render): boolean {
  try {
    return [true, false].every((c) => render({ q: 'zz', c, xs: [1, 2, 3] }) !== '')
  } catch {
    return false
  }
}

function evaluateOrRefuse(template: string): Render | undefined {
  try {
    return evaluate(template)
  } catch (error) {
    // The mutated template is invalid: the compiler refuses it, or its expression is not TypeScript.
    if (error instanceof TemplateError || error instanceof SyntaxError) return undefined
    throw new Error(`the compiler failed on ${JSON.stringify(template)}`, { cause: error })
  }
}
