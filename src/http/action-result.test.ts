import { expect, test } from 'vitest'
import * as http from '../http.ts'
import { ActionResult, BadRequest, Found, NoContent, Ok } from './action-result.ts'
import { checkedStatus, hasNoBody, reasonPhrase } from './status.ts'

test('a body with headers', () => {
  expect(Ok('x', { 'X-A': '1' }, { reason: 'Fine', charset: 'Shift_JIS' })).toMatchObject({
    status: 200,
    body: 'x',
    headers: { 'X-A': '1' },
    reason: 'Fine',
    charset: 'Shift_JIS',
    cookies: [],
  })
  expect(BadRequest()).toMatchObject({ status: 400, body: undefined })
  expect(NoContent({ 'X-A': '1' })).toMatchObject({ status: 204, headers: { 'X-A': '1' } })
})

test('a location verbatim; explicit headers may override it', () => {
  expect(Found('/ok')).toMatchObject({ status: 302, headers: { Location: '/ok' }, body: undefined })
  expect(Found('/ok', { Location: '/other' }).headers).toEqual({ Location: '/other' })
})

test('one builder for each status a result may have', () => {
  const builders = Object.entries(http).filter(
    ([name, value]) =>
      /^[A-Z]/.test(name) && typeof value === 'function' && value.prototype === undefined,
  )
  expect(builders).toHaveLength(54)
  const statuses = builders.map(
    ([, build]) => (build as (text: string) => ActionResult)('x').status,
  )
  expect(new Set(statuses).size).toBe(54)
  for (const status of statuses) expect(reasonPhrase(status)).not.toBe('')
})

test.each([99, 100, 1000, Number.NaN, 200.5, '200' as unknown as number])(
  '%s is no status',
  (status) => {
    expect(() => checkedStatus(status)).toThrow(
      expect.objectContaining({ code: 'http.status-invalid' }),
    )
    expect(() => new ActionResult(status)).toThrow('from 200 to 599')
  },
)

test('bodiless statuses', () => {
  expect([200, 204, 205, 304, 404].filter(hasNoBody)).toEqual([204, 205, 304])
})
