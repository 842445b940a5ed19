import { describe, expect, test } from 'vitest'
import { FwError, Temporal } from '../base.ts'
import { Flash } from './flash.ts'
import { ForgeryToken } from './forgery-token.ts'
import { MemoryStore } from './memory-store.ts'
import { FwSession, Session } from './request-session.ts'
import { newSessionId } from './session-store.ts'
import type { SessionStore } from './session-store.ts'

const integer = { parse: (text: string) => (/^-?\d+$/.test(text) ? Number(text) : undefined) }
const plainDate = {
  parse: (text: string) =>
    /^\d{4}-\d\d-\d\d$/.test(text) ? Temporal.PlainDate.from(text) : undefined,
}

/** Commits a session with these attributes and returns its id. */
async function storeSession(
  store: SessionStore,
  attributes: Record<string, unknown>,
): Promise<string> {
  const session = new Session(store)
  for (const [name, value] of Object.entries(attributes)) session.set(name, value)
  return idOf(await session.commit())
}

function idOf(change: unknown): string {
  return (change as { set: string }).set
}

describe('without a record', () => {
  test('reading creates none', () => {
    const store = new MemoryStore()
    const session = new Session(store)
    expect(session.get('x')).toBeUndefined()
    expect(session.has('x')).toBe(false)
    expect(session.keys()).toEqual([])
    expect(session.commit()).toBeUndefined()
    expect(store.size).toBe(0)
  })

  test('setting and deleting a value creates none', async () => {
    const store = new MemoryStore()
    const session = new Session(store)
    session.set('x', 1)
    session.delete('x')
    session.renewSession()
    session.endSession()
    expect(await session.commit()).toBeUndefined()
    expect(store.size).toBe(0)
  })

  test('the first value creates the record and the cookie', async () => {
    const store = new MemoryStore()
    const session = new Session(store)
    expect(session.isNew).toBe(true)
    session.set('x', 1)
    expect(await session.commit()).toEqual({ set: expect.stringMatching(/^[\w-]{32}$/) })
    expect(session.isNew).toBe(false)
    expect(session.commit()).toBeUndefined()
    session.set('x', 2)
    expect(await session.commit()).toBeUndefined()
    expect(store.size).toBe(1)
  })

  test('the id of a client is never adopted', async () => {
    const store = new MemoryStore()
    const theirs = newSessionId()
    const session = await Session.load(store, theirs)
    expect(session.isNew).toBe(true)
    expect(session.commit()).toBeUndefined()
    session.set('userId', 1)
    expect(idOf(await session.commit())).not.toBe(theirs)
    expect(await store.read(theirs)).toBeUndefined()
  })
})

describe('with a record', () => {
  test('the next request reads the values with their types', async () => {
    const store = new MemoryStore()
    const born = Temporal.PlainDate.from('2000-01-02')
    const id = await storeSession(store, { userId: 7, born, none: null })
    const session = await Session.load(store, id)
    expect(session.get('userId')).toBe(7)
    expect(session.get('none')).toBeNull()
    expect(String(session.getAs('born', plainDate))).toBe('2000-01-02')
    expect(session.getAs('userId', integer)).toBe(7)
    expect(session.getAs('none', integer)).toBeUndefined()
    expect(session.getAs('missing', integer)).toBeUndefined()
    expect(session.commit()).toBeUndefined()
  })

  test('getAs does not convert objects and lists', async () => {
    const session = new Session(new MemoryStore())
    session.set('object', { a: 1 })
    session.set('list', [7])
    expect(session.getAs('object', { parse: (text) => text })).toBeUndefined()
    expect(session.getAs('list', integer)).toBeUndefined()
  })

  test('delete and set with undefined remove the value', async () => {
    const store = new MemoryStore()
    const id = await storeSession(store, { a: 1, b: 2, c: 3 })
    const session = await Session.load(store, id)
    session.delete('a')
    session.set('b', undefined)
    expect(session.keys()).toEqual(['c'])
    expect(session.get('a')).toBeUndefined()
    await session.commit()
    expect((await Session.load(store, id)).keys()).toEqual(['c'])
  })

  test('an object changed in place is written', async () => {
    const store = new MemoryStore()
    const id = await storeSession(store, { cart: { items: [1] }, untouched: { a: 1 } })
    const session = await Session.load(store, id)
    const cart = session.get('cart') as { items: number[] }
    session.get('untouched')
    cart.items.push(2)
    await session.commit()
    expect((await Session.load(store, id)).get('cart')).toEqual({ items: [1, 2] })
  })

  test('setting an unchanged value writes it: of two requests the later commit wins', async () => {
    const store = new MemoryStore()
    const id = await storeSession(store, { theme: 'light' })
    const [first, second] = [await Session.load(store, id), await Session.load(store, id)]
    first.set('theme', 'dark')
    second.set('theme', 'light')
    await first.commit()
    await second.commit()
    expect((await Session.load(store, id)).get('theme')).toBe('light')
  })

  test('used is true after any access to a value', async () => {
    const store = new MemoryStore()
    const session = await Session.load(store, await storeSession(store, { a: 1 }))
    new Flash(session).sweep(true)
    expect(session.used).toBe(false)
    session.has('a')
    expect(session.used).toBe(true)
  })
})

