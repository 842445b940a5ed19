/** A stop ends the event streams of many live pages, so that a deploy does not take its grace. */
import { expect, onTestFinished, test } from 'vitest'
import { createApp, FwLifeCycle, type ServletContext } from '../../src/runtime/app.ts'
import { silentLogger } from '../../src/runtime/base.ts'
import { Configuration } from '../../src/runtime/config.ts'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { useDatabase } from '../../src/runtime/db.ts'
import { openInMemory } from '../../src/runtime/db/engines.fixture.ts'
import { temporaryFolder } from '../support/serve.ts'

const pages = 500
const drainDelay = 1_000

class News extends FwController {
  live() {
    return this.view.live('news', () => 'Something happened')
  }
}
const news = routes(News, (r) => ({ live: r.get('/news', 'live') }))

class Boot extends FwLifeCycle {
  override initFwApp(ctx: ServletContext): void {
    news.mount(ctx)
  }
}

test('500 live pages end as complete responses long before the grace is over', async () => {
  const database = await openInMemory()
  useDatabase(database)
  onTestFinished(async () => {
    useDatabase(undefined)
    await database.close()
  })
  const app = await createApp(new Boot(), {
    root: temporaryFolder({ 'package.json': '{ "type": "module" }' }),
    logger: silentLogger,
    database,
    configuration: Configuration.from({
      server: { drainDelay: `${drainDelay}ms`, shutdownGrace: '1h' },
    }),
  })
  const { url } = await app.listen(0)
  const responses = await Promise.all(Array.from({ length: pages }, () => fetch(`${url}/news`)))
  const texts = responses.map((response) => response.text())
  await database.notify('news')
  const begun = performance.now()
  await app.close()
  const took = performance.now() - begun
  for (const text of await Promise.all(texts)) expect(text).toContain('Something happened')
  expect(took).toBeGreaterThanOrEqual(drainDelay)
  // On an idle machine it is the delay and less than a second; other tests run meanwhile.
  expect(took).toBeLessThan(drainDelay + 5_000)
})
