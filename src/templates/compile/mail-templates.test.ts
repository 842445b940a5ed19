/** The templates of mails: two bodies in layouts, with the values that both declare. */
import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testProject, type TestProject } from '../../../test/view/project.ts'
import { createViewEngine, renderMail } from '../../runtime/view.ts'
import { checkProject } from '../check.ts'
import { generateViews } from './generate-views.ts'

const helper = { cspNonce: '' }

function project(templates: Record<string, string>): TestProject {
  const made = testProject(templates)
  onTestFinished(() => made.remove())
  return made
}

async function renderer(made: TestProject, mode: 'development' | 'production') {
  if (mode === 'production') expect(generateViews(made).errors).toEqual([])
  const engine = createViewEngine({ ...made, mode })
  await engine.load()
  return {
    engine,
    render: (mail: string, values: Record<string, unknown> = {}) =>
      renderMail(engine, { mail, values, helper }),
  }
}

const welcome = {
  'mail/welcome.html.ssp':
    "<%@val name: string %>\n<% set('title', 'Hello') %>\n<%@include '_greeting' %><style>p { color: red }</style>",
  'mail/welcome.txt.ssp': "<%@val name: string %>\n<%@include '/_greeting' %>",
  'mail/_greeting.html.ssp': '<%@val name: string %>\n<p>${name}</p>',
  'mail/_greeting.txt.ssp': '<%@val name: string %>\nDear ${name},\n',
  'mail/layouts/default.html.ssp': "<%@val title: string = '' %>\n<title>${title}</title>${body}",
  'mail/layouts/default.txt.ssp': '${body}\n-- \nThe shop',
}

describe.each(['development', 'production'] as const)('in %s', (mode) => {
  test('both bodies have their layout and partials, and only HTML is escaped', async () => {
    const { render } = await renderer(project(welcome), mode)
    expect(await render('welcome', { name: '<b>&' })).toEqual({
      html: '<title>Hello</title><p>&lt;b&gt;&amp;</p><style>p { color: red }</style>',
      text: 'Dear <b>&,\n\n-- \nThe shop',
    })
  })

  test('a mail may have one body, no layout or another one', async () => {
    const { render } = await renderer(
      project({
        ...welcome,
        'mail/admin/short.txt.ssp': "<% set('layout', '') %>Short",
        'mail/wide.html.ssp': "<% set('layout', 'wide') %>W",
        'mail/layouts/wide.html.ssp': '[${body}]',
        'mail/lost.html.ssp': "<% set('layout', 'none') %>L",
      }),
      mode,
    )
    expect(await render('admin/short')).toEqual({ html: undefined, text: 'Short' })
    expect(await render('wide')).toEqual({ html: '[W]', text: undefined })
    await expect(render('lost')).rejects.toThrow(
      "There is no layout 'none' for mails: expected WEB-INF/mail/layouts/none.html.ssp.",
    )
  })

  test('a missing mail names its files and close names; partials, layouts and pages are no mails', async () => {
    const { render, engine } = await renderer(
      project({ ...welcome, 'views/a.html.ssp': 'A' }),
      mode,
    )
    expect(engine.mailNames()).toEqual(['welcome'])
    expect(engine.names('html')).toEqual(['/a'])
    await expect(render('welcom')).rejects.toThrow(
      "There is no mail 'welcom': expected WEB-INF/mail/welcom.html.ssp or welcom.txt.ssp. Did you mean 'welcome'?",
    )
    for (const name of ['_greeting', 'layouts/default', '../views/a', 'a', ''])
      await expect(render(name)).rejects.toMatchObject({ code: 'view.not-found' })
    await expect(render('welcome')).rejects.toMatchObject({ code: 'view.value-missing' })
  })
})

test('in development, an edited body is compiled again', async () => {
  const made = project(welcome)
  const { render } = await renderer(made, 'development')
  await render('welcome', { name: 'A' })
  made.template('mail/_greeting.txt.ssp', '<%@val name: string %>\nHi ${name}!')
  utimesSync(join(made.root, 'src/main/webapp/WEB-INF/mail/_greeting.txt.ssp'), 1, 1)
  expect((await render('welcome', { name: 'A' })).text).toContain('Hi A!')
})

test('an unsafe place, a page as a partial and JSON are errors of the template', () => {
  const { errors } = generateViews(
    project({
      'mail/unsafe.html.ssp': '<%@val x: string %>\n<${x}>',
      'mail/page.html.ssp': "<%@include '../views/a' %>",
      'views/a.html.ssp': "<%@include '../mail/page' %>",
    }),
  )
  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringContaining("the partial '../mail/page' lies outside WEB-INF/views"),
    expect.stringContaining("the partial '../views/a' lies outside WEB-INF/mail"),
    expect.stringContaining('mail/unsafe.html.ssp:2'),
  ])
})

test('the compiler checks values, layouts and the helper; the policy of pages warns of nothing', async () => {
  const made = project({
    ...welcome,
    'mail/welcome.html.ssp':
      '<%@val name: string %>\n<%@val url: string %>\n<p style="width: ${name.length}px" onclick="x()">${s.i18n.locale}',
    'mail/wrong.html.ssp': "<% set('titel', 'x') %>${s.csrfToken}",
  })
  made.write(
    'src/main/mails.ts',
    `import type { Mails } from 'fwjs/view'
export const right: Mails['welcome'] = { name: 'Ann', url: '/' }
// @ts-expect-error the HTML body needs the url, too
export const wrong: Mails['welcome'] = { name: 'Ann' }
`,
  )
  const { diagnostics } = await checkProject(made)
  expect(diagnostics.map(({ file, message }) => `${file}: ${message}`)).toEqual([
    expect.stringMatching(/mail\/wrong\.html\.ssp: .*'titel'/s),
    expect.stringMatching(/mail\/wrong\.html\.ssp: .*'csrfToken' does not exist/s),
  ])
})