describe('invalid names and values', () => {
  test.each([
    ['x'.repeat(129), 'session.name-too-long'],
    ['', 'session.name-invalid'],
    ['a\0b', 'session.name-invalid'],
    ['\ud800', 'session.name-invalid'],
  ])('name %#: %s', (name, code) => {
    const session = new Session(new MemoryStore())
    expect(() => session.set(name, 1)).toThrow(expect.objectContaining({ code }))
    expect(session.commit()).toBeUndefined()
  })

  test('a name of 128 characters is valid', async () => {
    const store = new MemoryStore()
    const id = await storeSession(store, { ['x'.repeat(128)]: 1 })
    expect((await Session.load(store, id)).keys()).toEqual(['x'.repeat(128)])
  })

  test('set rejects an invalid value, and nothing is written', async () => {
    const store = new MemoryStore()
    const session = new Session(store)
    session.set('good', 1)
    expect(() => session.set('bad', () => 1)).toThrow(FwError)
    const id = idOf(await session.commit())
    expect((await Session.load(store, id)).keys()).toEqual(['good'])
  })

  test('__proto__ and constructor are ordinary names', async () => {
    const store = new MemoryStore()
    const session = new Session(store)
    session.set('__proto__', 1)
    session.set('constructor', 2)
    const next = await Session.load(store, idOf(await session.commit()))
    expect([next.get('__proto__'), next.get('constructor'), next.get('toString')]).toEqual([
      1,
      2,
      undefined,
    ])
  })

  test('an owner has 1 to 255 characters', () => {
    const session = new Session(new MemoryStore())
    for (const owner of ['', 'x'.repeat(256)])
      expect(() => session.sessionBelongsTo(owner)).toThrow(/1 to 255/)
  })
})

describe('renewSession', () => {
  test('an id from before the login is invalid after it', async () => {
    const store = new MemoryStore()
    const fixed = await storeSession(store, { cart: 1 })
    const login = await Session.load(store, fixed)
    login.renewSession()
    login.set('userId', 7)
    const id = idOf(await login.commit())
    expect(id).not.toBe(fixed)
    expect((await Session.load(store, fixed)).isNew).toBe(true)
    const next = await Session.load(store, id)
    expect([next.get('cart'), next.get('userId')]).toEqual([1, 7])
  })

  test('changes the id also without other changes', async () => {
    const store = new MemoryStore()
    const old = await storeSession(store, { a: 1 })
    const session = await Session.load(store, old)
    session.renewSession()
    expect(idOf(await session.commit())).not.toBe(old)
    expect(store.size).toBe(1)
  })

  test('rotates the forgery token', async () => {
    const store = new MemoryStore()
    const first = new Session(store)
    const before = new ForgeryToken(first).mask()
    const session = await Session.load(store, idOf(await first.commit()))
    expect(new ForgeryToken(session).verify(before)).toBe(true)
    session.renewSession()
    expect(new ForgeryToken(session).verify(before)).toBe(false)
    const after = new ForgeryToken(session).mask()
    const next = await Session.load(store, idOf(await session.commit()))
    expect(new ForgeryToken(next).verify(before)).toBe(false)
    expect(new ForgeryToken(next).verify(after)).toBe(true)
  })

  test('of two concurrent logins both succeed, the second with only its own values', async () => {
    const store = new MemoryStore()
    const id = await storeSession(store, { cart: 1 })
    const [first, second] = [await Session.load(store, id), await Session.load(store, id)]
    for (const [index, login] of [first, second].entries()) {
      login.renewSession()
      login.set('userId', index)
    }
    const ids = [idOf(await first.commit()), idOf(await second.commit())]
    expect((await Session.load(store, ids[0]!)).keys()).toEqual(['cart', 'userId'])
    expect((await Session.load(store, ids[1]!)).keys()).toEqual(['userId'])
  })

  test('a login and a concurrent request lose no write, 200 rounds', async () => {
    const store = new MemoryStore()
    for (let round = 0; round < 200; round++) {
      const id = await storeSession(store, { start: 0 })
      const [login, other] = [await Session.load(store, id), await Session.load(store, id)]
      login.renewSession()
      login.set('userId', round)
      other.set('seen', round)
      const [change, none] = await Promise.all([login.commit(), other.commit()])
      expect(none).toBeUndefined()
      const next = await Session.load(store, idOf(change))
      expect([next.get('userId'), next.get('seen')]).toEqual([round, round])
    }
  })
})

