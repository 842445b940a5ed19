import { describe, expect, test } from 'vitest'
import { Session } from './request-session.ts'
import { SealedCookieStore } from './sealed-cookie-store.ts'
import { SecretKeys } from './secret-keys.ts'

const keys = new SecretKeys(['a secret for tests of 32 bytes..'])
const idOf = (change: unknown) => (change as { set: string }).set

function ground(lifetime = {}) {
  const clock = { time: 0 }
  return { clock, store: new SealedCookieStore(keys, { ...lifetime, now: () => clock.time }) }
}

async function storeSession(store: SealedCookieStore): Promise<string> {
  const session = new Session(store)
  session.set('userId', 7)
  return idOf(await session.commit())
}

describe('SealedCookieStore', () => {
  test('each change sets a new cookie value; without changes no cookie is set', async () => {
    const { store } = ground()
    const first = await storeSession(store)
    expect(Buffer.from(first, 'base64url').toString('latin1')).not.toContain('userId')
    const second = await Session.load(store, first)
    expect(second.get('userId')).toBe(7)
    expect(second.commit()).toBeUndefined()
    second.set('userId', undefined)
    second.set('ü', 'é')
    const third = await Session.load(store, idOf(await second.commit()))
    expect(third.keys()).toEqual(['ü'])
    third.set('more', 1)
    const again = idOf(await third.commit())
    third.set('most', 1)
    expect(idOf(await third.commit())).not.toBe(again)
  })

  test('a manipulated value, or one sealed with another key, is no session', async () => {
    const { store } = ground()
    const id = await storeSession(store)
    for (const bad of [
      '',
      'x',
      id.slice(1),
      `${id}A`,
      'A'.repeat(10_000),
      keys.seal('cookie:session', '{}'),
    ]) {
      expect((await Session.load(store, bad)).isNew).toBe(true)
    }
  })

  test('a session ends after its idle and its absolute time', async () => {
    const { clock, store } = ground({ idleSeconds: 600, absoluteSeconds: 1500 })
    let id = await storeSession(store)
    const first = id
    for (clock.time = 500_000; clock.time < 1_500_000; clock.time += 500_000) {
      id = idOf(await (await Session.load(store, id)).commit())
    }
    expect((await Session.load(store, first)).isNew).toBe(true)
    expect((await Session.load(store, id)).isNew).toBe(true)
  })

  test('renewSession and endSession change the cookie', async () => {
    const { store } = ground()
    const id = await storeSession(store)
    const session = await Session.load(store, id)
    session.renewSession()
    const renewed = idOf(await session.commit())
    expect(renewed).not.toBe(id)
    expect((await Session.load(store, renewed)).get('userId')).toBe(7)
    session.endSession()
    expect(await session.commit()).toEqual({ clear: true })
  })

  test.each([false, true])(
    'a renewal begins a new age, or keeps it: keepAge %s',
    async (keepAge) => {
      const { clock, store } = ground({ idleSeconds: 600, absoluteSeconds: 600 })
      const session = await Session.load(store, await storeSession(store))
      clock.time = 400_000
      session.renewSession({ keepAge })
      const renewed = idOf(await session.commit())
      clock.time = 599_000
      expect((await Session.load(store, renewed)).get('userId')).toBe(7)
      clock.time = 999_000
      expect((await Session.load(store, renewed)).isNew).toBe(keepAge)
      clock.time = 1_000_000
      expect((await Session.load(store, renewed)).isNew).toBe(true)
    },
  )

  test('a session that is too large for a cookie, and owners, are errors', async () => {
    const { store } = ground()
    const large = new Session(store)
    large.set('text', 'x'.repeat(3000))
    await expect(large.commit()).rejects.toMatchObject({ code: 'session.cookie-too-large' })
    const owned = new Session(store)
    owned.sessionBelongsTo('user:7')
    await expect(owned.commit()).rejects.toMatchObject({ code: 'session.store-limited' })
    await expect(store.endSessionsOf('user:7')).rejects.toMatchObject({
      code: 'session.store-limited',
    })
  })
})
