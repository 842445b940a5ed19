/** Milliseconds for a project of 500 templates: the first page in development, generation and check of all. */
import { testProject } from '../../test/view/project.ts'
import { createViewEngine, renderView } from '../../src/runtime/view.ts'
import { checkProject } from '../../src/templates/check.ts'
import { generateViews } from '../../src/templates/compile.ts'

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

const checks = 5

async function milliseconds(action: () => unknown): Promise<number> {
  const begun = performance.now()
  await action()
  return Number((performance.now() - begun).toFixed(1))
}

/** Elapsed times; for the check, whose compiler is a separate process, the minimum of several runs. */
export async function measureProject(): Promise<Readonly<Record<string, number>>> {
  const project = testProject(templates)
  try {
    const engine = createViewEngine({ ...project, mode: 'development' })
    await engine.load()
    const helper = { cspNonce: '', i18n: { get: () => '' } } as { cspNonce: string }
    const show = () => renderView(engine, { view: '/pages/p0', values: { members: [] }, helper })
    const firstPage = await milliseconds(show)
    const again = await milliseconds(show)
    project.template('views/pages/_form0.html.ssp', '<%@val id: number %>\n<p>${id}</p>\n')
    const afterEdit = await milliseconds(show)
    const generate = await milliseconds(() => generateViews(project))
    const all: number[] = []
    for (let at = 0; at < checks; at++) all.push(await milliseconds(() => checked(project)))
    return { firstPage, again, afterEdit, generate500: generate, check500: Math.min(...all) }
  } finally {
    project.remove()
  }
}

async function checked(project: ReturnType<typeof testProject>): Promise<void> {
  const { diagnostics } = await checkProject(project)
  if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics[0]))
}
