/** The routing table: precedence, methods, `next`, and a comparison with a table that tries every entry. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePath } from '../http.ts'
import type { Match, TableEntry } from './match.ts'
import { Pattern } from './pattern.ts'
import { Route } from './route.ts'
import { byPrecedence, RoutingTable } from './table.ts'

type Line = string | RegExp | undefined | { readonly when: string | RegExp | undefined }

/** The routes of a controller in declaration order; the target of a route is its text. */
function controller(
  order: number,
  lines: readonly Line[],
  method = 'GET',
  prefix = '',
): TableEntry<string>[] {
  return lines.map((line, declared) => {
    const hasCondition = typeof line === 'object' && !(line instanceof RegExp)
    const matcher = hasCondition ? line.when : line
    const target = `${matcher instanceof RegExp ? matcher : (matcher ?? 'any')}${hasCondition ? ' if' : ''}`
    return {
      method,
      matcher: new Route(method, matcher).matcher,
      prefix,
      order,
      declared,
      hasCondition,
      target,
    }
  })
}

function chain<T>(first: Match<T> | undefined): T[] {
  const targets: T[] = []
  for (let match = first; match !== undefined; match = match.next()) targets.push(match.target)
  return targets
}

function answers(entries: readonly TableEntry<string>[], path: string, method = 'GET'): string[] {
  return chain(new RoutingTable(entries).lookup(method, parsePath(path)))
}

describe('precedence within a controller', () => {
  it.each<[string, Line[], string[]]>([
    ['/members/new', ['/members/:id', '/members/new'], ['/members/new', '/members/:id']],
    ['/members/new', ['/members/new', '/members/:id'], ['/members/new', '/members/:id']],
    [
      '/m/5.json',
      ['/m/:id', '/m/:id.:ext', '/m/*', '/m/5.:ext'],
      ['/m/5.:ext', '/m/:id.:ext', '/m/:id', '/m/*'],
    ],
    [
      '/a/b',
      ['/*', '/a/*', '/:x/b', '/a/:y', '/:x/:y', '/a/b'],
      ['/a/b', '/a/:y', '/a/*', '/:x/b', '/:x/:y', '/*'],
    ],
    ['/a/b', ['/a(/:x)?', '/a/*', '/a/:y'], ['/a/:y', '/a(/:x)?', '/a/*']],
    ['/a', ['/:x', '/a(/:x)?', '/a/?', '/a'], ['/a', '/a/?', '/a(/:x)?', '/:x']],
    ['/a', ['/:page', '/a(.:format)?'], ['/a(.:format)?', '/:page']],
    ['/m/1', ['/m/:id(.:format)?', '/m/:id'], ['/m/:id', '/m/:id(.:format)?']],
    ['/a/b.c', ['/a/*', '/a/*.*'], ['/a/*.*', '/a/*']],
    ['/a/b/c', ['/a/*', '/a/*/*'], ['/a/*/*', '/a/*']],
    ['/a-b', ['/:x-:y', '/:x', '/a-:y', '/:x-b'], ['/a-:y', '/:x-b', '/:x-:y', '/:x']],
    ['/a.c', ['/:x', '/:x.c', '/a:x', '/a.:x'], ['/a.:x', '/a:x', '/:x.c', '/:x']],
    ['/x', ['/x', { when: '/x' }], ['/x if', '/x']],
    ['/x', [{ when: '/x' }, '/x'], ['/x if', '/x']],
    ['/x', [{ when: '/:a' }, '/x', '/:b'], ['/x', '/:a if', '/:b']],
    ['/1', ['/:a', '/:b', '/:c'], ['/:c', '/:b', '/:a']],
    ['/xyz', [undefined, /y/, '/*', /z/], ['/*', '/z/', '/y/', 'any']],
    [
      '/xyz',
      [/y/, { when: undefined }, { when: /x/ }, undefined],
      ['/x/ if', '/y/', 'any if', 'any'],
    ],
  ])('%s among %j', (path, lines, expected) => {
    expect(answers(controller(0, lines), path)).toEqual(expected)
  })

  it('of two equal patterns the last declared wins, as in a subclass', () => {
    const entries = controller(0, ['/x', '/x']).map((entry, i) => ({ ...entry, target: `x${i}` }))
    expect(answers(entries, '/x')).toEqual(['x1', 'x0'])
  })
})

