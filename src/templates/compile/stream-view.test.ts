import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testProject } from '../../../test/view/project.ts'
import { generateViews } from './generate-views.ts'
import {
  renderView,
  type RenderRequest,
  streamView,
  type StreamedPage,
  createViewEngine,
} from '../../runtime/view.ts'

const helper = { cspNonce: 'n' }
const row = 'x'.repeat(1000)

async function engineOf(templates: Record<string, string>, mode: 'development' | 'production') {
  const project = testProject(templates)
  onTestFinished(() => project.remove())
  if (mode === 'production') expect(generateViews(project).errors).toEqual([])
  const engine = createViewEngine({ ...project, mode })
  await engine.load()
  const request = (view: string, values: RenderRequest['values'] = {}): RenderRequest => ({
    view,
    values,
    helper,
  })
  return {
    project,
    stream: (view: string, values?: RenderRequest['values']) =>
      streamView(engine, request(view, values)),
    whole: async (view: string, values?: RenderRequest['values']) =>
      renderView(engine, request(view, values)),
  }
}

async function partsOf(page: StreamedPage): Promise<string[]> {
  return typeof page === 'string' ? [page] : Array.fromAsync(page)
}

const layout = "<%@val title: string = '' %>\n<title>${title}</title><main>${body}</main><footer>"
const list = `<%@val rows: Iterable<string> %>
<% set('title', 'Rows') %>
#for ((r, i) of rows)
<%@include '_row' { r, i } %>
#end
<p>end</p>
`
const partial = '<%@val r: string %>\n<%@val i: number %>\n<li>${i} ${r}</li>\n'
const templates = {
  'layouts/default.ssp': layout,
  'views/list.html.ssp': list,
  'views/_row.html.ssp': partial,
}

describe.each(['development', 'production'] as const)('in %s', (mode) => {
  test('the parts are the page, head first and tail last', async () => {
    const { stream, whole } = await engineOf(templates, mode)
    const values = { rows: Array.from({ length: 100 }, () => row) }
    const parts = await partsOf(await stream('/list', values))
    expect(parts.length).toBe(6)
    expect(parts[0]).toMatch(/^<title>Rows<\/title><main><li>0 x/)
    expect(parts.at(-1)).toMatch(/<p>end<\/p>\n<\/main><footer>$/)
    expect(parts.join('')).toBe(await whole('/list', values))
  })

  test('a page of one part is a text', async () => {
    const { stream, whole } = await engineOf(templates, mode)
    expect(await stream('/list', { rows: ['a'] })).toBe(await whole('/list', { rows: ['a'] }))
  })

  test('the template goes on only when a part is taken, and ends when nobody takes more', async () => {
    let made = 0
    let ended = false
    function* rows() {
      try {
        for (;;) {
          made++
          yield row
        }
      } finally {
        ended = true
      }
    }
    const { stream } = await engineOf(templates, mode)
    const page = (await stream('/list', { rows: rows() })) as AsyncGenerator<string, void>
    await page.next()
    const first = made
    expect(first).toBeLessThan(30)
    await page.next()
    expect(made).toBeLessThan(2 * first + 1)
    await page.return()
    expect(ended).toBe(true)
  })

  test('what fails in a later part names the line of the template', async () => {
    function* rows() {
      for (let i = 0; i < 30; i++) yield row
      throw new Error('broken')
    }
    const { stream } = await engineOf(templates, mode)
    const page = await stream('/list', { rows: rows() })
    const error = await partsOf(page).catch((caught: unknown) => caught as Error)
    expect((error as Error).stack).toMatch(/WEB-INF\/views\/list\.html\.ssp:3:/)
  })

  test('what fails in the first part fails at once', async () => {
    const { stream } = await engineOf(templates, mode)
    await expect(stream('/list')).rejects.toThrow("needs the value 'rows'")
    await expect(stream('/none')).rejects.toThrow("There is no view '/none'")
  })

  test('rows that are awaited, in loops of statements', async () => {
    const { stream, whole } = await engineOf(
      {
        'views/a.html.ssp':
          "<%@val rows: () => AsyncIterable<string> %>\n<% for await (const r of rows()) { %><b>${r}</b><% } %>\n<% ['c'].forEach((r) => { %><i>${r}</i><% }) %>",
      },
      mode,
    )
    async function* rows() {
      for (let i = 0; i < 40; i++) yield row
    }
    const parts = await partsOf(await stream('/a', { rows }))
    expect(parts.length).toBeGreaterThan(1)
    expect(parts.join('')).toBe(await whole('/a', { rows }))
  })

  test('a loop whose text goes elsewhere is not cut', async () => {
    const { stream, whole } = await engineOf(
      {
        'layouts/default.ssp': '<%@val head: SafeHtml | undefined %>\n${head}|${body}',
        'views/a.html.ssp':
          '<%@val rows: readonly string[] %>\n#set (head)\n#for (r of rows)${r}#end\n#end\n#for (r of rows)${r}#end',
      },
      mode,
    )
    const values = { rows: Array.from({ length: 40 }, () => row) }
    expect((await partsOf(await stream('/a', values))).join('')).toBe(await whole('/a', values))
  })

  test('a value for the layout that comes too late is an error', async () => {
    const { stream } = await engineOf(
      {
        'layouts/default.ssp': layout,
        'views/a.html.ssp':
          "<%@val rows: readonly string[] %>\n#for (r of rows)${r}#end\n<% set('title', 'Late') %>",
      },
      mode,
    )
    const page = await stream('/a', { rows: Array.from({ length: 40 }, () => row) })
    await expect(partsOf(page)).rejects.toThrow(
      "WEB-INF/views/a.html.ssp sets 'title' for its layout after the first part of the page has left",
    )
  })

  test('a layout that prints its body twice, or not at all', async () => {
    const { stream } = await engineOf(
      {
        'layouts/default.ssp': '${body}${body}',
        'layouts/none.ssp': 'none${body.toString().slice(0, 0)}',
        'views/a.html.ssp': '#for (i of [1])${i}#end',
        'views/b.html.ssp': "<% set('layout', 'none') %>b",
      },
      mode,
    )
    await expect(stream('/a')).rejects.toThrow('prints its body more than once')
    expect(await stream('/b')).toBe('none')
  })
})

test('an edited template is streamed as it is now', async () => {
  const { project, stream } = await engineOf(templates, 'development')
  await stream('/list', { rows: ['a'] })
  project.template('views/_row.html.ssp', '<%@val r: string %>\n[${r}]')
  utimesSync(join(project.root, 'src/main/webapp/WEB-INF/views/_row.html.ssp'), 1, 1)
  expect(await stream('/list', { rows: ['a'] })).toContain('[a]')
})
