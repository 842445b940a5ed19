import { describe, expect, test } from 'vitest'
import { growth, linearGrowth } from '../base/growth.fixture.ts'
import { MemoryStore } from './memory-store.ts'
import { readSessionCookie, sessionCookie } from './session-cookie.ts'
import { SessionManager } from './session-manager.ts'
import { newSessionId } from './session-store.ts'

const cookie = sessionCookie(false)

test.each([
  [false, { name: 'shop' }, 'shop', '/'],
  [true, { name: 'shop' }, '__Host-shop', '/'],
  [false, { path: '/shop' }, 'fw_session', '/shop'],
  [true, { name: 'shop', path: '/shop' }, '__Secure-shop', '/shop'],
])('the cookie in production %s with %j is %s with path %s', (production, options, name, path) => {
  expect(sessionCookie(production, options)).toMatchObject({
    name,
    options: { path, secure: production },
  })
})

describe('session cookie', () => {
  test('has the prefix __Host- and Secure in production', () => {
    expect(sessionCookie(true)).toEqual({
      name: '__Host-fw_session',
      options: { path: '/', httpOnly: true, sameSite: 'lax', secure: true },
    })
    expect(cookie).toEqual({
      name: 'fw_session',
      options: { path: '/', httpOnly: true, sameSite: 'lax', secure: false },
    })
  })

  test.each([
    [undefined, undefined],
    ['', undefined],
    ['fw_session=abc', 'abc'],
    ['a=1; fw_session=abc; b=2', 'abc'],
    ['a=1;\tfw_session=abc\t;b=2', 'abc'],
    ['fw_session=abc; fw_session=def', 'abc'],
    ['a=fw_session=x; fw_session=abc', 'abc'],
    ['xfw_session=x; fw_sessionx=x; fw_session', undefined],
    ['\u00a0fw_session=evil; fw_session=abc', 'abc'],
    ['=fw_session=evil', undefined],
    ['fw_session=; a=1', undefined],
  ])('the header %j has the id %j', (header, id) => {
    expect(readSessionCookie(header, 'fw_session')).toBe(id)
  })

  test('a long header is read in linear time', () => {
    const header = (size: number) =>
      `${'fw_session'.repeat(size)}; ${' '.repeat(5 * size)}fw_session=abc`
    const read = (text: string) => readSessionCookie(text, 'fw_session')
    expect(read(header(10_000))).toBe('abc')
    expect(growth(10_000, header, read)).toBeLessThan(linearGrowth)
  })
})

describe('manager', () => {
  test('a request without the cookie awaits nothing and opens a new session', () => {
    const manager = new SessionManager(new MemoryStore(), cookie)
    expect(manager.load(undefined)).toBeUndefined()
    expect(manager.load('other=1')).toBeUndefined()
    expect(manager.open(undefined).isNew).toBe(true)
  })

  test('a request with the cookie loads the record', async () => {
    const manager = new SessionManager(new MemoryStore(), cookie)
    const first = manager.open(undefined)
    first.set('userId', 7)
    const { set: id } = (await first.commit()) as { set: string }
    expect((await manager.load(`fw_session=${id}`))?.get('userId')).toBe(7)
  })

  test('opening a new session for a request with a cookie is an error, not a logout', () => {
    const manager = new SessionManager(new MemoryStore(), cookie)
    expect(() => manager.open(`fw_session=${newSessionId()}`)).toThrow(
      expect.objectContaining({ code: 'session.not-loaded' }),
    )
  })

  test('logs an owner out everywhere except in one session', async () => {
    const manager = new SessionManager(new MemoryStore(), cookie)
    const sessions = [manager.open(undefined), manager.open(undefined)]
    for (const session of sessions) {
      session.sessionBelongsTo('user:7')
      session.set('userId', 7)
    }
    const ids = [await sessions[0]!.commit(), await sessions[1]!.commit()] as { set: string }[]
    expect(await sessions[0]!.endSessionsOf('user:7', { exceptThis: true })).toBe(1)
    expect((await manager.load(`fw_session=${ids[0]!.set}`))?.isNew).toBe(false)
    expect((await manager.load(`fw_session=${ids[1]!.set}`))?.isNew).toBe(true)
  })

  test('sweeps until no expired record is left', async () => {
    let time = 0
    const store = new MemoryStore({ now: () => time })
    const manager = new SessionManager(store, cookie)
    const none = { attributes: new Map(), owner: undefined }
    for (let count = 0; count < 2500; count++) await store.create(none)
    time += 24 * 60 * 60 * 1000
    await store.create(none)
    expect(await manager.sweep()).toBe(2500)
    expect(store.size).toBe(1)
  })
})
