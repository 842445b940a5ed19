import { expect, test } from 'vitest'
import { FwSession } from './fw-session.ts'
import { MemoryStore } from './memory-store.ts'
import { Session } from './request-session.ts'

test('attributes are those of the session', async () => {
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
  own.invalidate()
  expect(await session.commit()).toEqual({ clear: true })
})
