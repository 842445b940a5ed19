import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { testProject, type TestProject } from '../../../test/view/project.ts'
import { generateViews } from './generate-views.ts'
import { renderView, type RenderRequest, createViewEngine } from '../../runtime/view.ts'

const helper = { cspNonce: 'n0nce' }
const projects: TestProject[] = []
let time = 1_000_000

function project(templates: Record<string, string>): TestProject {
  const made = testProject(templates)
  projects.push(made)
  return made
}

/** Writes a template with a distinct modification time, so that no test waits for the clock. */
function edit(made: TestProject, file: string, text: string): void {
  made.template(file, text)
  time++
  utimesSync(join(made.root, 'src/main/webapp/WEB-INF', file), time, time)
}

afterEach(() => {
  for (const one of projects.splice(0)) one.remove()
})

const modes = ['development', 'production'] as const

async function engineOf(made: TestProject, mode: (typeof modes)[number] = 'development') {
  if (mode === 'production') expect(generateViews(made).errors).toEqual([])
  const engine = createViewEngine({ ...made, mode })
  await engine.load()
  return (view: string, values: Record<string, unknown> = {}, more: Partial<RenderRequest> = {}) =>
    renderView(engine, { view, values, helper, ...more })
}

describe.each(modes)('in %s', (mode) => {
  test('a page with a partial and a layout', async () => {
    const render = await engineOf(
      project({
        'layouts/default.ssp': "<%@val title: string = 'App' %>\n<title>${title}</title>${body}",
        'views/members/index.html.ssp':
          "<%@val members: readonly string[] %>\n<% set('title', 'Members') %>\n#for (m of members)\n<%@include '_row' { m } %>\n#end\n",
        'views/members/_row.html.ssp': '<%@val m: string %>\n<li>${m}</li>',
      }),
      mode,
    )
    expect(await render('/members/index', { members: ['a', '<b>'] })).toBe(
      '<title>Members</title><li>a</li>\n<li>&lt;b&gt;</li>\n',
    )
  })

  test('no layout when there is no default, when the call or the page says so', async () => {
    const made = project({ 'views/a.html.ssp': 'A' })
    expect(await (await engineOf(made, mode))('/a')).toBe('A')
    made.template('layouts/default.ssp', '[${body}]')
    made.template('layouts/other.ssp', '{${body}}')
    made.template('views/b.html.ssp', "<% set('layout', '') %>B")
    made.template('views/c.html.ssp', "<% set('layout', 'other') %>C")
    const render = await engineOf(made, mode)
    expect(await render('/a')).toBe('[A]')
    expect(await render('a')).toBe('[A]')
    expect(await render('/a', {}, { layout: 'other' })).toBe('{A}')
    expect(await render('/a', {}, { layout: false })).toBe('A')
    expect(await render('/b')).toBe('B')
    expect(await render('/c')).toBe('{C}')
  })

  test('#set hands a block to the layout', async () => {
    const render = await engineOf(
      project({
        'layouts/default.ssp': '<%@val head: SafeHtml | undefined %>\n<head>${head}</head>${body}',
        'views/a.html.ssp':
          '<%@val x: string %>\n#set (head)\n<meta name="x" content="${x}">\n#end\n<p>${x}</p>',
        'views/b.html.ssp': 'B',
      }),
      mode,
    )
    expect(await render('/a', { x: '"' })).toBe(
      '<head><meta name="x" content="&#34;">\n</head><p>&#34;</p>',
    )
    expect(await render('/b')).toBe('<head></head>B')
  })

  test('only HTML has a layout, and each format has its own file', async () => {
    const render = await engineOf(
      project({
        'layouts/default.ssp': '[${body}]',
        'views/a.html.ssp': '<%@val x: string %>${x}',
        'views/a.json.ssp': '<%@val x: string %>{"x": ${x}, "y": "${x}"}',
        'views/a.xml.ssp': '<%@val x: string %><x y="${x}">${x}</x>',
        'views/a.txt.ssp': '<%@val x: string %>${x}',
      }),
      mode,
    )
    const values = { x: '<"&' }
    expect(await render('/a', values)).toBe('[&lt;&#34;&amp;]')
    const json = await render('/a', values, { format: 'json' })
    expect(JSON.parse(json)).toEqual({ x: '<"&', y: '<"&' })
    expect(await render('/a.json', values, { format: 'json' })).toBe(json)
    expect(await render('/a', values, { format: 'xml' })).toBe(
      '<x y="&lt;&#34;&amp;">&lt;&#34;&amp;</x>',
    )
    expect(await render('/a', values, { format: 'txt' })).toBe('<"&')
  })

  test('a template that awaits, and those around it', async () => {
    const render = await engineOf(
      project({
        'layouts/default.ssp': '[${body}]',
        'views/a.html.ssp': "<%@val x: Promise<string> %>\n<%@include '_b' %>",
        'views/_b.html.ssp': '<%@val x: Promise<string> %>\n${await x}',
      }),
      mode,
    )
    expect(await render('/a', { x: Promise.resolve('<') })).toBe('[&lt;]')
  })

  test('partials and hidden files are no views', async () => {
    const render = await engineOf(
      project({ 'views/_a.html.ssp': 'A', 'views/x/_y/b.html.ssp': 'B', 'views/ok.html.ssp': '' }),
      mode,
    )
    for (const view of ['/_a', '/x/_y/b', '/../views/ok', '/ok/', '', '/no']) {
      const rendered = Promise.resolve().then(() => render(view))
      if (view === '/ok/') await expect(rendered).resolves.toBe('')
      else
        await expect(rendered).rejects.toThrow(expect.objectContaining({ code: 'view.not-found' }))
    }
  })

  test('a missing view names the expected file and near names', async () => {
    const render = await engineOf(project({ 'views/members/index.html.ssp': '' }), mode)
    await expect(Promise.resolve().then(() => render('/member/index'))).rejects.toThrow(
      "There is no view '/member/index': expected src/main/webapp/WEB-INF/views/member/index.html.ssp. Did you mean '/members/index'?",
    )
  })

  test('a missing layout is an error when it was asked for', async () => {
    const render = await engineOf(project({ 'views/a.html.ssp': '' }), mode)
    await expect((async () => render('/a', {}, { layout: 'wide' }))()).rejects.toThrow(
      "There is no layout 'wide': expected WEB-INF/layouts/wide.ssp (or .jade).",
    )
  })

  test('a missing value and a value of the wrong kind', async () => {
    const render = await engineOf(
      project({
        'views/a.html.ssp':
          '<%@val n: number %>\n<%@val list: readonly string[] = [] %>\n${n}${list.length}',
      }),
      mode,
    )
    await expect((async () => render('/a'))()).rejects.toThrow(
      "WEB-INF/views/a.html.ssp needs the value 'n' of type number. Call set('n', …) before render, pass { n } to it, or give a default: <%@val n: number = … %>.",
    )
    await expect((async () => render('/a', { n: '1' }))()).rejects.toThrow(
      "WEB-INF/views/a.html.ssp declares the value 'n' as number, but it is a string.",
    )
    await expect((async () => render('/a', { n: 1, list: 'x' }))()).rejects.toThrow(
      "declares the value 'list' as readonly string[], but it is a string.",
    )
    expect(await render('/a', { n: 1 })).toBe('10')
  })

  test('a nonce on inline scripts and styles', async () => {
    const render = await engineOf(
      project({
        'views/a.html.ssp':
          '<script>1</script><script src="/a.js"></script><style>p{}</style><script type="application/json">1</script>',
      }),
      mode,
    )
    expect(await render('/a')).toBe(
      '<script nonce="n0nce">1</script><script src="/a.js"></script><style nonce="n0nce">p{}</style><script type="application/json">1</script>',
    )
  })
})

