import { expect, test } from 'vitest'
import { ActionResult } from './action-result.ts'
import * as results from './status-results.ts'
import { BadRequest, Found, NoContent, Ok } from './status-results.ts'
import { checkStatus, hasNoBody, reasonPhrase } from './status.ts'

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

test('a location is sent unchanged; explicit headers override it', () => {
  expect(Found('/ok')).toMatchObject({ status: 302, headers: { Location: '/ok' }, body: undefined })
  expect(Found('/ok', { Location: '/other' }).headers).toEqual({ Location: '/other' })
})

test('one builder for each status of a result', () => {
  const builders = Object.entries(results)
  expect(builders).toHaveLength(54)
  const statuses = builders.map(
    ([, build]) => (build as (text: string) => ActionResult)('x').status,
  )
  expect(new Set(statuses).size).toBe(54)
  for (const status of statuses) expect(reasonPhrase(status)).not.toBe('')
})

test.each([99, 100, 1000, Number.NaN, 200.5, '200' as unknown as number])(
  '%s is not a status',
  (status) => {
    expect(() => checkStatus(status)).toThrow(
      expect.objectContaining({ code: 'http.status-invalid' }),
    )
    expect(() => new ActionResult(status)).toThrow('from 200 to 599')
  },
)

test('bodiless statuses', () => {
  expect([200, 204, 205, 304, 404].filter(hasNoBody)).toEqual([204, 205, 304])
})
