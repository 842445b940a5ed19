/** The text of `fw routes`: routes, their filters, and the words that select them. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startApplication,
  FwLifeCycle,
  type MountedRoute,
  type ServletContext,
} from '../../runtime/app.ts'
import { silentLogger } from '../../runtime/base.ts'
import { FwController, mix, routes } from '../../runtime/controller.ts'
import { TxPerRequestFilter } from '../../runtime/feature.ts'
import { chooseRoutes, routeTree } from './show-routes.ts'
import { plain } from './terminal.ts'

class Base extends mix(FwController, TxPerRequestFilter) {
  static {
    this.before(function requireLogin() {})
    this.afterAction({ except: ['show'] }, (c) => c.audit())
  }
  audit(): void {}
}

class BooksController extends Base {
  static {
    this.beforeAction({ only: ['show'] }, (c) => c.load())
  }
  load(): void {}
  index(): string {
    return ''
  }
  one(): string {
    return ''
  }
}

const books = routes(BooksController, (r) => ({
  indexUrl: r.get('/books/?', 'index'),
  showUrl: r.get('/books/:id', { when: () => true }, 'one').as('show'),
  pingUrl: r.get('/ping', () => 'pong'),
})).beforeAction({ only: ['show'] }, function countVisits() {})

class Bootstrap extends FwLifeCycle {
  override initFwApp(ctx: ServletContext): void {
    books.mount(ctx, '/shop')
  }
}

const root = mkdtempSync(join(tmpdir(), 'fw-routes-'))
let all: readonly MountedRoute[]

beforeAll(async () => {
  const options = { root, logger: silentLogger, database: false } as const
  const application = await startApplication(new Bootstrap(), options)
  all = application.routes
  await application.close()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

test('filters that all routes of a controller share are listed once, the others below their route, in order', () => {
  expect(routeTree(all, { width: Infinity, paint: plain })).toBe(
    [
      'BooksController',
      '  around TxPerRequestFilter, before requireLogin',
      '  GET  /shop/books/?    index',
      '         afterAction c.audit()',
      '  GET  /shop/books/:id  show   one (on a condition)',
      '         beforeAction c.load(), beforeAction countVisits',
      '  GET  /shop/ping              (in place)',
      '         afterAction c.audit()',
      '',
    ].join('\n'),
  )
})

test('a narrow terminal gets lines that fit, and loses nothing', () => {
  const text = routeTree(all, { width: 40, paint: plain })
  expect(text.split('\n').filter((line) => line.length > 40)).toEqual([])
  for (const word of ['/shop/books/:id', 'one (on a condition)', 'TxPerRequestFilter', 'c.load()'])
    expect(text).toContain(word)
})

test('--filters lists every filter of a route with its stage and the class that registered it', () => {
  const show = all.find(({ name }) => name === 'show')!
  expect(show).toMatchObject({ action: 'one', isConditional: true, controller: 'BooksController' })
  expect(show.filters().filter(({ owner }) => owner !== 'FwControllerBase')).toEqual([
    { stage: 'around', filter: 'beginTransaction', owner: 'TxPerRequestFilter' },
    { stage: 'load', filter: 'load', owner: 'FwController' },
    { stage: 'before', filter: 'requireLogin', owner: 'Base' },
    { stage: 'beforeAction', filter: 'c.load()', owner: 'BooksController' },
    { stage: 'beforeAction', filter: 'countVisits', owner: 'BooksController' },
    { stage: 'save', filter: 'save', owner: 'FwController' },
    { stage: 'keep', filter: 'keep', owner: 'FwController' },
  ])
  expect(routeTree([show], { width: 80, paint: plain, filters: true })).toContain(
    'before requireLogin (Base)',
  )
})

test.each([
  [['get'], ['index', 'show', undefined]],
  [['BOOKS', 'show'], ['show']],
  [['/shop/books'], ['index', 'show']],
  [['/shop/books/7?page=2'], ['show']],
  [
    ['get', '/shop/books/'],
    ['index', 'show'],
  ],
  [['post', '/shop/books/7'], []],
  [['/shop/../etc'], []],
  [['nothing'], []],
])('the words %j choose %j', (words, names) => {
  expect(chooseRoutes(all, words).map(({ name }) => name)).toEqual(names)
})
