/** Generating and checking 500 templates, and the first page in development: `node --conditions=fwjs-source bench/view/check.ts`. */
import { testProject } from '../../test/view/project.ts'
import { checkProject, createViewEngine, generateViews, renderView } from '../../src/view.ts'

const page = (at: number): string => `<%@import type { Member } from '#model/member' %>
<%@val members: readonly Member[] %>
<%@val title: string = 'Members ${at}' %>
<h1>\${title}</h1>
#if (members.length > 0)
<ul>#for (m of members)<li><a href="\${s.url(routes.members.showUrl, { id: m.id })}">\${m.name}</a></li>#end</ul>
#else
<p>\${s.i18n.get('empty')}</p>
#end
<%@include '_form${at % 50}' { id: ${at} } %>
`
const templates: Record<string, string> = {}
for (let at = 0; at < 450; at++) templates[`views/pages/p${at}.html.ssp`] = page(at)
for (let at = 0; at < 50; at++)
  templates[`views/pages/_form${at}.html.ssp`] =
    '<%@val id: number %>\n<form action="/x/${id}">${s.csrfHiddenInputTag}<input name="a" value="${id}"></form>\n'

const project = testProject(templates)
try {
  const timed = async (name: string, action: () => unknown): Promise<void> => {
    const begun = performance.now()
    await action()
    console.log(`${name}: ${(performance.now() - begun).toFixed(1)} ms`)
  }
  const engine = createViewEngine({ ...project, mode: 'development' })
  const show = () =>
    renderView(engine, {
      view: '/pages/p0',
      values: { members: [] },
      helper: { cspNonce: '', i18n: { get: () => '' } } as { cspNonce: string },
    })
  await timed('first page in development', show)
  await timed('the same again', show)
  project.template('views/pages/_form0.html.ssp', '<%@val id: number %>\n<p>${id}</p>\n')
  await timed('after editing its partial', show)
  await timed('generate 500 templates', () => generateViews(project))
  await timed('generate again, nothing changed', () => generateViews(project))
  await timed('check 500 templates', async () => {
    const { diagnostics } = await checkProject(project)
    if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics[0]))
  })
} finally {
  project.remove()
}
