import fc from 'fast-check'
import { expect, test } from 'vitest'
import { entityTag, parseTags, strongMatch, weakMatch, weakTag } from './entity-tag.ts'
import { httpDate, parseHttpDate } from './http-date.ts'
import { holdsRange, isConditional, judge } from './preconditions.ts'

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

test('property: dates come back to the second', () => {
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
])('%j is the moment of the standard', (header) => {
  expect(parseHttpDate(header)?.toISOString()).toBe('1994-11-06T08:49:37.000Z')
})

test.each([
  '',
  'now',
  'Sun, 31 Feb 2026 00:00:00 GMT',
  'Sun, 06 Nov 1994 24:00:00 GMT',
  '1994-11-06',
])('%j is no date', (header) => expect(parseHttpDate(header)).toBeUndefined())

test('property: a list gives its tags, whatever the blanks', () => {
  fc.assert(
    fc.property(fc.array(tag), fc.constantFrom(',', ', ', ' , ', ',,'), (tags, between) => {
      expect(parseTags(tags.join(between))).toEqual(tags)
    }),
  )
})

test.each(['"a', 'a', '"a" "b"', '"a"b', '*, "a"', "'a'"])('%j is no list', (header) => {
  expect(parseTags(header)).toBeUndefined()
})

test('property: any version makes a tag that is read back, and matches itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (version, weak) => {
      const made = entityTag(version, weak)
      expect(parseTags(made)).toEqual([made])
      expect(judge(request({ 'if-none-match': made }), { etag: made })).toBe(304)
    }),
  )
})

test('weak tags match weakly alone', () => {
  expect([weakMatch('W/"a"', '"a"'), strongMatch('W/"a"', 'W/"a"')]).toEqual([true, false])
  expect([weakTag('"a"'), weakTag('W/"a"')]).toEqual(['W/"a"', 'W/"a"'])
})

test('property: a GET is spared exactly when its list holds the tag; the date then counts for nothing', () => {
  fc.assert(
    fc.property(fc.array(tag, { minLength: 1 }), tag, date, (tags, etag, lastModified) => {
      const headers = {
        'if-none-match': tags.join(', '),
        'if-modified-since': httpDate(new Date(4e12)),
      }
      const known = tags.some((one) => one.replace(/^W\//, '') === etag.replace(/^W\//, ''))
      const validators = { etag, lastModified }
      expect(judge(request(headers), validators)).toBe(known ? 304 : 'proceed')
      expect(judge(request(headers, 'PUT'), validators)).toBe(known ? 412 : 'proceed')
    }),
  )
})

test('property: dates compare by the second', () => {
  fc.assert(
    fc.property(date, date, (modified, since) => {
      const unchanged = Math.floor(modified.getTime() / 1000) <= Math.floor(since.getTime() / 1000)
      const header = httpDate(since)
      const validators = { lastModified: modified }
      expect(judge(request({ 'if-modified-since': header }), validators)).toBe(
        unchanged ? 304 : 'proceed',
      )
      expect(judge(request({ 'if-unmodified-since': header }, 'PUT'), validators)).toBe(
        unchanged ? 'proceed' : 412,
      )
    }),
  )
})

test('property: whatever a client sends, there is a verdict', () => {
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
      expect(['proceed', 304, 412]).toContain(judge(request(headers), validators))
      expect(typeof holdsRange(request(headers), validators)).toBe('boolean')
    }),
  )
})

test('nothing to compare with proceeds', () => {
  expect(judge(request({ 'if-modified-since': httpDate(new Date()) }), {})).toBe('proceed')
  expect([isConditional(request({})), isConditional(request({ 'if-match': '*' }))]).toEqual([
    false,
    true,
  ])
})
