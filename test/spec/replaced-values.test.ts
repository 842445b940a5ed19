/** In development, the log names each value that a template replaced because it was unsafe, with its place. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { FwController, routes } from '../../src/index.ts'
import { FwLifeCycle, startApplication, type ServletContext } from '../../src/runtime/app.ts'
import { Configuration, FwEnv } from '../../src/runtime/config.ts'
import { fetchHandler } from '../../src/runtime/server.ts'
import { generateViews } from '../../src/templates/compile.ts'
import { recordingLogger, type LogLine } from '../support/serve.ts'
import { testProject } from '../view/project.ts'

const page = `<%@val link: string %>
<ul>
#for (n of [1, 2, 3])
<li style="color: \${link}"><a href="\${link}">\${n}</a></li>
#end
</ul>
<p \${link} data-\${link}="1"><img srcset="\${'/a ' + link}"><img srcset="/a \${link}x">
<%@include '_part' %>
`

async function application(environment: string) {
  const project = testProject({
    'views/page.html.ssp': page,
    'views/_part.html.ssp': '<%@val link: string %>\n<b style="width: ${link}"></b>',
  })
  onTestFinished(() => project.remove())
  class PageController extends FwController {
    show() {
      return this.render('/page' as never, { link: this.params.get('link') } as never)
    }
  }
  const controller = routes(PageController, (r) => ({ showUrl: r.get('/page', 'show') }))
  class Bootstrap extends FwLifeCycle {
    override initFwApp(ctx: ServletContext): void {
      controller.mount(ctx)
    }
  }
  if (environment !== 'development') generateViews(project)
  const lines: LogLine[] = []
  const app = await startApplication(new Bootstrap(), {
    root: project.root,
    configuration: Configuration.from(
      { secretKeyBase: 'x'.repeat(48), server: { hosts: ['localhost'] } },
      new FwEnv(environment),
    ),
    logger: recordingLogger(lines),
    database: false,
  })
  onTestFinished(() => app.close())
  const fetch = fetchHandler(app.handle)
  const show = async (link: string): Promise<string> => {
    const url = `http://localhost/page?link=${encodeURIComponent(link)}`
    return (await fetch(new Request(url), { remoteAddress: '127.0.0.1' })).text()
  }
  const replaced = (): unknown[] =>
    lines
      .filter(({ level, fields }) => level === 'warn' && 'view' in fields)
      .map(({ message, fields }) => [fields['view'], message])
  return { show, replaced, lines }
}

const file = 'src/main/webapp/WEB-INF/views/page.html.ssp'

test('development logs each place once for a rendering, with the value and the remedy', async () => {
  const { show, replaced, lines } = await application('development')
  expect(await show('javascript:x()')).toContain('href="#unsafe"')
  expect(replaced()).toEqual([
    [`${file}:4:19`, expect.stringContaining("a style printed 'unsafe' instead of the value")],
    [`${file}:4:37`, expect.stringContaining('use safeUrl')],
    [`${file}:7:4`, expect.stringContaining("'data-unsafe'")],
    [`${file}:7:17`, expect.stringContaining("'unsafe-part'")],
    [`${file}:7:42`, expect.stringContaining('srcset')],
    [`${file}:7:75`, expect.stringContaining("'1'")],
    ['src/main/webapp/WEB-INF/views/_part.html.ssp:2:18', expect.stringContaining("'unsafe'")],
  ])
  expect(lines.find(({ fields }) => fields['view'] === `${file}:4:37`)?.fields['value']).toBe(
    'javascript:x()',
  )
  await nextTurn()
  await show('javascript:y()')
  expect(replaced()).toHaveLength(14)
})

test('a harmless value is not logged, and production logs none', async () => {
  const development = await application('development')
  await development.show('red')
  expect(development.replaced().map(String)).toEqual([
    expect.stringContaining(`${file}:7:42`),
    expect.stringContaining(`${file}:7:75`),
  ])
  const production = await application('production')
  expect(await production.show('javascript:x()')).toContain('href="#unsafe"')
  expect(production.replaced()).toEqual([])
})
