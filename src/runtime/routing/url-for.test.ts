/** URLs of routes, and the parameters that such a URL matches. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePath } from '../http.ts'
import { Route } from './route.ts'
import { RoutingTable } from './table.ts'
import { formatQuery, urlFor, type AnyUrlParams } from './url-for.ts'
import type { UrlArgs } from './url-params.ts'

const get = <const P extends string>(pattern: P): Route<P> => new Route<P>('GET', pattern)
const url = <P extends string>(route: Route<P>, ...[params, query]: UrlArgs<P>): string =>
  urlFor(route, params, query)

describe('urlFor', () => {
  it.each<[string, AnyUrlParams | undefined, string]>([
    ['/', undefined, '/'],
    ['/members/?', undefined, '/members'],
    ['/members/new', {}, '/members/new'],
    ['/members/:id', { id: 1 }, '/members/1'],
    ['/members/:id', { id: 'a b/c?d#e%f;g+h' }, '/members/a%20b%2Fc%3Fd%23e%25f%3Bg%2Bh'],
    ['/posts/:id', { id: '//evil.example/../x' }, '/posts/%2F%2Fevil.example%2F..%2Fx'],
    ['/members/:id', { id: 'ö\ud800' }, '/members/%C3%B6%EF%BF%BD'],
    ['/:file.:ext', { file: 'a.b', ext: 'c' }, '/a.b.c'],
    ['/p/:x/:x', { x: 1 }, '/p/1/1'],
    ['/optional/?:foo?/?:bar?', {}, '/optional'],
    ['/optional/?:foo?/?:bar?', { foo: 'a' }, '/optional/a'],
    ['/optional/?:foo?/?:bar?', { foo: 'a', bar: 'b' }, '/optional/a/b'],
    ['/optional/?:foo?', { foo: undefined }, '/optional'],
    ['/ext.?:ext?', { ext: 'json' }, '/ext.json'],
    ['/ext.?:ext?', { ext: '' }, '/ext'],
    ['/colou?r', {}, '/color'],
    ['/members/:id(.:format)?', { id: 1 }, '/members/1'],
    ['/members/:id(.:format)?', { id: 1, format: 'json' }, '/members/1.json'],
    ['(/:locale)?/posts(/:year(-:month)?)?/?', { year: 2020 }, '/posts/2020'],
    [
      '(/:locale)?/posts(/:year(-:month)?)?/?',
      { locale: 'de', year: 2020, month: '05' },
      '/de/posts/2020-05',
    ],
    ['/a(/b)?', {}, '/a'],
    ['/a(/:x?-:y?)?', { y: 1 }, '/a/-1'],
    ['/files/*', { splat: ['a/b c/%/ö'] }, '/files/a/b%20c/%25/%C3%B6'],
    ['/files/*', { splat: [''] }, '/files/'],
    ['/files/*', { splat: 'a' }, '/files/a'],
    ['/files(/*)?', {}, '/files'],
    ['/files(/*)?', { splat: ['a/b'] }, '/files/a/b'],
    ['/files/*?', {}, '/files/'],
    ['*', { splat: ['/a/b'] }, '/a/b'],
    ['/download/*.*', { splat: ['a/b', 'txt'] }, '/download/a/b.txt'],
    ['/say/*/to/:name', { splat: ['hi'], name: 'x' }, '/say/hi/to/x'],
    ['/föö bar/100%/a?b[c]', {}, '/f%C3%B6%C3%B6%20bar/100%25/b%5Bc%5D'],
    ["/a!$&'()x+,;=:@~", {}, "/a!$&'()x+,;=:@~"],
    ['/:__proto__', Object.fromEntries([['__proto__', 1]]), '/1'],
  ])('%s with %j', (pattern, params, expected) => {
    expect(urlFor(get(pattern), params)).toBe(expected)
  })

  it('property: a URL with exactly the required parameters is that with an absent one', () => {
    const patterns = [
      '/',
      '/a/:x',
      '/:x',
      '/.:x',
      '/:x.',
      '/:x:y',
      '/a/:x(.:y)?',
      '/a/:x(/:x)?',
      '/:x/?:y?',
    ]
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('', '.', '..', '/', "a-b_~!*'()", 'ö', '\ud800'),
    )
    const value = fc.oneof(text, fc.double(), fc.integer(), fc.bigInt(), fc.constant(undefined))
    const params = fc.dictionary(fc.constantFrom('x', 'y', 'z'), value)
    const outcome = (route: Route, given: AnyUrlParams): string => {
      try {
        return urlFor(route, given)
      } catch (error) {
        return String(error)
      }
    }
    fc.assert(
      fc.property(fc.constantFrom(...patterns), params, (pattern, given) => {
        const route = new Route('GET', pattern)
        expect(outcome(route, given)).toBe(outcome(route, { ...given, absent: undefined }))
      }),
      { numRuns: 2000 },
    )
  })

  it('adds the query', () => {
    expect(
      urlFor(get('/x'), {}, { q: 'a b&c=d+é', page: 2, tag: ['x', 'y'], off: undefined, on: true }),
    ).toBe('/x?q=a%20b%26c%3Dd%2B%C3%A9&page=2&tag=x&tag=y&on=true')
    expect(urlFor(get('/x'), undefined, {})).toBe('/x')
    expect(formatQuery(undefined)).toBe('')
    expect(formatQuery({ none: [], '': '' })).toBe('?=')
  })

  it.each<[string, AnyUrlParams, string]>([
    [
      '/members/:id',
      {},
      'The URL of route "show" (GET /members/:id) needs a value for "id" that is not empty: pass it, as in { id: 1 }.',
    ],
    ['/members/:id', { id: '' }, 'needs a value for "id"'],
    ['/members/:id', { id: undefined }, 'needs a value for "id"'],
    ['/members/:id', { id: null }, 'needs a value for "id"'],
    ['/members/:toString', {}, 'needs a value for "toString"'],
    ['/members/:id', { id: {} }, 'takes a text or a number for "id", not object'],
    ['/members/:id', { id: 1, page: 2 }, 'has no parameter "page": pass it in the query'],
    ['/members/:member_id', { member_id: 1, memberid: 2 }, 'did you mean "member_id"?'],
    [
      '/posts(/:year-:month)?',
      { year: 1 },
      'cannot include "year" alone: give the other values of its group too',
    ],
    ['/members/:id', { id: '.' }, 'would be "/members/.", whose "." or ".." a browser removes'],
    ['/members/:id/edit', { id: '..' }, 'a browser removes'],
    ['/files/*', { splat: ['a/../b'] }, 'a browser removes'],
    ['/files/*', {}, 'needs a text in "splat" for each "*", but got 0'],
    ['/download/*.*', { splat: ['a'] }, 'but got 1'],
    ['/files/*', { splat: ['a', 'b'] }, 'uses 1 of the 2 texts in "splat": remove the others'],
    ['/x', { splat: ['a'] }, 'uses 0 of the 1 texts'],
    [
      '/*',
      { splat: ['/evil.example'] },
      'would be "//evil.example", but a path begins with exactly one "/"',
    ],
    ['*', { splat: ['evil'] }, 'would be "evil", but a path begins with exactly one "/"'],
  ])('%s with %j is rejected', (pattern, params, message) => {
    expect(() => urlFor(get(pattern).as('show'), params)).toThrow(
      expect.objectContaining({
        code: 'routing.url-invalid',
        message: expect.stringContaining(message),
      }),
    )
  })

  it.each([
    [
      new Route('GET', /^\/x(\d+)$/).as('rx'),
      'route "rx" (GET ^\\/x(\\d+)$) has no URL, because it is a regular expression',
    ],
    [new Route('POST', undefined), 'route POST has no URL, because it has no pattern'],
  ])('a route without a pattern has no URL', (route, message) => {
    expect(() => urlFor(route)).toThrow(
      expect.objectContaining({
        code: 'routing.not-reversible',
        message: expect.stringContaining(message),
      }),
    )
  })

  it('matches its route, with the values of the URL', () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((value) => isPlain(value) && !/[.-]/.test(value))
    const splat = fc
      .array(text, { minLength: 1, maxLength: 3 })
      .map((parts) => parts.map((part) => part.replaceAll('/', '_')).join('/'))
    const shapes: readonly [string, fc.Arbitrary<AnyUrlParams>][] = [
      ['/m/:id', fc.record({ id: text })],
      ['/m/:id/?', fc.record({ id: text })],
      ['/:a/x/:b/y/:c', fc.record({ a: text, b: text, c: text })],
      ['/:a-:b.:c', fc.record({ a: text, b: text, c: text })],
      ['/m/:id(.:format)?', fc.record({ id: text, format: text }, { requiredKeys: ['id'] })],
      ['(/:l)?/p/:y(-:m)?', fc.record({ l: text, y: text, m: text }, { requiredKeys: ['y'] })],
      ['/files/*', fc.record({ splat: fc.tuple(splat) })],
      ['/dl/*.*', fc.record({ splat: fc.tuple(splat, splat) })],
      ['/o/?:foo?', fc.record({ foo: text }, { requiredKeys: [] })],
    ]
    const shape = fc.oneof(
      ...shapes.map(([pattern, params]) => params.map((values) => [pattern, values] as const)),
    )
    fc.assert(
      fc.property(shape, fc.constantFrom('', '/app', '/ä/b'), ([pattern, values], prefix) => {
        const route = get(pattern)
        const entry = {
          method: 'GET',
          matcher: route.matcher,
          prefix,
          order: 0,
          declared: 0,
          hasCondition: false,
          target: 1,
        }
        const path = prefix + urlFor(route, values)
        // A slash in a value next to a dot in the pattern would create a dot segment.
        if (/%2F\.(?:%2F|$)/.test(path)) {
          expect(() => parsePath(path)).toThrow(
            expect.objectContaining({ code: 'http.path-invalid' }),
          )
          return
        }
        const match = new RoutingTable([entry]).lookup('GET', parsePath(path))
        const { splat = [], ...named } = values
        expect(
          Object.fromEntries(
            [...match!.params.keys()].map((name) => [name, match!.params.get(name)![0]]),
          ),
        ).toEqual(named)
        expect(match!.params.splat).toEqual(splat)
      }),
      { numRuns: 2000 },
    )
  })
})

