/** View helper `fw.Fw` getters: every row of the specification's table, as a template reads it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { paramKey, required } from '../../src/runtime/validation.ts'
import { serve } from '../support/serve.ts'

/** Getter, what a template prints of it, and what that is. */
const getters: readonly (readonly [getter: string, template: string, printed: RegExp])[] = [
  ['params', "${s.params.get('name')}", /^Ann$/],
  ['multiParams', "${s.multiParams.get('tag')?.join('+')}", /^a\+b$/],
  ['flash', "${s.flash.get('notice')}", /^Saved$/],
  ['errorMessages', "${s.errorMessages.join('|')}", /^age is required$/],
  ['keyAndErrorMessages', "${s.keyAndErrorMessages.get('age')?.join('|')}", /^age is required$/],
  ['contextPath', '${s.contextPath}', /^\/shop$/],
  ['requestPath', '${s.requestPath}', /^\/shop\/x$/],
  [
    'requestPathWithQueryString',
    '${s.requestPathWithQueryString}',
    /^\/shop\/x\?name=Ann&amp;tag=a&amp;tag=b$/,
  ],
  ['csrfKey', '${s.csrfKey}', /^csrf-token$/],
  ['csrfToken', '${s.csrfToken}', /^[\w-]{40,}$/],
  ['csrfMetaTag', '${s.csrfMetaTag}', /^<meta name="csrf-token" content="[\w-]{40,}">$/],
  ['csrfMetaTags', '${s.csrfMetaTags}', /^<meta name="csrf-token" content="[\w-]{40,}">$/],
  [
    'csrfHiddenInputTag',
    '${s.csrfHiddenInputTag}',
    /^<input type="hidden" name="csrf-token" value="[\w-]{40,}">$/,
  ],
  [
    'speculationRules',
    '${s.speculationRules()}',
    /^<script type="speculationrules" nonce="[\w+/=]{24}">\{"prefetch":\[\{"where":\{"and":\[\{"href_matches":"\/shop\/\*"/,
  ],
  ['i18n', "${s.i18n.get('greeting')}", /^Hello$/],
  [
    'url',
    "${s.url(routes.pages.showUrl, { id: 7 }, { q: 'a b' })}",
    /^\/shop\/x\/7\?q=a(%20|\+)b$/,
  ],
]

class Pages extends FwController {
  x() {
    this.flash.now.set('notice', 'Saved')
    this.validation(this.params, paramKey('age').is(required)).validate()
    this.status = 200
    return this.render('/x')
  }
  show() {
    return this.haltWithBody(404)
  }
}
const pages = routes(Pages, (r) => ({
  xUrl: r.get('/x', 'x').as('x'),
  showUrl: r.get('/x/:id', 'show').as('show'),
}))
beforeAll(() => void Object.assign(globalThis, { pagesOfTheHelper: { pages } }))
afterAll(() => void Reflect.deleteProperty(globalThis, 'pagesOfTheHelper'))

const root = 'src/main/webapp/WEB-INF'

test('every getter of the specification', async () => {
  const app = await serve([pages], {
    configuration: { contextPath: '/shop' },
    files: {
      'package.json': '{ "type": "module", "imports": { "#controller/*": "./src/main/*.ts" } }',
      'src/main/controllers.ts': 'export const controllers = globalThis.pagesOfTheHelper\n',
      'src/main/resources/messages.yml': 'greeting: Hello\n',
      [`${root}/views/x.html.ssp`]: getters.map(([name, text]) => `${name}: ${text}\n`).join(''),
    },
  })
  const page = await app.get('/shop/x', { query: { name: 'Ann', tag: ['a', 'b'] } })
  const printed = new Map(
    page.body
      .trim()
      .split('\n')
      .map((line) => line.split(/: (.*)/) as [string, string]),
  )
  for (const [getter, , expected] of getters)
    expect(`${getter}: ${printed.get(getter)}`).toMatch(
      new RegExp(expected.source.replace('^', `^${getter}: `)),
    )
})

test('the view of a status has them, too, but creates no token', async () => {
  const app = await serve([pages], {
    files: {
      [`${root}/views/error/404.html.ssp`]:
        '${s.requestPath} ${s.csrfHiddenInputTag} ${s.requestId.length > 9}',
    },
  })
  const page = await app.get('/x/9')
  expect([page.status, page.body]).toEqual([404, '/x/9  true'])
  expect((await app.get('/none')).body).toBe('/none  true')
})