describe('precedence between controllers', () => {
  it('is the mount order, even if the first controller is more general', () => {
    const entries = [...controller(1, ['/a/b', '/a/:x']), ...controller(0, ['/*', /b/, undefined])]
    expect(answers(entries, '/a/b')).toEqual(['/*', '/b/', 'any', '/a/b', '/a/:x'])
  })

  it('matches the path below the mount path', () => {
    const entries = [
      ...controller(0, ['/', '/:x', /^\/$/, /^\/b$/, undefined], 'GET', '/a'),
      ...controller(1, ['/a', '/a/b', '/ab']),
    ]
    expect(answers(entries, '/a')).toEqual(['/', '/^\\/$/', 'any', '/a'])
    expect(answers(entries, '/a/')).toEqual(['/', '/^\\/$/', 'any'])
    expect(answers(entries, '/a/b')).toEqual(['/:x', '/^\\/b$/', 'any', '/a/b'])
    expect(answers(entries, '/ab')).toEqual(['/ab'])
    expect(answers(entries, '/b')).toEqual([])
  })

  it('matches an entry once, even if groups match in several ways', () => {
    expect(answers(controller(0, ['/a(/:x)?(/:y)?', '/*']), '/a/b')).toEqual([
      '/a(/:x)?(/:y)?',
      '/*',
    ])
  })
})

describe('methods', () => {
  const entries = [
    ...controller(0, ['/a', '/:x']),
    ...controller(0, ['/a'], 'POST'),
    ...controller(1, ['/a'], 'DELETE'),
    ...controller(1, ['/a', '/q'], 'QUERY'),
    ...controller(1, ['/l'], 'LOCK'),
  ]
  const table = new RoutingTable(entries)

  it('finds no route for an unknown method or path', () => {
    expect(table.lookup('TRACE', parsePath('/a'))).toBeUndefined()
    expect(table.lookup('constructor', parsePath('/a'))).toBeUndefined()
    expect(table.lookup('POST', parsePath('/b'))).toBeUndefined()
    expect(table.lookup('GET', parsePath('/a/b'))).toBeUndefined()
  })

  it('serves HEAD with GET routes, after the HEAD routes of the same controller', () => {
    expect(answers(entries, '/a', 'HEAD')).toEqual(['/a', '/:x'])
    const head = { ...controller(1, ['/:x'], 'HEAD')[0]!, target: 'head' }
    const withHead = [...entries, head, ...controller(1, ['/a'])]
    expect(answers(withHead, '/a', 'HEAD')).toEqual(['/a', '/:x', 'head', '/a'])
    expect(answers(withHead, '/a', 'GET')).toEqual(['/a', '/:x', '/a'])
    expect(answers(controller(0, ['/h'], 'HEAD'), '/h', 'HEAD')).toEqual(['/h'])
    expect(answers(controller(0, ['/h'], 'HEAD'), '/h', 'GET')).toEqual([])
  })

  it('collects the allowed methods of all controllers', () => {
    expect(table.allowedMethods(parsePath('/a'))).toEqual([
      'GET',
      'HEAD',
      'POST',
      'DELETE',
      'OPTIONS',
      'QUERY',
    ])
    expect(table.allowedMethods(parsePath('/q'))).toEqual(['GET', 'HEAD', 'OPTIONS', 'QUERY'])
    expect(table.allowedMethods(parsePath('/l'))).toEqual(['GET', 'HEAD', 'OPTIONS', 'LOCK'])
    expect(table.allowedMethods(parsePath('/a/b'))).toEqual([])
  })

  it('ignores routes whose condition does not hold', () => {
    expect(table.allowedMethods(parsePath('/a'), ({ target }) => target === '/:x')).toEqual([
      'GET',
      'HEAD',
      'OPTIONS',
    ])
    expect(table.allowedMethods(parsePath('/a'), () => false)).toEqual([])
  })
})

