/** Two applications on one host, whose sessions are set apart by the name and path of the cookie. */
import { expect, test } from 'vitest'
import { FwController, mix, routes } from '../../src/runtime/controller.ts'
import { FwSessionFilter } from '../../src/runtime/feature.ts'
import { MemoryStore } from '../../src/runtime/session.ts'
import { startWithSessions } from '../support/session-app.ts'

class Visits extends mix(FwController, FwSessionFilter) {
  show(): string {
    const visits = Number(this.session.get('visits') ?? 0) + 1
    this.session.set('visits', visits)
    return String(visits)
  }
}
const visits = routes(Visits, (r) => ({ show: r.get('/shop/visits', 'show') }))

async function start(session: Readonly<Record<string, string>>) {
  const { app } = await startWithSessions([visits], {
    store: () => new MemoryStore(),
    database: false,
    configuration: { session },
  })
  const { port } = await app.listen(0)
  return async (cookie = '') => {
    const answer = await fetch(`http://127.0.0.1:${port}/shop/visits`, { headers: { cookie } })
    return { body: await answer.text(), cookie: answer.headers.get('set-cookie') ?? '' }
  }
}

test('each application keeps its own session beside the cookie of the other', async () => {
  const first = await start({ cookieName: 'first' })
  const second = await start({ cookieName: 'second', cookiePath: '/shop' })
  const cookies = [(await first()).cookie, (await second()).cookie]
  expect(cookies[0]).toMatch(/^first=[^;]+; Path=\/;/i)
  expect(cookies[1]).toMatch(/^second=[^;]+; Path=\/shop;/i)
  const both = cookies.map((cookie) => cookie.split(';')[0]).join('; ')
  expect((await first(both)).body).toBe('2')
  expect((await second(both)).body).toBe('2')
  expect((await first(both)).body).toBe('3')
})

test('a stream that fails at its start keeps the cookies, because the session is stored', async () => {
  class Downloads extends mix(FwController, FwSessionFilter) {
    start() {
      this.session.set('started', 'yes')
      this.cookies.set('seen', '1')
      // oxlint-disable-next-line require-yield -- the stream fails before its first chunk
      return this.response.stream(async function* () {
        throw new Error('no file')
      })
    }
    read() {
      return String(this.session.get('started'))
    }
  }
  const downloads = routes(Downloads, (r) => ({
    start: r.get('/start', 'start'),
    read: r.get('/read', 'read'),
  }))
  const visitor = (
    await startWithSessions([downloads], { store: () => new MemoryStore(), database: false })
  ).visitor()
  const failed = await visitor.get('/start')
  expect(failed.status).toBe(500)
  expect(failed.headers.getSetCookie().join()).toMatch(/fw_session=.*seen=1|seen=1.*fw_session=/)
  expect((await visitor.get('/read')).body).toBe('yes')
})

test.each([
  { cookieName: 'a=b' },
  { cookieName: '' },
  { cookiePath: 'shop' },
  { cookiePath: '/a;b' },
])('the setting %j is refused', async (session) => {
  await expect(start(session as Record<string, string>)).rejects.toMatchObject({
    code: 'config.invalid',
  })
})