it('a value with a dot segment is encoded as one value, and parsePath rejects its path', () => {
  const url = urlFor(get('/m/:id(.:format)?'), { id: '/', format: '/ ' })
  expect(url).toBe('/m/%2F.%2F%20')
  expect(() => parsePath(url)).toThrow(expect.objectContaining({ code: 'http.path-invalid' }))
})

function isPlain(value: string): boolean {
  return !/[\u0000-\u001f\u007f-\u009f\\]/.test(value) && value.isWellFormed()
}

describe('types', () => {
  it('require the parameters of the pattern', () => {
    const show = get('/members/:id(.:format)?')
    const index = get('/members/?')
    const download = get('/download/*.*')
    const optional = get('/optional/?:foo?/?:bar?')
    const mixed = get('/a/:x-:y_2/b/:Zed')
    const nested = get('/posts(/:year(-:month)?)?')
    const untyped: Route = show
    expect([
      url(show, { id: 1 }),
      url(show, { id: 'a', format: 'json' }),
      url(
        show,
        { id: 12n, format: undefined },
        { page: 2, tag: ['a', 'b'], none: undefined, on: true },
      ),
      url(index),
      url(index, {}, { page: 2 }),
      url(download, { splat: ['a', 'txt'] }),
      url(optional),
      url(optional, { bar: 'x' }),
      url(mixed, { x: 1, y_2: 2, Zed: 3 }),
      url(nested, { year: 2020 }),
      url(untyped, { id: 1 }),
    ]).toEqual([
      '/members/1',
      '/members/a.json',
      '/members/12?page=2&tag=a&tag=b&on=true',
      '/members',
      '/members?page=2',
      '/download/a.txt',
      '/optional',
      '/optional/x',
      '/a/1-2/b/3',
      '/posts/2020',
      '/members/1',
    ])
  })

  it('reject other arguments', () => {
    const show = get('/members/:id(.:format)?')
    const index = get('/members/?')
    const download = get('/download/*.*')
    const expression: Route<never> = new Route<never>('GET', /^\/x\/(\d+)$/)
    const refused: (() => string)[] = [
      // @ts-expect-error missing id
      () => url(show),
      // @ts-expect-error missing id
      () => url(show, { format: 'json' }),
      // @ts-expect-error unknown name
      () => url(show, { ident: 1 }),
      // @ts-expect-error extra name
      () => url(show, { id: 1, page: 2 }),
      // @ts-expect-error undefined is not an id
      () => url(show, { id: undefined }),
      // @ts-expect-error a date is not a value
      () => url(show, { id: new Date() }),
      // @ts-expect-error two splats required
      () => url(download, { splat: ['a'] }),
      // @ts-expect-error no params here
      () => url(index, { id: 1 }),
      // @ts-expect-error a regular expression has no URL
      () => url(expression),
    ]
    for (const call of refused) expect(call).toThrow(expect.objectContaining({ name: 'FwError' }))
  })

  it('keep pattern and name through `as`', () => {
    const named = get('/x/:id').as('show')
    const pattern: '/x/:id' = named.pattern
    const name: 'show' | undefined = named.routeName
    // @ts-expect-error another name
    const other: 'index' | undefined = named.routeName
    expect([pattern, name, other]).toEqual(['/x/:id', 'show', 'show'])
  })
})
