import { describe, expect, test } from 'vitest'
import { Flash } from './flash.ts'
import type { FlashOptions } from './flash.ts'
import { MemoryStore } from './memory-store.ts'
import { Session } from './request-session.ts'

/** Sends requests with the same session cookie. */
class Visitor {
  readonly store = new MemoryStore()
  #id: string | undefined

  async request<T>(work: (flash: Flash) => T, options?: FlashOptions): Promise<T> {
    const session =
      this.#id === undefined ? new Session(this.store) : await Session.load(this.store, this.#id)
    const flash = new Flash(session, options)
    const result = work(flash)
    flash.sweep(true)
    const change = await session.commit()
    if (change !== undefined && 'set' in change) this.#id = change.set
    return result
  }
}

const entries = (flash: Flash) => Object.fromEntries(flash.entries())

describe('flash', () => {
  test('an entry is visible in its request and on the next page; two pages that do not read it remove it', async () => {
    const visitor = new Visitor()
    expect(
      await visitor.request((flash) => (flash.set('notice', 'Saved'), flash.get('notice'))),
    ).toBe('Saved')
    expect(await visitor.request(entries)).toEqual({ notice: 'Saved' })
    expect(await visitor.request(entries)).toEqual({})
    await visitor.request((flash) => flash.set('notice', 'Again'))
    await visitor.request(() => undefined)
    await visitor.request(() => undefined)
    expect(await visitor.request(entries)).toEqual({})
  })

  test('no session is created without entries, or with entries of now only', async () => {
    const visitor = new Visitor()
    await visitor.request((flash) => [
      flash.get('x'),
      flash.has('x'),
      flash.entries(),
      flash.keep(),
      flash.discard(),
      flash.delete('x'),
    ])
    await visitor.request((flash) => flash.now.set('notice', 'Here'))
    await visitor.request((flash) => (flash.set('notice', 'a'), flash.discard('notice')))
    expect(visitor.store.size).toBe(0)
  })

  test('an entry of now is visible in this request only', async () => {
    const visitor = new Visitor()
    expect(
      await visitor.request((flash) => (flash.now.set('notice', 'Here'), entries(flash))),
    ).toEqual({ notice: 'Here' })
    expect(await visitor.request(entries)).toEqual({})
  })

  test('an entry of now hides and removes the entry of the same name', async () => {
    const visitor = new Visitor()
    await visitor.request((flash) => flash.set('notice', 'kept'))
    expect(
      await visitor.request((flash) => (flash.now.set('notice', 'now'), flash.get('notice'))),
    ).toBe('now')
    expect(await visitor.request(entries)).toEqual({})
  })

  test('set after now is visible in the next request', async () => {
    const visitor = new Visitor()
    await visitor.request((flash) => (flash.now.set('notice', 'now'), flash.set('notice', 'next')))
    expect(await visitor.request(entries)).toEqual({ notice: 'next' })
  })

  test('keep makes all entries or one visible in the next request, also those of now', async () => {
    const visitor = new Visitor()
    await visitor.request((flash) => (flash.set('a', 1), flash.set('b', 2)))
    await visitor.request((flash) => flash.keep())
    await visitor.request(
      (flash) => (flash.now.set('c', 3), flash.get('a'), flash.keep('b'), flash.keep('c')),
    )
    expect(await visitor.request(entries)).toEqual({ b: 2, c: 3 })
    expect(await visitor.request(entries)).toEqual({})
  })

  test('discard removes all entries or one at the end of the request', async () => {
    const visitor = new Visitor()
    expect(
      await visitor.request(
        (flash) => (flash.set('a', 1), flash.set('b', 2), flash.discard('a'), entries(flash)),
      ),
    ).toEqual({ a: 1, b: 2 })
    expect(await visitor.request(entries)).toEqual({ b: 2 })
    await visitor.request((flash) => (flash.set('a', 1), flash.discard()))
    expect(await visitor.request(entries)).toEqual({})
  })

  test('delete removes an entry immediately', async () => {
    const visitor = new Visitor()
    await visitor.request((flash) => (flash.set('a', 1), flash.set('b', 2)))
    expect(
      await visitor.request(
        (flash) => (flash.delete('a'), flash.now.set('n', 1), flash.delete('n'), entries(flash)),
      ),
    ).toEqual({ b: 2 })
  })

  test('an entry that the next request sets again is visible for one more request', async () => {
    const visitor = new Visitor()
    await visitor.request((flash) => flash.set('notice', 1))
    await visitor.request((flash) => flash.set('notice', 2))
    expect(await visitor.request(entries)).toEqual({ notice: 2 })
    expect(await visitor.request(entries)).toEqual({})
  })

  test('with sweepUnused false an entry stays until it is read', async () => {
    const visitor = new Visitor()
    const patient = { sweepUnused: false }
    await visitor.request((flash) => flash.set('notice', 'Saved'), patient)
    await visitor.request(() => undefined, patient)
    expect(await visitor.request(entries, patient)).toEqual({ notice: 'Saved' })
    expect(await visitor.request(entries, patient)).toEqual({})
  })

  test('the sweep of one request keeps the entries of a concurrent one', async () => {
    const store = new MemoryStore()
    const first = new Session(store)
    new Flash(first).set('old', 1)
    const { set: id } = (await first.commit()) as { set: string }
    const [sweeping, setting] = [await Session.load(store, id), await Session.load(store, id)]
    const [leaving, arriving] = [new Flash(sweeping), new Flash(setting)]
    arriving.set('new', 2)
    leaving.get('old')
    arriving.sweep(true)
    leaving.sweep(true)
    await setting.commit()
    await sweeping.commit()
    expect(entries(new Flash(await Session.load(store, id)))).toEqual({ new: 2 })
  })
})
