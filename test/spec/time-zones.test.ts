/** The time zone of a request: that of the form that a page has shown, in a body or in a query. */
import { expect, test } from 'vitest'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { serve } from '../support/serve.ts'

class Zones extends FwController {
  zone() {
    return this.ctx.timeZone
  }
}
const zones = routes(Zones, (r) => ({
  get: r.get('/zone', 'zone').as('get'),
  post: r.post('/zone', 'zone').as('post'),
}))

test.each([
  ['_timeZone=Asia%2FTokyo', 'Asia/Tokyo'],
  ['_timeZone=Europe%2FAtlantis', 'Europe/Berlin'],
  ['q=1', 'Europe/Berlin'],
])('forms of both methods name it: %s → %s', async (fields, zone) => {
  const { app } = await serve([zones], { configuration: { i18n: { timeZone: 'Europe/Berlin' } } })
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const post = new Request('http://localhost/zone', { method: 'POST', headers: form, body: fields })
  for (const request of [post, new Request(`http://localhost/zone?${fields}`)])
    expect(await (await app.fetch(request)).text()).toBe(zone)
})
