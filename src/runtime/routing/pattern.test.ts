/** Patterns: matching, captures, and linear time for any path. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePath } from '../http.ts'
import { Pattern } from './pattern.ts'
import { matchesElements, type Element } from './scan.ts'
import { RoutingTable } from './table.ts'

/** The parameters of a match as a plain object; `undefined` without a match. */
function match(
  pattern: string,
  raw: string,
  prefix = '',
): Record<string, readonly string[]> | undefined {
  const entry = {
    method: 'GET',
    matcher: new Pattern(pattern),
    prefix,
    order: 0,
    declared: 0,
    hasCondition: false,
    target: 1,
  }
  const found = new RoutingTable([entry]).lookup('GET', parsePath(raw))
  if (found === undefined) return undefined
  const params = Object.fromEntries(
    [...found.params.keys()].map((name) => [name, found.params.get(name)!]),
  )
  return found.params.splat.length > 0 ? { ...params, splat: found.params.splat } : params
}

describe('a pattern', () => {
  it.each<[string, string, Record<string, readonly string[]> | undefined]>([
    ['/', '/', {}],
    ['/', '//', undefined],
    ['/foo', '/foo', {}],
    ['/foo', '/Foo', undefined],
    ['/foo', '/foo/', undefined],
    ['/foo', '/fo', undefined],
    ['/foo', '/fooo', undefined],
    ['/foo/?', '/foo', {}],
    ['/foo/?', '/foo/', {}],
    ['/foo/?', '/foo//', undefined],
    ['/?', '/', {}],
    ['/:id', '/1.json', { id: ['1.json'] }],
    ['/:id', '/a@b.example', { id: ['a@b.example'] }],
    ['/m/:id', '/m/1/edit', undefined],
    ['/m/:id', '/m/', undefined],
    ['/m/:id', '/m', undefined],
    ['/m/:id/?', '/m/1/', { id: ['1'] }],
    ['/:file.:ext', '/pony.jpg', { file: ['pony'], ext: ['jpg'] }],
    ['/:file.:ext', '/a.b.c', { file: ['a.b'], ext: ['c'] }],
    ['/:file.:ext', '/a.', undefined],
    ['/:file.:ext', '/.a', undefined],
    ['/p/:a-:b', '/p/1-2-3', { a: ['1-2'], b: ['3'] }],
    ['/p/:a-:b/x', '/p/1-2/x', { a: ['1'], b: ['2'] }],
    ['/p/:a:b', '/p/123', { a: ['12'], b: ['3'] }],
    ['/members.:ext', '/members.json', { ext: ['json'] }],
    ['/members/:id.:ext', '/members/5.xml', { id: ['5'], ext: ['xml'] }],
    ['/members/:id.:ext', '/members/5', undefined],
    ['/optional/?:foo?/?:bar?', '/optional/hello/world', { foo: ['hello'], bar: ['world'] }],
    ['/optional/?:foo?/?:bar?', '/optional/hello', { foo: ['hello'] }],
    ['/optional/?:foo?/?:bar?', '/optional/', {}],
    ['/optional/?:foo?/?:bar?', '/optional', {}],
    ['/optional/?:foo?/?:bar?', '/optionalhello', { foo: ['hello'] }],
    ['/optional/?:foo?/?:bar?', '/optional//x', { bar: ['x'] }],
    ['/optional-ext.?:ext?', '/optional-ext.json', { ext: ['json'] }],
    ['/optional-ext.?:ext?', '/optional-ext', {}],
    ['/optional-ext.?:ext?', '/optional-ext.', {}],
    ['/colou?r', '/color', {}],
    ['/colou?r', '/colour', {}],
    ['/colou?r', '/colouur', undefined],
    ['/single-splat/*', '/single-splat/foo/bar/baz', { splat: ['foo/bar/baz'] }],
    ['/single-splat/*', '/single-splat/', { splat: [''] }],
    ['/single-splat/*', '/single-splat', undefined],
    ['*', '/any/thing', { splat: ['/any/thing'] }],
    ['/mix/*/foo/*/*', '/mix/bar/foo/bling/baz/boom', { splat: ['bar', 'bling', 'baz/boom'] }],
    ['/say/*/to/*', '/say/hello/to/world', { splat: ['hello', 'world'] }],
    ['/download/*.*', '/download/path/to/file.xml', { splat: ['path/to/file', 'xml'] }],
    ['/download/*.*', '/download/a.b.c', { splat: ['a', 'b.c'] }],
    ['/download/*.*', '/download/a', undefined],
    ['/mix/:foo/*', '/mix/foo/bar/baz', { foo: ['foo'], splat: ['bar/baz'] }],
    ['/*/edit', '/a/b/edit', { splat: ['a/b'] }],
    ['/p/:x/:x', '/p/1/2', { x: ['1', '2'] }],
    ['/a:/:', '/a:/:', {}],
    ['/:', '/x', undefined],
    ['/a:-b', '/a:-b', {}],
    ['/test$', '/test$', {}],
    ['/te+st', '/te+st', {}],
    ['/te+st', '/teest', undefined],
    ['/test(bar)', '/test(bar)', {}],
    ['/a(b', '/a(b', {}],
    ['/a.b', '/axb', undefined],
    ['/a|b', '/a|b', {}],
    ['/[a]{2}^', '/[a]{2}^', {}],
    ['/hello world', '/hello%20world', {}],
    ['/hello world', '/helloworld', undefined],
    ['/path with spaces', '/path%20with%20spaces', {}],
    ['/föö', '/f%C3%B6ö', {}],
    ['/%C3%B6', '/%25C3%25B6', {}],
    ['/%C3%B6', '/%C3%B6', undefined],
    ['/:größe', '/xöße', { gr: ['x'] }],
    ['/x😀?y', '/x%F0%9F%98%80y', {}],
    ['/x😀?y', '/xy', {}],
    ['/encoded/:name', '/encoded/ac%2Fdc', { name: ['ac/dc'] }],
    ['/encoded/:name', '/encoded/ac%2fdc', { name: ['ac/dc'] }],
    ['/encoded/:name', '/encoded/ac/dc', undefined],
    ['/encoded/:name', '/encoded/%23toc', { name: ['#toc'] }],
    ['/encoded/:name', '/encoded/%3Fquery', { name: ['?query'] }],
    ['/encoded/:name', '/encoded/%3Bquery', { name: [';query'] }],
    ['/encoded/:name', '/encoded/fr%C3%A4nk+x%2F%3F%23', { name: ['fränk+x/?#'] }],
    ['/encoded/:name', '/encoded/%252F', { name: ['%2F'] }],
    ['/files/*', '/files/a%2Fb/c', { splat: ['a/b/c'] }],
    ['/foo', '/foo;123', undefined],
    ['/members/:id(.:format)?', '/members/1', { id: ['1'] }],
    ['/members/:id(.:format)?', '/members/1.json', { id: ['1'], format: ['json'] }],
    ['/members/:id(.:format)?', '/members/a.b.json', { id: ['a.b'], format: ['json'] }],
    ['(/:locale)?/posts', '/posts', {}],
    ['(/:locale)?/posts', '/de/posts', { locale: ['de'] }],
    ['/posts(/:year(-:month)?)?/?', '/posts/2020-05', { year: ['2020'], month: ['05'] }],
    ['/posts(/:year(-:month)?)?/?', '/posts/2020/', { year: ['2020'] }],
    ['/posts(/:year(-:month)?)?/?', '/posts', {}],
    ['/files/*(.:ext)?', '/files/a/b.txt', { splat: ['a/b'], ext: ['txt'] }],
    ['/files/*(.:ext)?', '/files/a.b/c', { splat: ['a.b/c'] }],
    ['/a(/*)?', '/a', {}],
    ['/a(/*)?', '/a/b/c', { splat: ['b/c'] }],
    ['/:123', '/x', { '123': ['x'] }],
    ['/:__proto__', '/x', { ['__proto__']: ['x'] }],
  ])('%s on %s', (pattern, path, expected) => {
    expect(match(pattern, path)).toEqual(expected)
  })

  it.each<[string, string, string, Record<string, readonly string[]> | undefined]>([
    ['/sub', '/', '/sub', {}],
    ['/sub', '/', '/sub/', {}],
    ['/sub', '/', '/', undefined],
    ['/sub', '/x', '/sub/x', {}],
    ['/sub', '/x', '/subx', undefined],
    ['/sub', '/*', '/sub', { splat: [''] }],
    ['/sub', '/*', '/sub/a/b', { splat: ['a/b'] }],
    ['/sub', '*', '/subx', undefined],
    ['/sub', '*', '/sub/x', { splat: ['/x'] }],
    ['/sub', '*', '/sub', { splat: ['/'] }],
    ['/sub', '*.json', '/sub/a.json', { splat: ['/a'] }],
    ['/sub', '/:a.:b', '/sub/x.y', { a: ['x'], b: ['y'] }],
    ['/sub', '/:id', '/sub/1%2F2', { id: ['1/2'] }],
    ['/sub/', '/:id', '/sub/1', { id: ['1'] }],
    ['/sub', '/?', '/sub', {}],
    ['/sub', '/?x', '/subx', undefined],
    ['/api/v1', '/admin/secret', '/api/%76%31/admin%2Fsecret', undefined],
    ['/äpi', '/x', '/%C3%A4pi/x', {}],
  ])('under %s: %s on %s', (prefix, pattern, path, expected) => {
    expect(match(pattern, path, prefix)).toEqual(expected)
  })

  it.each([
    ['', 'is empty'],
    ['members', 'begin it with "/", as in "/members"'],
    [':id', 'begin it with "/"'],
    ['(x)', 'begin it with "/"'],
    ['?', 'begin it with "/"'],
    ['/x??', 'has a "?" at 4'],
    ['/a(?b)?', 'has a "?" at 4'],
    ['/a()?', 'empty group'],
    ['/a\\d', 'backslash'],
    ['/a\n', 'control character'],
    ['/:splat', 'reserved for'],
    ['/:captures', 'reserved for'],
    ['/x(a)?(b)?(c)?(d)?(e)?(f)?(g)?', 'more than 6 optional groups'],
  ])('rejects %j at its declaration', (pattern, message) => {
    expect(() => new Pattern(pattern)).toThrow(
      expect.objectContaining({
        code: 'routing.pattern-invalid',
        message: expect.stringContaining(message),
      }),
    )
  })

  it('rejects a mount path without a slash', () => {
    expect(() => match('/x', '/x', 'sub')).toThrow('must begin with "/", as in "/sub"')
  })
})