describe('in development', () => {
  test('an edited page, partial or layout shows at once, and loaded ones answer without a promise', async () => {
    const made = project({
      'views/a.html.ssp': "A<%@include '_b' %>",
      'views/_b.html.ssp': 'B',
      'layouts/default.ssp': '${body}!',
    })
    const render = await engineOf(made)
    expect(await render('/a')).toBe('AB!')
    expect(render('/a')).toBe('AB!')
    edit(made, 'views/_b.html.ssp', 'b')
    expect(await render('/a')).toBe('Ab!')
    edit(made, 'views/a.html.ssp', "a<%@include '_b' %>")
    expect(await render('/a')).toBe('ab!')
    edit(made, 'layouts/default.ssp', '${body}?')
    expect(await render('/a')).toBe('ab?')
    edit(made, 'views/new.html.ssp', 'N')
    expect(await render('/new')).toBe('N?')
  })

  test('a mistake is told at its place and goes when it is mended', async () => {
    const made = project({ 'views/a.html.ssp': '<p>\n${x' })
    const render = await engineOf(made)
    await expect((async () => render('/a'))()).rejects.toThrow(
      "WEB-INF/views/a.html.ssp:2:1 unclosed '${'",
    )
    edit(made, 'views/a.html.ssp', 'ok')
    expect(await render('/a')).toBe('ok')
  })

  test('a partial that includes itself', async () => {
    const render = await engineOf(
      project({
        'views/a.html.ssp': "<%@include '_tree' { depth: 2 } %>",
        'views/_tree.html.ssp':
          "<%@val depth: number %>(#if (depth > 0)<%@include '_tree' { depth: depth - 1 } %>#end)",
      }),
    )
    expect(await render('/a')).toBe('((()))')
  })
})

describe('in production', () => {
  test('a template without a generated module stops the start', async () => {
    const engine = createViewEngine({ ...project({ 'views/a.html.ssp': '' }), mode: 'production' })
    expect(() => engine.find('/a', 'html')).toThrow('await load()')
    await expect(engine.load()).rejects.toThrow('WEB-INF/views/a.html.ssp has no generated module')
  })

  test('every find is synchronous', async () => {
    const render = await engineOf(
      project({ 'views/a.html.ssp': 'A', 'layouts/default.ssp': '${body}!' }),
      'production',
    )
    expect(render('/a')).toBe('A!')
  })
})
