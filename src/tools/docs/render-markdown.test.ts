/** A page's Markdown as HTML: anchors, links, code blocks, tables. */
import { expect, test } from 'vitest'
import { renderMarkdown } from './render-markdown.ts'

const resolve = (target: string) => (target.startsWith('gone') ? undefined : `to-${target}`)
const render = (markdown: string) =>
  renderMarkdown(markdown, { link: resolve, picture: () => undefined })

test('a heading has the anchor that code hosts give it, and a second one a number', () => {
  const { html, headings } = render('# Title\n\n## `fw run`, a & b\n\n### Same\n\n## Same\n')
  expect(headings).toEqual([
    { depth: 2, id: 'fw-run-a--b', text: 'fw run, a & b' },
    { depth: 3, id: 'same', text: 'Same' },
    { depth: 2, id: 'same-1', text: 'Same' },
  ])
  expect(html).toContain('<h1 id="title">Title</h1>')
  expect(html).toContain('<h2 id="fw-run-a--b"><code>fw run</code>, a &amp; b <a class="anchor"')
})

test('a link has the URL of its target; without one, its words stay', () => {
  expect(render('[a *b*](x.md) and [c](gone.md)').html).toBe(
    '<p><a href="to-x.md">a <em>b</em></a> and c</p>\n',
  )
})

test('code is escaped and highlighted in its language', () => {
  const { html } = render("```ts\nconst a = '<b>' // c\n```\n")
  expect(html).toBe(
    `<figure class="code"><pre><code><span class="keyword">const</span> a = <span class="string">'&lt;b&gt;'</span> <span class="comment">// c</span></code></pre></figure>\n`,
  )
  expect(render('```unknown\na < b\n```').html).toContain('<code>a &lt; b</code>')
})

test('changes of a file are marked as such, without their markers', () => {
  const { html } = render('```diff\n// a.ts\n a\n-<b>\n+c\n```\n')
  expect(html).toContain(
    '<code><span class="comment">// a.ts\n</span>a\n<del>&lt;b&gt;\n</del><ins>c\n</ins></code>',
  )
})

test('code blocks with a title that follow one another are beside each other', () => {
  const { html } = render(
    '```ts Fw\na\n```\n\n```ruby Rails\nb\n```\n\nText\n\n```ts notes\nc\n```\n',
  )
  expect(html).toMatch(
    /^<div class="beside">\n<figure class="code" data-title="Fw"><figcaption>Fw<\/figcaption>.*\n<figure class="code" data-title="Rails">.*\n<\/div>\n<p>Text<\/p>\n<figure class="code"><pre>/,
  )
})

test('a table without texts in its header has none, and no cell of a header is empty', () => {
  expect(render('| | |\n|---|---|\n| a | b |\n').html).not.toContain('<th')
  const { html } = render('| Name | |\n|---|---|\n| a | b |\n')
  expect(html).toContain('<th>Name</th>\n<td></td>')
})

test('comments are left out, and other HTML is text', () => {
  expect(render('## A\n<!-- keywords: b -->\n\nText <i>c</i>.\n').html).toContain(
    '</h2>\n<p>Text &lt;i&gt;c&lt;/i&gt;.</p>',
  )
})
