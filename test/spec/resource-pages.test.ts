/** Lists by key of a resource: pages, order, filters and search by the fields that its option names. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { useDatabase, type Database } from '../../src/runtime/db.ts'
import { FwController } from '../../src/runtime/controller.ts'
import { openInMemory } from '../../src/runtime/db/engines.fixture.ts'
import { belongsTo, model, type KeyPageRequest } from '../../src/runtime/model.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { FwResource, resource } from '../../src/runtime/resource.ts'
import { describeResource } from '../../src/tools/openapi/describe-resource.ts'
import { serve } from '../support/serve.ts'

const Shelf = model('shelves', { id: ParamType.Long, name: ParamType.String })
const Book = model('books', {
  id: ParamType.Long,
  title: ParamType.String,
  isbn: ParamType.optional(ParamType.String),
  year: ParamType.optional(ParamType.Int),
  isLent: ParamType.Boolean,
  kind: ParamType.String,
  shelfId: ParamType.Long,
})

const options = {
  model: Book,
  resourcesName: 'books',
  resourceName: 'book',
  createFormStrongParameters: { title: ParamType.String },
  pageByKey: {
    sort: ['title', 'year'],
    filter: ['isLent', 'shelfId', 'kind'],
    search: ['title', 'isbn'],
  },
} as const
class BooksController extends FwResource(FwController, options) {}

const view = `<%@import type { ResourceList } from 'fwjs' %><%@val items: readonly { id: number }[] %><%@val list: ResourceList %>
<h1>\${list.total}\${list.isTotalExact ? '' : '+'}</h1>#for (item of items)<li>\${item.id}</li>#end
#if (list.previous)<a id="previous" href="\${'/books?' + String(new URLSearchParams(list.previous))}">previous</a>#end
#if (list.next)<a id="next" href="\${'/books?' + String(new URLSearchParams(list.next))}">next</a>#end
#if (list.last)<a id="last" href="\${'/books?' + String(new URLSearchParams(list.last))}">last</a>#end
<a id="year" href="\${'/books?' + String(new URLSearchParams(list.sortBy('year')))}">\${list.sortOf('year')}</a>
<a id="size" href="\${'/books?' + String(new URLSearchParams(list.withSize(50)))}">\${list.size}</a>
<p>\${list.search} \${list.filter('shelfId')} \${JSON.stringify(list.kept)} \${list.isRestricted}</p>`
const files = { 'src/main/webapp/WEB-INF/views/books/index.html.ssp': view }

// The lists are on the embedded database, also in a run on a server.
beforeAll(() => void vi.stubEnv('DATABASE_URL', undefined))
afterAll(() => void vi.unstubAllEnvs())

describe('lists by key', () => {
  let database: Database
  const sql = (text: string) => database.query({ sql: text, parameters: [] })

  beforeAll(async () => {
    database = await openInMemory()
    useDatabase(database)
    await sql("create type book_kind as enum ('novel', 'atlas')")
    await sql('create table shelves (id bigserial primary key, name text not null)')
    await sql(`create table books (id bigserial primary key, title text not null, isbn text, year int,
      is_lent boolean not null default false, kind book_kind not null default 'novel', shelf_id bigint not null references shelves)`)
  })
  beforeEach(async () => {
    await sql('truncate books, shelves restart identity')
    await sql("insert into shelves (name) values ('A'), ('B')")
    await sql(`insert into books (title, year, is_lent, shelf_id)
      select 'Book ' || n, nullif(n % 4, 0), n % 2 = 0, 1 + n % 2 from generate_series(1, 25) n`)
  })
  afterAll(async () => {
    useDatabase(undefined)
    await database.close()
  })

  const linksOf = (page: { headers: Headers }) =>
    new Map(
      [...(page.headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(
        ([, url, rel]) => [rel!, url!],
      ),
    )

  it('follow Link forwards and backwards, with the rest of the query', async () => {
    const app = await serve([resource(BooksController)])
    const walk = async (from: string, rel: string) => {
      const seen: number[][] = []
      for (let url: string | undefined = from; url !== undefined;) {
        const page = await app.get(url)
        expect([page.status, page.headers.get('x-total-count')]).toEqual([200, '12'])
        seen.push(page.json().map(({ id }: { id: number }) => id))
        url = linksOf(page).get(rel)
      }
      return seen
    }
    const path = '/books.json?size=5&sort=-year&is_lent=true'
    const forwards = await walk(path, 'next')
    const links = linksOf(await app.get(path))
    expect(links.get('first')).toBe('/books.json?size=5&sort=-year&is_lent=true')
    const backwards = await walk(links.get('last')!, 'prev')
    expect(forwards.flat()).toEqual(backwards.toReversed().flat())
    expect(forwards[0]).toEqual([24, 20, 16, 12, 8])
    expect(forwards.flat()).toHaveLength(12)
  })

  it('count exactly only on request, above the limit', async () => {
    const app = await serve([resource(BooksController)], { files })
    await sql(`insert into books (title, shelf_id) select 'x', 1 from generate_series(1, 10000)`)
    const list = await app.get('/books.json?size=1')
    expect([list.status, list.headers.get('x-total-count')]).toEqual([200, null])
    const exact = await app.get('/books.json?size=1&total=exact')
    expect(exact.headers.get('x-total-count')).toBe('10025')
    expect((await app.get('/books')).html('h1')).toBe('10000+')
  })

  it('give a view its links, its order and what was sent', async () => {
    const app = await serve([resource(BooksController)], { files })
    const first = await app.get('/books?size=10&sort=year&shelfId=2&q=book')
    expect([first.html('h1'), first.all('li').length]).toEqual(['13', 10])
    expect(first.html('p')).toBe('book 2 {"sort":"year","size":"10"} true')
    expect(first.html('#year')).toBe('ascending')
    expect(first.attribute('#year', 'href')).toBe('/books?size=10&q=book&shelfId=2&sort=-year')
    expect(first.attribute('#size', 'href')).toBe('/books?sort=year&q=book&shelfId=2&size=50')
    expect(first.all('#previous')).toEqual([])
    const second = await app.get(first.attribute('#next', 'href') ?? '')
    expect([second.all('li').length, second.all('#next')]).toEqual([3, []])
    const back = await app.get(second.attribute('#previous', 'href') ?? '')
    expect(back.all('li')).toEqual(first.all('li'))
    const last = await app.get(first.attribute('#last', 'href') ?? '')
    expect(last.all('li').slice(-3)).toEqual(second.all('li'))
    const plain = await app.get('/books')
    expect([plain.html('#year'), plain.html('p')]).toEqual(['none', '{} false'])
  })

  it('search the text itself, in any case, in each field', async () => {
    await sql(
      `insert into books (title, isbn, shelf_id) values ('100% \\_', 'x', 1), ('other', 'ISBN-100%', 1)`,
    )
    const app = await serve([resource(BooksController)])
    const found = async (q: string) =>
      (await app.get('/books.json', { query: { q } })).json().length
    expect(await found('100%')).toBe(2)
    expect(await found('\\_')).toBe(1)
    expect(await found('BOOK 1')).toBe(11)
    expect(await found(' ')).toBe(20)
  })

  it.each([
    ['sort=id', 'resource.list-invalid'],
    ['sort=isbn', 'resource.list-invalid'],
    ['sort=--title', 'resource.list-invalid'],
    ['sort=title;drop', 'resource.list-invalid'],
    ['shelf_id=x', 'resource.list-invalid'],
    ['total=all', 'resource.list-invalid'],
    ['after=&before=', 'resource.list-invalid'],
    [`q=${'x'.repeat(201)}`, 'resource.list-invalid'],
    ['kind=song', 'model.cursor-invalid'],
    ['after=x', 'model.cursor-invalid'],
    ['before=bm9uZQ', 'model.cursor-invalid'],
    [`after=${'A'.repeat(5000)}`, 'model.cursor-invalid'],
  ])('answer %s with a 400 that says why', async (query, code) => {
    const app = await serve([resource(BooksController)], { files })
    const refused = await app.get(`/books.json?${query}`)
    expect([refused.status, refused.json().code]).toEqual([400, code])
    expect((await app.get(`/books?${query}`)).status).toBe(400)
  })

  it('ignore a field that is not named, and an invalid size', async () => {
    const app = await serve([resource(BooksController)])
    expect((await app.get('/books.json?title=x&size=0&page=7')).json()).toHaveLength(20)
    expect((await app.get('/books.json?size=1000')).json()).toHaveLength(25)
  })

  it('are tagged by their content and neighbours', async () => {
    const app = await serve([resource(BooksController)])
    const etag = async () => (await app.get('/books.json?size=25')).headers.get('etag')
    const before = await etag()
    expect(await etag()).toBe(before)
    await sql("insert into books (title, shelf_id) values ('more', 1)")
    expect(await etag()).not.toBe(before)
  })

  it('stay inside the parent, and inside the query of an override', async () => {
    class ShelfBooksController extends FwResource(FwController, {
      ...options,
      resourcesBasePathPrefix: '/shelves/:shelfId',
      parent: { model: Shelf, field: 'shelfId' },
    }) {}
    class LentController extends FwResource(FwController, { ...options, resourcesName: 'lent' }) {
      override findPageByKey(request: KeyPageRequest) {
        return Book.where({ isLent: true }).paginate(request)
      }
    }
    const app = await serve([resource(ShelfBooksController), resource(LentController)])
    const books = (await app.get('/shelves/2/books.json?sort=-title&shelfId=1&size=200')).json()
    expect(new Set(books.map(({ shelf_id }: { shelf_id: number }) => shelf_id))).toEqual(
      new Set([2]),
    )
    const lent = (await app.get('/lent.json?isLent=false')).json()
    expect(lent).toEqual([])
    expect((await app.get('/lent.json')).headers.get('x-total-count')).toBe('12')
  })

  it('keep the parameters of the application in their links', async () => {
    class RangeController extends FwResource(FwController, {
      ...options,
      pageByKey: { ...options.pageByKey, parameters: ['from'] },
    }) {
      override findPageByKey(request: KeyPageRequest) {
        const from = this.params.getAs('from', ParamType.Int)
        const found = from === undefined ? Book.query() : Book.where('id', '>=', from)
        return found.paginate(request)
      }
    }
    const read = "<%@val list: ResourceList %>\n<h2>${list.filter('from')}</h2>"
    const file = Object.keys(files)[0]!
    const shown = { [file]: view.replace('<%@val list: ResourceList %>', read) }
    const app = await serve([resource(RangeController)], { files: shown })
    const page = await app.get('/books?from=11&size=10')
    expect([page.html('h1'), page.html('h2')]).toEqual(['15', '11'])
    expect(page.html('p')).toBe('{"size":"10"} true')
    const second = await app.get(page.attribute('#next', 'href') ?? '')
    expect(second.all('li')).toEqual(['21', '22', '23', '24', '25'])
    expect(page.attribute('#year', 'href')).toBe('/books?size=10&from=11&sort=year')
    const query = { action: 'showResources', method: 'GET', format: 'json' }
    expect(describeResource(RangeController, query)!.query).toMatchObject({
      from: { type: 'string' },
    })
  })

  it('show relations and further values on pages only, one statement for each relation', async () => {
    class ShownController extends FwResource(FwController, {
      ...options,
      include: { shelf: belongsTo(Book, 'shelfId', Shelf) },
    }) {
      override async preparePage(view: string) {
        if (view === 'index') this.set('shelves', await Shelf.findAll())
      }
    }
    const folder = 'src/main/webapp/WEB-INF/views/books'
    const shown = (value: string) =>
      `<%@val ${value}: { readonly shelf?: { readonly name: string } }${value === 'items' ? '[]' : ''} %>`
    const views = {
      [`${folder}/index.html.ssp`]: `${shown('items')}\n<%@val shelves: readonly unknown[] %>\n<h1>\${items.map(({ shelf }) => shelf?.name).join('')}</h1>\${shelves.length}`,
      [`${folder}/show.html.ssp`]: `${shown('item')}\n<h1>\${item.shelf?.name}</h1>`,
    }
    const app = await serve([resource(ShownController)], { files: views })
    const list = await app.get('/books?size=4')
    expect([list.html('h1'), list.body.endsWith('2')]).toEqual(['BABA', true])
    expect((await app.get('/books/1')).html('h1')).toBe('B')
    const record = (await app.get('/books/1.json')).json()
    expect(record).not.toHaveProperty('shelf')
    expect((await app.get('/books.json')).json()[0]).toEqual(record)
  })

  it('fail if an overridden hook would be left out', async () => {
    class HiddenController extends FwResource(FwController, options) {
      override async findResources() {
        return []
      }
    }
    const app = await serve([resource(HiddenController)])
    expect((await app.get('/books.json')).status).toBe(500)
    expect(app.lines.some(({ fields }) => String(fields['err']).includes('findPageByKey'))).toBe(
      true,
    )
  })

  it.each([
    [{ sort: ['nothing'] }, 'nothing'],
    [{ filter: ['size'] }, 'size'],
    [{ parameters: ['after'] }, 'after'],
  ])('refuse the option %j', (pageByKey, name) => {
    const Sized = model('sized', { id: ParamType.Long, size: ParamType.Int })
    expect(() =>
      FwResource(FwController, { ...options, model: Sized, pageByKey: pageByKey as never }),
    ).toThrow(name)
  })

  it('are described for OpenAPI', () => {
    const query = { action: 'showResources', method: 'GET', format: 'json' }
    const described = describeResource(BooksController, query)!
    expect(described.query).toMatchObject({
      size: { maximum: 200 },
      after: { type: 'string' },
      before: { type: 'string' },
      sort: { enum: ['title', '-title', 'year', '-year'] },
      q: { maxLength: 200 },
      total: { enum: ['exact'] },
    })
    expect(Object.keys(described.query!)).toEqual(
      expect.arrayContaining(['is_lent', 'shelf_id', 'kind']),
    )
    expect(described.responses).toHaveProperty('400')
  })
})
