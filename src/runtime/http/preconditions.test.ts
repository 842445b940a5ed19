import fc from 'fast-check'
import { expect, test } from 'vitest'
import { entityTag, parseEntityTags, strongMatch, weakMatch, weakTag } from './preconditions.ts'
import { httpDate, parseHttpDate } from './http-date.ts'
import { rangeApplies, isConditional, evaluatePreconditions } from './preconditions.ts'

const request = (headers: Record<string, string>, method = 'GET') => ({
  method,
  header: (name: string) => headers[name],
})
const tag = fc
  .tuple(fc.boolean(), fc.stringMatching(/^[!#-~]{0,12}$/))
  .map(([weak, text]) => `${weak ? 'W/' : ''}"${text}"`)
const date = fc.date({
  min: new Date('1970-01-01'),
  max: new Date('2200-01-01'),
  noInvalidDate: true,
})

test('property: a formatted date is parsed to the same second', () => {
  fc.assert(
    fc.property(date, (moment) => {
      expect(parseHttpDate(httpDate(moment))?.getTime()).toBe(
        Math.floor(moment.getTime() / 1000) * 1000,
      )
    }),
  )
})

test.each([
  'Sun, 06 Nov 1994 08:49:37 GMT',
  'Sunday, 06-Nov-94 08:49:37 GMT',
  'Sun Nov  6 08:49:37 1994',
  ' sun, 06 nov 1994 08:49:37 gmt; length=10',
  'Sunday, 06-Nov-94 08:49:37 GMT; length=10',
  'Sun Nov  6 08:49:37 1994; length=10',
])('%j is the date of the example in the standard', (header) => {
  expect(parseHttpDate(header)?.toISOString()).toBe('1994-11-06T08:49:37.000Z')
})

test.each([
  '',
  'now',
  'Sun, 31 Feb 2026 00:00:00 GMT',
  'Sun, 06 Nov 1994 24:00:00 GMT',
  '1994-11-06',
])('%j is no date', (header) => expect(parseHttpDate(header)).toBeUndefined())

test('property: a list returns its tags, with any blanks', () => {
  fc.assert(
    fc.property(fc.array(tag), fc.constantFrom(',', ', ', ' , ', ',,'), (tags, between) => {
      expect(parseEntityTags(tags.join(between))).toEqual(tags)
    }),
  )
})

test.each(['"a', 'a', '"a" "b"', '"a"b', '*, "a"', "'a'"])('%j is not a list', (header) => {
  expect(parseEntityTags(header)).toBeUndefined()
})

test('property: any version becomes a valid tag that matches itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (version, weak) => {
      const made = entityTag(version, weak)
      expect(parseEntityTags(made)).toEqual([made])
      expect(evaluatePreconditions(request({ 'if-none-match': made }), { etag: made })).toBe(304)
    }),
  )
})

test('weak tags match in weak comparisons only', () => {
  expect([weakMatch('W/"a"', '"a"'), strongMatch('W/"a"', 'W/"a"')]).toEqual([true, false])
  expect([weakTag('"a"'), weakTag('W/"a"')]).toEqual(['W/"a"', 'W/"a"'])
})

test('property: a GET is a 304 exactly if its list contains the tag; its date is then ignored', () => {
  fc.assert(
    fc.property(fc.array(tag, { minLength: 1 }), tag, date, (tags, etag, lastModified) => {
      const headers = {
        'if-none-match': tags.join(', '),
        'if-modified-since': httpDate(new Date(4e12)),
      }
      const known = tags.some((one) => one.replace(/^W\//, '') === etag.replace(/^W\//, ''))
      const validators = { etag, lastModified }
      expect(evaluatePreconditions(request(headers), validators)).toBe(known ? 304 : 'proceed')
      expect(evaluatePreconditions(request(headers, 'PUT'), validators)).toBe(
        known ? 412 : 'proceed',
      )
    }),
  )
})

test('property: dates compare by the second', () => {
  fc.assert(
    fc.property(date, date, (modified, since) => {
      const unchanged = Math.floor(modified.getTime() / 1000) <= Math.floor(since.getTime() / 1000)
      const header = httpDate(since)
      const validators = { lastModified: modified }
      expect(evaluatePreconditions(request({ 'if-modified-since': header }), validators)).toBe(
        unchanged ? 304 : 'proceed',
      )
      expect(
        evaluatePreconditions(request({ 'if-unmodified-since': header }, 'PUT'), validators),
      ).toBe(unchanged ? 'proceed' : 412)
    }),
  )
})

test('property: any header has a result', () => {
  const text = fc.oneof(fc.string(), tag, fc.constant('*'))
  fc.assert(
    fc.property(text, text, text, text, (match, none, since, range) => {
      const headers = {
        'if-match': match,
        'if-none-match': none,
        'if-modified-since': since,
        'if-unmodified-since': since,
        'if-range': range,
      }
      const validators = { etag: '"a"', lastModified: new Date(0) }
      expect(['proceed', 304, 412]).toContain(evaluatePreconditions(request(headers), validators))
      expect(typeof rangeApplies(request(headers), validators)).toBe('boolean')
    }),
  )
})

test('without validators the request proceeds', () => {
  expect(evaluatePreconditions(request({ 'if-modified-since': httpDate(new Date()) }), {})).toBe(
    'proceed',
  )
  expect([isConditional(request({})), isConditional(request({ 'if-match': '*' }))]).toEqual([
    false,
    true,
  ])
})