/** An equivalent regular expression, for patterns without groups. */
function reference(pattern: string): RegExp {
  const source = pattern.replace(/:(\w+)|\*|\?|[^:*?]+|:/gu, (part, name) => {
    if (name !== undefined) return '([^/]+)'
    if (part === '*') return '(.*?)'
    return part === '?'
      ? '?'
      : [...part].map((char) => `(?:${char.replace(/[^\w/]/gu, '\\$&')})`).join('')
  })
  return new RegExp(`^${source}$`, 's')
}

const piece = fc.constantFrom(
  ':a',
  ':b',
  '*',
  'x',
  'y',
  '.',
  '-',
  '/',
  '/',
  'x?',
  '/?',
  '.?',
  ':c?',
)
const pattern = fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('')}`)
const path = fc
  .string({ unit: fc.constantFrom('x', 'y', '.', '-', '/', '/'), maxLength: 12 })
  .map((rest) => `/${rest}`)

describe('matching', () => {
  it('captures the same as the equivalent regular expression', () => {
    fc.assert(
      fc.property(pattern, path, (text, key) => {
        fc.pre(!/(^|\/)\.\.?(\/|$)/.test(key))
        const compiled = new Pattern(text)
        const expected = reference(text).exec(key)
        expect(compiled.test(key)).toBe(expected !== null)
        const names = text.match(/:\w+|\*/g) ?? []
        const pairs = names.flatMap((name, i) => {
          const value = expected?.[i + 1]
          return value === undefined
            ? []
            : [[name === '*' ? 'splat' : name.slice(1), value] as const]
        })
        const wanted = Object.fromEntries(
          Map.groupBy(pairs, ([name]) => name)
            .entries()
            .map(([name, all]) => [name, all.map(([, value]) => value)]),
        )
        expect(match(text, key)).toEqual(expected === null ? undefined : wanted)
      }),
      { numRuns: 5000 },
    )
  })

  it('reads each position of a path at most a fixed number of times per element', () => {
    const hard = [
      '/*:a*:b*:c*x',
      '/:a-:b-:c',
      '/a?/?a?/?:a?/?:b?:c?',
      '/*/*/*/*/*.*',
      '/:a.?:b?.?:c?x',
    ]
    for (const text of hard) {
      for (const { elements } of new Pattern(text).variants) {
        const looks = [1000, 2000, 4000].map((length) =>
          countLooks(elements, `/${'a-'.repeat(length / 2)}`),
        )
        expect(looks[1]! / looks[0]!).toBeLessThan(2.1)
        expect(looks[2]! / looks[1]!).toBeLessThan(2.1)
      }
    }
  })

  it.each([
    '/:a-:b',
    '/:a-:b-:c',
    '/*-:a*x',
    '/*/*/*/*.*',
    '/a?a?a?:x?a?/?',
    '/(a:b)?(c:d)?(*e)?x',
  ])('matches paths of 100 kB: %s', (text) => {
    const compiled = new Pattern(text)
    for (const unit of ['a', '-', '/', 'a-', '/-', '.a', 'ae']) {
      expect(compiled.test(`/${unit.repeat(100_000 / unit.length)}`)).toBeTypeOf('boolean')
    }
  })

  it('matches any long path with any pattern in linear time', () => {
    const long = fc
      .tuple(path, fc.integer({ min: 1, max: 8000 }))
      .map(([unit, times]) => unit.repeat(times).slice(0, 100_000))
    fc.assert(
      fc.property(pattern, long, (text, key) => {
        expect(new Pattern(text).test(key)).toBeTypeOf('boolean')
      }),
      { numRuns: 200 },
    )
  })
})

/** How often matching reads the text. */
function countLooks(elements: readonly Element[], text: string): number {
  let looks = 0
  const counted = {
    length: text.length,
    charCodeAt: (at: number) => (looks++, text.charCodeAt(at)),
    startsWith: (literal: string, at: number) => (looks++, text.startsWith(literal, at)),
  }
  matchesElements(elements, counted as unknown as string, 0)
  return looks
}