describe('endSession', () => {
  test('ends the record and clears the cookie; the old id is invalid', async () => {
    const store = new MemoryStore()
    const id = await storeSession(store, { userId: 7 })
    const session = await Session.load(store, id)
    session.endSession()
    expect(session.get('userId')).toBeUndefined()
    expect(await session.commit()).toEqual({ clear: true })
    expect(store.size).toBe(0)
    expect((await Session.load(store, id)).isNew).toBe(true)
  })

  test('a value set afterwards starts a new session', async () => {
    const store = new MemoryStore()
    const id = await storeSession(store, { userId: 7 })
    const session = await Session.load(store, id)
    session.endSession()
    session.set('flash:notice', 'Signed out')
    const next = idOf(await session.commit())
    expect(next).not.toBe(id)
    expect((await Session.load(store, next)).keys()).toEqual(['flash:notice'])
    expect((await Session.load(store, id)).isNew).toBe(true)
  })

  test('clears the cookie of a session that had ended before', async () => {
    const session = await Session.load(new MemoryStore(), newSessionId())
    session.endSession()
    expect(await session.commit()).toEqual({ clear: true })
  })

  test('a later request of the ended session neither recreates it nor changes the cookie', async () => {
    const store = new MemoryStore()
    const id = await storeSession(store, { userId: 7 })
    const slow = await Session.load(store, id)
    const logout = await Session.load(store, id)
    logout.endSession()
    await logout.commit()
    slow.set('seen', true)
    expect(await slow.commit()).toBeUndefined()
    expect(store.size).toBe(0)
  })

  test('a renewal after the end copies nothing from the ended session', async () => {
    const store = new MemoryStore()
    const id = await storeSession(store, { secret: { a: 1 } })
    const slow = await Session.load(store, id)
    slow.get('secret')
    const logout = await Session.load(store, id)
    logout.endSession()
    await logout.commit()
    slow.renewSession()
    slow.set('userId', 7)
    const next = idOf(await slow.commit())
    slow.set('more', 1)
    await slow.commit()
    expect((await Session.load(store, next)).keys()).toEqual(['userId', 'more'])
  })
})

test('FwSession reads and writes the attributes of the session', async () => {
  const session = new Session(new MemoryStore())
  const own = new FwSession(session)
  own.setAttribute('cart', [1])
  expect(own.getAttribute('cart')).toEqual([1])
  expect(session.get('cart')).toEqual([1])
  expect(own.getAttributeOrElseUpdate('cart', () => [2])).toEqual([1])
  expect(own.getAttributeOrElseUpdate('count', () => 3)).toBe(3)
  expect(own.getAs('count', { parse: Number })).toBe(3)
  own.removeAttribute('cart')
  expect(own.getAttribute('cart')).toBeUndefined()
  await session.commit()
  own.endSession()
  expect(await session.commit()).toEqual({ clear: true })
})
