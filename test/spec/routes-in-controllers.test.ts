/** Links from a base controller to the routes of its subclasses. */
import { describe, expect, it } from 'vitest'
import { createApp, FwLifeCycle, type ServletContext } from '../../src/runtime/app.ts'
import { Configuration } from '../../src/runtime/config.ts'
import { FwController, routes } from '../../src/runtime/controller.ts'
import { TestClient } from '../../src/tools/testing/client.ts'
import { recordingLogger, serve, temporaryFolder } from '../support/serve.ts'

class Base extends FwController {
  static {
    this.before((c) => {
      if (c.routeName !== 'newInput') c.requireLogin()
    })
  }
  get routeName() {
    return this.ctx.routeName
  }
  requireLogin() {
    if (!this.session.has('user')) this.redirect(this.url(this.routes['sessions']!['newUrl']!))
  }
}
class Sessions extends Base {
  newInput() {
    return 'log in'
  }
}
class Members extends Base {
  index() {
    return 'members'
  }
}
const members = routes(Members, (r) => ({ indexUrl: r.get('/members', 'index') }))
const sessions = routes(Sessions, (r) => ({ newUrl: r.get('/login', 'newInput') }))
const controllers = { members, sessions }

class Bootstrap extends FwLifeCycle {
  override readonly controllers: object = controllers
  override initFwApp(ctx: ServletContext): void {
    members.mount(ctx)
    sessions.mount(ctx, '/account')
  }
}

describe('this.routes', () => {
  it('contains the controllers of Bootstrap', async () => {
    const app = await createApp(Bootstrap, {
      root: temporaryFolder({ 'package.json': '{ "type": "module" }' }),
      configuration: Configuration.from({}),
      logger: recordingLogger([]),
    })
    try {
      const page = await new TestClient(app.fetch).get('/members')
      expect([page.status, page.location]).toEqual([302, '/account/login'])
      expect((await new TestClient(app.fetch).get('/account/login')).body).toBe('log in')
    } finally {
      await app.close()
    }
  })

  it('without them is an error that says what to add', async () => {
    const client = await serve([members])
    expect((await client.get('/members')).status).toBe(500)
    const { err } = client.lines.at(-1)!.fields as { err: Error }
    expect(err.message).toContain('override readonly controllers: object = controllers')
  })
})
