/** `FwView.render`: views for code without a visitor, in a language of choice. */
import { expect, test } from 'vitest'
import { FwController, FwView, routes } from '../../src/index.ts'
import { serve } from '../support/serve.ts'

class OrdersController extends FwController {
  show() {
    return this.params.get('id')
  }
}
const orders = routes(OrdersController, (r) => ({ showUrl: r.get('/orders/:id', 'show') }))

const views = 'src/main/webapp/WEB-INF'
const files = {
  'src/main/resources/messages.yml': 'hello: Hello {0}\n',
  'src/main/resources/messages_de.yml': 'hello: Hallo {0}\n',
  [`${views}/views/order.html.ssp`]:
    "<%@val name: string %>\n<% set('title', 'Order') %>\n<p>${s.i18n.get('hello', name)}: ${s.i18n.formatNumber(12345.5)} ${s.flash.get('notice')}[${s.csrfToken}]</p>\n",
  [`${views}/layouts/default.ssp`]:
    '<%@val title: string %>\n<%@val user: string | null %>\n<html lang="${s.i18n.locale}"><title>${title}</title>${user} ${s.contextPath}${body}</html>\n',
}

test('a page is rendered in a language, in its layout or without one', async () => {
  const code = 'view.no-application'
  await expect(FwView.render('/order', {})).rejects.toMatchObject({ code })
  await serve([orders], { files })
  const name = '<Ann>'
  const shared = { user: 'Eve' }
  expect(await FwView.render('/order', { name }, { locale: 'de-DE', shared })).toBe(
    '<html lang="de"><title>Order</title>Eve <p>Hallo &lt;Ann&gt;: 12.345,5 []</p>\n</html>\n',
  )
  expect(await FwView.render('/order', { name }, { layout: false })).toBe(
    '<p>Hello &lt;Ann&gt;: 12,345.5 []</p>\n',
  )
  expect(await FwView.render('/order', { name }, { locale: 'fr', layout: false })).toContain(
    'Hello',
  )
})

test('missing views, layouts and values are errors', async () => {
  await serve([orders], { files })
  const expectCode = (rendering: Promise<string>, code: string) =>
    expect(rendering).rejects.toMatchObject({ code })
  await expectCode(FwView.render('/orders', {}), 'view.not-found')
  await expectCode(FwView.render('/order', { name: 'Ann' }), 'view.value-missing')
  const layout = 'none'
  await expectCode(FwView.render('/order', { name: 'Ann' }, { layout }), 'view.layout-not-found')
})