describe('a regular expression', () => {
  const only = (expression: RegExp, path: string, prefix = '') =>
    new RoutingTable(controller(0, [expression], 'GET', prefix)).lookup('GET', parsePath(path))

  it('matches anywhere in the path', () => {
    expect(only(/reg(ular)?-ex(pression)?/, '/this/is/a/reg-ex')?.params.captures).toEqual([
      undefined,
      undefined,
    ])
    expect(only(/reg(ular)?-ex(pression)?/, '/regular-expression/x')?.params.captures).toEqual([
      'ular',
      'pression',
    ])
    expect(only(/^\/fo(.*)\/ba(.*)/, '/foorooomma/baf')?.params.captures).toEqual(['orooomma', 'f'])
    expect(only(/^\/x$/, '/x/y')).toBeUndefined()
  })

  it('captures undefined for a group that did not match, and nothing without groups', () => {
    expect(only(/^\/(a)?(b)?$/, '/b')?.params.captures).toEqual([undefined, 'b'])
    const match = only(/b/, '/b')
    expect([match?.params.captures, match?.params.splat, [...match!.params.keys()]]).toEqual([
      [],
      [],
      [],
    ])
  })

  it('does not match an encoded slash with a slash, and captures it as a slash', () => {
    expect(only(/^\/([^/]+)$/, '/a%2Fb')?.params.captures).toEqual(['a/b'])
    expect(only(/^\/a\/b$/, '/a%2Fb')).toBeUndefined()
  })

  it('has its named groups as parameters', () => {
    const match = only(/^\/(?<year>\d{4})(?:-(?<month>\d\d))?$/, '/2020')
    expect([match?.params.get('year'), match?.params.get('month'), match?.params.captures]).toEqual(
      [['2020'], undefined, ['2020', undefined]],
    )
    expect([...match!.params.keys()]).toEqual(['year'])
  })

  it('does not depend on earlier matches', () => {
    const table = new RoutingTable(controller(0, [/x/g, /y/y]))
    for (let i = 0; i < 3; i++)
      expect(chain(table.lookup('GET', parsePath('/yx')))).toEqual(['/y/y', '/x/g'])
  })
})

describe('a match', () => {
  const table = new RoutingTable(controller(0, ['/:a/*', '/:b/x', '/s/x']))

  it('has the parameters of its route', () => {
    const first = table.lookup('GET', parsePath('/s/x'))!
    const second = first.next()!
    expect([first.target, [...first.params.keys()]]).toEqual(['/s/x', []])
    expect([second.target, second.params.get('b'), second.params.splat]).toEqual([
      '/:b/x',
      ['s'],
      [],
    ])
    const third = second.next()!
    expect([
      third.params.get('a'),
      third.params.splat,
      third.params.get('splat'),
      third.params.get('*') ?? third.params.first('*'),
    ]).toEqual([['s'], ['x'], undefined, undefined])
    expect(third.params.first('a')).toBe('s')
    expect(third.next()).toBeUndefined()
  })

  it('has all values of a repeated name, and the first of them', () => {
    const { params } = new RoutingTable(controller(0, ['/:a/:a'])).lookup('GET', parsePath('/1/2'))!
    expect([params.get('a'), params.first('a')]).toEqual([['1', '2'], '1'])
  })

  it('is the same object for each lookup of a literal path', () => {
    expect(table.lookup('GET', parsePath('/s/x'))).toBe(table.lookup('GET', parsePath('/s/x')))
  })

  it('supports parameter names of Object.prototype', () => {
    const match = new RoutingTable(controller(0, ['/:constructor/:__proto__'])).lookup(
      'GET',
      parsePath('/a/b'),
    )!
    expect([...match.params.keys()]).toEqual(['constructor', '__proto__'])
    expect(match.params.get('toString')).toBeUndefined()
    expect(match.params.first('toString')).toBeUndefined()
  })
})

it('creates a table with one route more or less from its entries', () => {
  const table = new RoutingTable(controller(0, ['/a', '/b']))
  const more = new RoutingTable([...table.entries, ...controller(1, ['/c'])])
  const less = new RoutingTable(more.entries.filter(({ target }) => target !== '/a'))
  const found = ['/a', '/b', '/c'].map((path) =>
    [table, more, less].map((one) => one.lookup('GET', parsePath(path)) !== undefined),
  )
  expect(found).toEqual([
    [true, true, false],
    [true, true, true],
    [false, true, true],
  ])
})

