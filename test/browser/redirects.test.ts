/** Chromium repeats PUT, PATCH and DELETE after a 302: the default of `redirect` does not repeat a write at its target. */
import { expect, onTestFinished, test } from 'vitest'
import { createApp, FwLifeCycle, type ServletContext } from '../../src/runtime/app.ts'
import { silentLogger } from '../../src/runtime/base.ts'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { startChromium } from '../../src/tools/testing/chromium.ts'
import { temporaryFolder } from '../support/serve.ts'

/** The writes of the server, in order. */
const writes: string[] = []

class Notes extends FwController {
  write() {
    writes.push(this.request.method)
    return this.redirect('/note')
  }
  moved() {
    writes.push(this.request.method)
    return this.redirect302('/note')
  }
  show() {
    return 'shown'
  }
}
const notes = routes(Notes, (r) => ({
  show: r.get('/note', 'show'),
  post: r.post('/note', 'write'),
  put: r.put('/note', 'write'),
  patch: r.patch('/note', 'write'),
  delete: r.delete('/note', 'write'),
  moved: r.put('/moved', 'moved'),
}))

class Boot extends FwLifeCycle {
  override initFwApp(ctx: ServletContext): void {
    notes.mount(ctx)
  }
}

test('a script that writes by fetch writes once, and gets the page of the redirect', async () => {
  const app = await createApp(Boot, {
    root: temporaryFolder({ 'package.json': '{ "type": "module" }' }),
    logger: silentLogger,
    database: false,
  })
  onTestFinished(() => app.close())
  const { url } = await app.listen(0)
  const browser = await startChromium()
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  await page.goto(`${url}/note`)
  const send = (method: string, path: string) =>
    page.evaluate<[number, string]>(
      `fetch('${path}', { method: '${method}' }).then(async (response) => [response.status, await response.text()])`,
    )
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    writes.length = 0
    expect(await send(method, '/note')).toEqual([200, 'shown'])
    expect(writes).toEqual([method])
  }
  writes.length = 0
  expect(await send('PUT', '/moved')).toEqual([200, 'shown'])
  expect(writes).toEqual(['PUT', 'PUT'])
})
