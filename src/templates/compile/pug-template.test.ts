import { readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testProject } from '../../../test/view/project.ts'
import { checkProject } from '../check.ts'
import { generateViews } from './generate-views.ts'
import { renderView, type RenderRequest, streamView, createViewEngine } from '../../runtime/view.ts'

const helper = { cspNonce: 'n0nce' }

async function site(templates: Record<string, string>, mode: 'development' | 'production') {
  const project = testProject(templates)
  onTestFinished(() => project.remove())
  if (mode === 'production') expect(generateViews(project).errors).toEqual([])
  const engine = createViewEngine({ ...project, mode })
  await engine.load()
  const request = (view: string, values: RenderRequest['values'] = {}) => ({ view, values, helper })
  return {
    project,
    engine,
    render: async (view: string, values?: RenderRequest['values']) =>
      renderView(engine, request(view, values)),
    stream: (view: string, values?: RenderRequest['values']) =>
      streamView(engine, request(view, values)),
  }
}

const jadeLayout = 'doctype html\ntitle= title\nmain!= body\np Jade footer'
const sspLayout = "<%@val title: string = '' %>\n<title>${title}</title>${body}"

describe.each(['development', 'production'] as const)('in %s', (mode) => {
  test('a jade layout around an .ssp page, which sets a value of it', async () => {
    const { render } = await site(
      {
        'layouts/default.jade': jadeLayout,
        'views/a.html.ssp': "<% set('title', '<T>') %><b>A</b>",
      },
      mode,
    )
    expect(await render('/a')).toBe(
      '<!DOCTYPE html><title>&lt;T&gt;</title><main><b>A</b></main><p>Jade footer</p>',
    )
  })

  test('an .ssp layout around a jade page with pug’s own partials', async () => {
    const { render, engine, stream } = await site(
      {
        'layouts/default.ssp': sspLayout,
        'views/list.html.jade': 'include _item\nul\n  each one in list\n    +item(one)',
        'views/_item.jade': 'mixin item(text)\n  li(title=text)= text',
      },
      mode,
    )
    const page = '<title></title><ul><li title="&lt;&quot;">&lt;"</li></ul>'.replace(
      '&lt;"',
      '&lt;&quot;',
    )
    expect(await render('/list', { list: ['<"'] })).toBe(page)
    expect(await stream('/list', { list: ['<"'] })).toBe(page)
    expect(engine.names('html')).toEqual(['/list'])
  })

  test('a jade layout takes the parts of a large page', async () => {
    const { stream } = await site(
      {
        'layouts/default.jade': jadeLayout,
        'views/a.html.ssp': '<%@val rows: readonly string[] %>\n#for (r of rows)${r}#end',
      },
      mode,
    )
    const page = await stream('/a', { rows: Array.from({ length: 30 }, () => 'x'.repeat(1000)) })
    const parts = await Array.fromAsync(page as AsyncIterable<string>)
    expect(parts[0]).toMatch(/^<!DOCTYPE html><title><\/title><main>x/)
    expect(parts.at(-1)).toMatch(/x<\/main><p>Jade footer<\/p>$/)
  })

  test('the helper is s, and values are variables and never options', async () => {
    const { render } = await site({ 'views/a.html.jade': 'p= s.cspNonce + pretty\n| x' }, mode)
    const values = { pretty: '\n', filename: '/etc/passwd', globals: ['process'], s: 1, self: true }
    expect(await render('/a', values)).toBe('<p>n0nce\n</p>x')
    expect(await render('/a', JSON.parse('{"pretty":"!","__proto__":{"x":1}}'))).toBe(
      '<p>n0nce!</p>x',
    )
  })

  test('an error keeps its message and names the template’s line in its stack', async () => {
    const { render } = await site({ 'views/a.html.jade': 'p a\np= none.of' }, mode)
    const error = await render('/a').catch((caught: unknown) => caught as Error)
    expect((error as Error).message).toBe("Cannot read properties of undefined (reading 'of')")
    expect((error as Error).stack).toMatch(/at template \(\/.*WEB-INF\/views\/a\.html\.jade:2:1\)/)
  })

  test('of two templates of one name the .ssp one is shown', async () => {
    const { render } = await site(
      { 'views/a.html.jade': 'p jade', 'views/a.html.ssp': 'ssp' },
      mode,
    )
    expect(await render('/a')).toBe('ssp')
  })
})

test('an edited jade page, or what it includes, shows at once', async () => {
  const { render, project } = await site(
    { 'views/a.html.jade': 'include _b', 'views/_b.jade': 'p one' },
    'development',
  )
  expect(await render('/a')).toBe('<p>one</p>')
  project.template('views/_b.jade', 'p two')
  utimesSync(join(project.root, 'src/main/webapp/WEB-INF/views/_b.jade'), 1, 1)
  expect(await render('/a')).toBe('<p>two</p>')
})

test('production needs no pug, runs no code made of text and refuses what has changed since', async () => {
  const { project } = await site(
    { 'views/a.html.jade': 'include _b', 'views/_b.jade': 'p one' },
    'production',
  )
  const module = readFileSync(join(project.root, '.fw/views/a.html.jade.ts'), 'utf8')
  expect(module).not.toMatch(/from 'pug|require\('pug|new Function|eval\(/)
  expect(module).not.toContain(project.root)
  project.template('views/_b.jade', 'p two')
  const engine = createViewEngine({ ...project, mode: 'production' })
  await expect(engine.load()).rejects.toThrow(
    /WEB-INF\/views\/a\.html\.jade is not what .* was generated from: run fw build again\./,
  )
})

test('a mistake is told at its place, in a project that is otherwise checked', async () => {
  const { project } = await site({ 'layouts/default.jade': 'p a' }, 'production')
  project.template('views/a.html.jade', 'p a\np(\n  b')
  const { diagnostics } = await checkProject(project)
  expect(diagnostics.map(({ file, line, message }) => [file, line, message])).toEqual([
    [
      'src/main/webapp/WEB-INF/views/a.html.jade',
      expect.any(Number),
      expect.stringContaining('The end of the string reached with no closing bracket ) found.'),
    ],
  ])
})