/** A reference table that tries every entry in order. */
function tryAll(entries: readonly TableEntry<number>[], method: string, key: string): number[] {
  const own = entries.filter(
    (entry) => entry.method === method || (method === 'HEAD' && entry.method === 'GET'),
  )
  return own
    .toSorted(byPrecedence)
    .filter((entry) => matches(entry, key))
    .map(({ target }) => target)
}

function matches({ matcher, prefix = '' }: TableEntry<number>, key: string): boolean {
  if (prefix !== '' && key !== prefix && !key.startsWith(`${prefix}/`)) return false
  const subject = key.slice(prefix.length) || '/'
  if (matcher === undefined) return true
  return matcher instanceof Pattern ? matcher.test(subject) : matcher.test(subject)
}

const texts = [
  '/',
  '/a',
  '/a/',
  '/a/?',
  '/ab',
  '/a/b',
  '/a/b/c',
  '/b',
  '/:x',
  '/:x/b',
  '/a/:x',
  '/:x/:y',
  '/:x/?',
  '/a:x',
  '/:x.:y',
  '/a/:x.:y',
  '/:x-b',
  '/*',
  '/a/*',
  '/*/b',
  '/a/*.*',
  '/*.*',
  '*',
  '/a(/:x)?',
  '/:x(.:y)?',
  '/a/?:x?',
  '(/:x)?/b',
  '/a(/b(/c)?)?',
  '/:x/:y/:z',
  '/a/:x/c',
  '/aa/bb',
  '/a.b',
]
const matcher = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...texts).map((text) => new Pattern(text)) },
  { weight: 2, arbitrary: fc.constantFrom(/a/, /^\/a/, /b$/, /\./) },
  { weight: 1, arbitrary: fc.constant(undefined) },
)
const entry = fc.record({
  method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST'),
  matcher,
  prefix: fc.constantFrom('', '', '', '/a', '/a/b'),
  order: fc.nat({ max: 4 }),
  hasCondition: fc.boolean(),
})
const path = fc
  .string({ unit: fc.constantFrom('a', 'b', 'c', '/', '/', '.', '-'), maxLength: 9 })
  .map((rest) => `/${rest}`)

it('finds the same routes as the reference table', () => {
  fc.assert(
    fc.property(
      fc.array(entry, { maxLength: 60, size: 'max' }),
      fc.array(path, { maxLength: 10 }),
      (drawn, paths) => {
        const entries = drawn.map((one, declared) => ({ ...one, declared, target: declared }))
        const table = new RoutingTable(entries)
        const known = texts.filter((text) => /^[\w/.]+$/.test(text))
        for (const raw of [...paths, ...known].filter((one) => !/(^|\/)\.\.?(\/|$)/.test(one))) {
          for (const method of ['GET', 'HEAD', 'POST']) {
            const found = chain(table.lookup(method, parsePath(raw)))
            expect([method, raw, ...found]).toEqual([method, raw, ...tryAll(entries, method, raw)])
          }
        }
      },
    ),
    { numRuns: 300 },
  )
})

it('has the same parameters with one or several candidates', () => {
  const all = {
    method: 'GET',
    matcher: undefined,
    order: 5,
    declared: 99,
    hasCondition: false,
    target: 99,
  }
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 4 }), path, (drawn, raw) => {
      fc.pre(!/(^|\/)\.\.?(\/|$)/.test(raw))
      const entries = drawn.map((one, declared) => ({ ...one, declared, target: declared }))
      const found = new RoutingTable(entries).lookup('GET', parsePath(raw))
      fc.pre(found !== undefined)
      const among = new RoutingTable([...entries, all]).lookup('GET', parsePath(raw))!
      expect(valuesOf(found)).toEqual(valuesOf(among))
    }),
    { numRuns: 2000 },
  )
})

function valuesOf({ target, params }: Match<number>): unknown {
  const named = [...params.keys()].map((name) => [name, params.get(name)])
  return { target, named, splat: params.splat, captures: params.captures }
}
