/** The types of a client that knows the application only by its types; `tsc` checks them. */
import { expectTypeOf, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { FwApiController, routes } from '../../src/runtime/controller.ts'
import { belongsTo, json, model, type RowOf } from '../../src/runtime/model.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { apiResource, FwApiResource } from '../../src/runtime/resource.ts'
import type * as generated from './application/api.ts'
import type { controllers } from './application/src/main/controller/controllers.ts'

const api = createClient<typeof controllers>()
type ResultOf<F extends () => unknown> = Awaited<ReturnType<F>>
type Body<F extends () => unknown, S> = Extract<
  ResultOf<F>,
  { readonly status: S; readonly body: unknown }
>['body']
type Value<F extends () => unknown> = Extract<
  ResultOf<F>,
  { readonly ok: true; readonly body: unknown }
>['body']

const list = () => api.get('/articles')
const show = () => api.get('/articles/:id', { path: { id: 1 } })
const create = () => api.post('/articles', { body: { title: 'x' } })
const remove = () => api.delete('/articles/:id', { path: { id: 1 } })
const counts = () => api.get('/counts')
const stats = () => api.get('/stats/:year(/:month)?', { path: { year: 1 }, query: { deep: true } })

test('a result has the type of its JSON', () => {
  type Article = Value<typeof list>['articles'][number]
  expectTypeOf<Article['publishedOn']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<Article['createdAt']>().toEqualTypeOf<string>()
  expectTypeOf<Article['views']>().toEqualTypeOf<string>()
  expectTypeOf<Article['state']>().toEqualTypeOf<'draft' | 'published'>()
  expectTypeOf<Article['tags']>().toEqualTypeOf<readonly string[]>()
  expectTypeOf<Value<typeof counts>['states']>().toEqualTypeOf<readonly 'draft'[]>()
  expectTypeOf<Value<typeof counts>['byTag']['x']>().toEqualTypeOf<number>()
})

test('the status selects the type of the body', () => {
  expectTypeOf<Body<typeof show, 404>['reason']>().toEqualTypeOf<string>()
  expectTypeOf<Body<typeof create, 201>['id']>().toEqualTypeOf<number>()
  expectTypeOf<
    Extract<ResultOf<typeof remove>, { readonly ok: true }>['status']
  >().toEqualTypeOf<204>()
  expectTypeOf<Value<typeof remove>>().toEqualTypeOf<undefined>()
  expectTypeOf<Body<typeof stats, 409>>().toEqualTypeOf<{ readonly busy: boolean }>()
  expectTypeOf<Value<typeof stats>>().toEqualTypeOf<{ readonly articles: number }>()
})

test('wrong requests do not compile', () => {
  const wrong = [
    // @ts-expect-error: no such path
    () => api.get('/artcles'),
    // @ts-expect-error: another method
    () => api.put('/articles'),
    // @ts-expect-error: the id is missing
    () => api.get('/articles/:id'),
    // @ts-expect-error: the title is a text
    () => api.post('/articles', { body: { title: 1 } }),
    // @ts-expect-error: the title is missing
    () => api.post('/articles', { body: { tags: [] } }),
    // @ts-expect-error: the query has no such parameter
    () => api.get('/stats/:year(/:month)?', { path: { year: 1 }, query: { depth: true } }),
  ]
  expectTypeOf(wrong).toBeArray()
})

test('an inline action takes any body and returns an unknown one', () => {
  const pings = routes(class extends FwApiController {}, (r) => ({
    ping: r.get('/ping/:id', () => ({ pong: 1 })),
    post: r.post('/ping', () => 1).as('ping'),
  }))
  const client = createClient<typeof pings>()
  const ping = () => client.get('/ping/:id', { path: { id: 1 } })
  const post = () => client.post('/ping', { body: { any: 1 } })
  expectTypeOf<Value<typeof ping>>().toBeUnknown()
  expectTypeOf<Value<typeof post>>().toBeUnknown()
})

test('a result without a value, a promise-like result and one that never comes', () => {
  class Api extends FwApiController {
    async find(): Promise<{ at: Date } | undefined> {
      return undefined
    }
    later(): PromiseLike<{ at: Date }> {
      return Promise.resolve({ at: new Date(0) })
    }
    fail(): never {
      throw new Error('never')
    }
  }
  const apis = routes(Api, (r) => ({
    find: r.get('/find', 'find'),
    later: r.get('/later', 'later'),
    fail: r.get('/fail', 'fail'),
  }))
  const client = createClient<typeof apis>()
  const find = () => client.get('/find')
  const later = () => client.get('/later')
  const fail = () => client.get('/fail')
  type Found = { readonly at: string }
  expectTypeOf<Value<typeof find>>().toEqualTypeOf<Found | undefined>()
  expectTypeOf<Value<typeof later>>().toEqualTypeOf<Found>()
  expectTypeOf<ResultOf<typeof fail>['ok']>().toEqualTypeOf<false>()
})

test('a description with an unknown name or option does not compile', () => {
  abstract class Api extends FwApiController {
    index() {
      return 1
    }
  }
  const declare = () =>
    routes(Api as never as typeof FwApiController, (r) => ({ u: r.get('/x', () => 1).as('index') }))
  const wrong = [
    // @ts-expect-error: no such route
    () => declare().describe({ routes: { indx: { summary: 'x' } } }),
    // @ts-expect-error: no such option
    () => declare().describe({ routes: { index: { sumary: 'x' } } }),
  ]
  expectTypeOf(wrong).toBeArray()
})

test('a resource has the types of its model, in snake case', () => {
  const Task = model('tasks', {
    id: ParamType.Long,
    dueOn: ParamType.optional(ParamType.LocalDate),
    isHTMLText: ParamType.Boolean,
    status: ParamType.oneOf('open', 'closed'),
    photo: ParamType.optional(ParamType.ByteArray),
  })
  type Task = RowOf<typeof Task>
  class Tasks extends FwApiResource(FwApiController, {
    model: Task,
    resourcesName: 'tasks',
    resourceName: 'task',
    createFormStrongParameters: { dueOn: ParamType.LocalDate },
  }) {}
  const tasks = apiResource(Tasks)
  const client = createClient<typeof tasks>()
  const index = () => client.get('/tasks.json')
  const update = () => client.patch('/tasks/:id.json', { path: { id: 1 }, body: {} })
  const sow = () => client.post('/tasks.json', { body: { dueOn: '2026-01-02' } })
  type Row = Value<typeof index>[number]
  expectTypeOf<Row['due_on']>().toEqualTypeOf<string | null>()
  expectTypeOf<Row['photo']>().toEqualTypeOf<string | null>()
  expectTypeOf<Row['is_html_text']>().toEqualTypeOf<boolean>()
  expectTypeOf<Row['status']>().toEqualTypeOf<'open' | 'closed'>()
  expectTypeOf<Task['status']>().toEqualTypeOf<'open' | 'closed'>()
  expectTypeOf<Body<typeof sow, 201>['status']>().toEqualTypeOf<'open' | 'closed'>()
  expectTypeOf<Value<typeof update>>().toEqualTypeOf<Row>()
  expectTypeOf<Body<typeof sow, 201>>().toEqualTypeOf<Row>()
  const reap = () => client.delete('/tasks/:id.json', { path: { id: 1 } })
  expectTypeOf<Body<typeof reap, 204>>().toEqualTypeOf<undefined>()
})

test('an optional field of a body may be absent or null, another one neither', () => {
  const fields = {
    name: ParamType.String,
    nick: ParamType.optional(ParamType.String),
    age: ParamType.optional(ParamType.Int),
    tags: ParamType.array(ParamType.String),
    isAdmin: ParamType.Boolean,
  }
  class People extends FwApiController {
    create() {
      return this.params.permit(fields)
    }
  }
  const people = routes(People, (r) => ({ create: r.post('/people', 'create') })).describe({
    routes: { create: { body: fields } },
  })
  const client = createClient<typeof people>()
  const right = [
    () => client.post('/people', { body: { name: 'Ann', isAdmin: true, tags: [] } }),
    () =>
      client.post('/people', {
        body: { name: 'Ann', isAdmin: true, tags: [], nick: null, age: null },
      }),
  ]
  expectTypeOf(right).toBeArray()
  const wrong = [
    // @ts-expect-error: the name is absent
    () => client.post('/people', { body: { isAdmin: true, tags: [] } }),
    // @ts-expect-error: the name is null
    () => client.post('/people', { body: { name: null, isAdmin: true, tags: [] } }),
    // @ts-expect-error: a boolean is null
    () => client.post('/people', { body: { name: 'Ann', isAdmin: null, tags: [] } }),
    // @ts-expect-error: a list is null
    () => client.post('/people', { body: { name: 'Ann', isAdmin: true, tags: null } }),
  ]
  expectTypeOf(wrong).toBeArray()
})

test('the generated client allows null and absence for an optional field only', () => {
  type Sent = generated.ArticlesRenameForm
  expectTypeOf<Sent['note']>().toEqualTypeOf<string | null | undefined>()
  expectTypeOf<Sent['title']>().toEqualTypeOf<string>()
  expectTypeOf<{ readonly title: string }>().toExtend<Sent>()
  expectTypeOf<{ readonly note: null }>().not.toExtend<Sent>()
})

test('a record of a resource has no hidden fields, or those of its view', () => {
  const Author = model(
    'authors',
    { id: ParamType.Long, fullName: ParamType.String, passwordHash: ParamType.String },
    { hidden: ['passwordHash'] },
  )
  const Book = model('books', {
    id: ParamType.Long,
    authorId: ParamType.optional(ParamType.Long),
    theText: ParamType.optional(ParamType.String),
    moreData: json<{ camelCase: number }>(),
  })
  const AuthorView = Author.view({ fields: ['fullName'] })
  const output = Book.view({
    fields: ['id', 'theText', 'moreData'],
    computed: { wordCount: [ParamType.Int, () => 1] },
    relations: { theAuthor: [belongsTo(Book, 'authorId', Author), AuthorView] },
  })
  class Authors extends FwApiResource(FwApiController, {
    model: Author,
    resourcesName: 'authors',
    resourceName: 'author',
  }) {}
  class Books extends FwApiResource(FwApiController, {
    model: Book,
    resourcesName: 'books',
    resourceName: 'book',
    output,
  }) {}
  const all = { authors: apiResource(Authors), books: apiResource(Books) }
  const client = createClient<typeof all>()
  const authors = () => client.get('/authors.json')
  const book = () => client.get('/books/:id.json', { path: { id: 1 } })
  expectTypeOf<keyof Value<typeof authors>[number]>().toEqualTypeOf<'id' | 'full_name'>()
  type Shown = Value<typeof book>
  expectTypeOf<keyof Shown>().toEqualTypeOf<
    'id' | 'the_text' | 'more_data' | 'word_count' | 'the_author'
  >()
  expectTypeOf<Shown['the_text']>().toEqualTypeOf<string | null>()
  expectTypeOf<Shown['more_data']>().toEqualTypeOf<{ readonly camelCase: number }>()
  expectTypeOf<keyof NonNullable<Shown['the_author']>>().toEqualTypeOf<'full_name'>()
  expectTypeOf<Extract<Shown['the_author'], null>>().toEqualTypeOf<null>()
})
