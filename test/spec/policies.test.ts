/** Policies: rules as plain functions, refused by default, with 403 or 404. */
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest'
import { FwController, FwFilter, mix, routes } from '../../src/runtime/controller.ts'
import { currentDatabase, useDatabase } from '../../src/runtime/db.ts'
import { engines, type OpenEngine } from '../../src/runtime/db/engines.fixture.ts'
import { authorize, policy, TxPerRequestFilter } from '../../src/runtime/feature.ts'
import { model, type RowOf } from '../../src/runtime/model.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { FwResource, resource } from '../../src/runtime/resource.ts'
import { serve } from '../support/serve.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
beforeAll(() => void vi.stubEnv('DATABASE_URL', undefined))
afterAll(() => void vi.unstubAllEnvs())

interface User {
  readonly id: number
}
const Article = model('articles', {
  id: ParamType.Long,
  userId: ParamType.Long,
  title: ParamType.String,
})
type Article = RowOf<typeof Article>

const articlePolicy = policy({
  index: () => true,
  show: (user: User | null, article: Article) =>
    article.title !== 'draft' || article.userId === user?.id || 404,
  create: (user: User | null) => user !== null,
  update: (user: User | null, article: Article) => article.userId === user?.id,
  publish: (user: User | null, article: Article) => user?.id === 9 && article.id > 0,
})

const ann = { id: 1 }
const article: Article = { id: 1, userId: 1, title: 'first' }

it('can asks the rule, with its types, and refuses an action without a rule', () => {
  expect(articlePolicy.can(ann, 'update', article)).toBe(true)
  expect(articlePolicy.can({ id: 2 }, 'update', article)).toBe(false)
  expect(articlePolicy.can(null, 'update', article)).toBe(false)
  expect(articlePolicy.can(null, 'index')).toBe(true)
  expect(articlePolicy.can(null, 'show', { ...article, title: 'draft' })).toBe(false)
  expect(articlePolicy.decide(null, 'show', { ...article, title: 'draft' })).toBe(404)
  for (const unknown of ['destroy', 'constructor', 'toString', '__proto__'])
    // @ts-expect-error the policy has no such rule
    expect(articlePolicy.can(ann, unknown, article)).toBe(false)
  // @ts-expect-error the rule needs a record
  expect(() => articlePolicy.can(ann, 'update')).toThrow(TypeError)
  // @ts-expect-error a user has an id
  expect(articlePolicy.can({ name: 'Ann' }, 'update', article)).toBe(false)
  expectTypeOf(articlePolicy.can(ann, 'create')).toEqualTypeOf<boolean>()
})

it('only true allows: a rule that returns another truthy value refuses', () => {
  const careless = policy({ open: () => 'yes' as never, count: () => 1 as never })
  expect([careless.can(ann, 'open'), careless.can(ann, 'count')]).toEqual([false, false])
})

class Base extends mix(FwController, TxPerRequestFilter) {
  get currentUser(): User | null {
    const id = this.request.header('x-user')
    return id === undefined ? null : { id: Number(id) }
  }
}

class ArticlesController extends FwResource(mix(Base, authorize(articlePolicy)), {
  model: Article,
  resourcesName: 'articles',
  resourceName: 'article',
  createFormStrongParameters: { title: ParamType.String },
}) {
  override doCreateAndReturnId(permitted: object) {
    const id = this.currentUser!.id
    return Article.createWithPermittedAttributes(
      Object.defineProperty(permitted, 'userId', { value: id, enumerable: true }) as never,
    )
  }
}

class ActionsController extends mix(Base, authorize(articlePolicy, { except: ['open'] })) {
  async publish() {
    const found = await this.find()
    this.authorize('publish', found)
    await this.rename(found)
    return 'published'
  }
  /** Forgets to ask, after it has written. */
  async forget() {
    await this.rename(await this.find())
    return 'a secret'
  }
  open() {
    return 'open'
  }
  async may() {
    const found = await this.find()
    this.authorize('index')
    return [this.can('update', found), this.can('publish', found)]
  }
  away() {
    return this.redirect('/login')
  }
  private async find(): Promise<Article> {
    return (await Article.findById(1)) ?? this.halt(404)
  }
  private rename({ id }: Article) {
    const sql = "update articles set title = 'changed' where id = $1"
    return currentDatabase().query({ sql, parameters: [id] })
  }
}
class MembersController extends mix(
  Base,
  FwFilter({ name: 'Login', before: (c) => void c.redirect('/login') }),
  authorize(articlePolicy),
) {
  index() {
    return 'members'
  }
}
const members = routes(MembersController, (r) => ({ index: r.get('/members', 'index') }))
const actions = routes(ActionsController, (r) => ({
  publish: r.post('/publish', 'publish'),
  forget: r.post('/forget', 'forget'),
  open: r.get('/open', 'open'),
  may: r.get('/may', 'may'),
  away: r.get('/away', 'away'),
}))

const views = 'src/main/webapp/WEB-INF/views/articles'
const files = {
  [`${views}/index.html.ssp`]: '<h1>list</h1>',
  [`${views}/show.html.ssp`]: `<%@import { articlePolicy } from '../../../../model/rules.ts' %><%@val item: { title: string; userId: number } %>
<h1>\${item.title}</h1>#if (articlePolicy.can({ id: 1 }, 'update', item))<a>edit</a>#end`,
  [`${views}/new.html.ssp`]: '<h1>new</h1>',
  [`${views}/edit.html.ssp`]: '<h1>edit</h1>',
  'src/main/model/rules.ts': `import { policy } from 'fwjs'
export const articlePolicy = policy({ update: (user: { id: number }, article: { userId: number }) => user.id === article.userId })`,
}

describe.each(engines)('on $name', ({ open }) => {
  let engine: OpenEngine
  const query = (sql: string) => currentDatabase().query({ sql, parameters: [] })
  const titles = async () =>
    (await query('select title from articles order by id')).rows.map(({ title }) => title)

  beforeAll(async () => {
    engine = await open()
    useDatabase(engine.database)
    await query(
      'create table articles (id bigserial primary key, user_id bigint not null, title text not null)',
    )
  })
  beforeEach(async () => {
    await query('truncate articles restart identity')
    await query(`insert into articles (user_id, title) values (1, 'first'), (2, 'draft')`)
  })
  afterAll(async () => {
    useDatabase(undefined)
    await engine.close()
  })

  it('a resource asks the rule of each action; one without a rule is refused', async () => {
    const app = await serve([resource(ArticlesController)], { files })
    const as = (id?: number) => ({ headers: id === undefined ? {} : { 'x-user': String(id) } })
    const json = { title: 'new' }
    const statuses = async (id?: number) => {
      const found: number[] = []
      for (const [method, path] of [
        ['GET', '/articles'],
        ['GET', '/articles/1'],
        ['GET', '/articles/2'],
        ['GET', '/articles/2.json'],
        ['GET', '/articles/new'],
        ['GET', '/articles/1/edit'],
        ['PUT', '/articles/1.json'],
        ['POST', '/articles.json'],
        ['DELETE', '/articles/1.json'],
      ] as const)
        found.push(
          (await app.request(method, path, { ...as(id), ...(method[0] === 'P' ? { json } : {}) }))
            .status,
        )
      return found
    }
    expect(await statuses()).toEqual([200, 200, 404, 404, 403, 403, 403, 403, 403])
    expect(await titles()).toEqual(['first', 'draft'])
    expect(await statuses(2)).toEqual([200, 200, 200, 200, 200, 403, 403, 201, 403])
    expect(await statuses(1)).toEqual([200, 200, 404, 404, 200, 200, 200, 201, 403])
    expect((await app.get('/articles/1', as(1))).body).toContain('edit')
    const refused = await app.put('/articles/1.json', { ...as(2), json })
    expect(refused.json()).toMatchObject({ code: 'feature.forbidden' })
    const hidden = await app.get('/articles/2.json')
    const missing = await app.get('/articles/99.json')
    expect(hidden.body.replace('/2', '/99')).toBe(missing.body)
  })

  it('an action of the application asks by authorize, which ends the request', async () => {
    const app = await serve([actions])
    expect((await app.post('/publish', { headers: { 'x-user': '1' } })).status).toBe(403)
    expect((await app.post('/publish', { headers: { 'x-user': '9' } })).body).toBe('published')
    expect(await titles()).toEqual(['changed', 'draft'])
    const may = await app.get('/may', { headers: { 'x-user': '1' } })
    expect(may.json()).toEqual([true, false])
  })

  it('a route that asks no policy fails, and its writes are rolled back', async () => {
    const app = await serve([actions, members])
    const page = await app.post('/forget', { headers: { 'x-user': '1' } })
    expect(page.status).toBe(500)
    expect(page.body).not.toContain('a secret')
    expect(await titles()).toEqual(['first', 'draft'])
    const [line] = app.lines.filter(({ level }) => level === 'error')
    expect(line?.fields['err']).toMatchObject({ message: expect.stringContaining("'forget'") })
    expect((await app.get('/away')).status).toBe(500)
    expect((await app.get('/open')).body).toBe('open')
    expect((await app.get('/members')).location).toBe('/login')
  })
})

it('the response to a write has no body if the user may not see the record', async () => {
  const hidden = policy({ update: () => true })
  class Hidden extends FwResource(mix(FwController, authorize(hidden, { user: () => null })), {
    model: {
      idType: ParamType.Long,
      idOf: ({ id }: Article) => id,
      findAll: async () => [article],
      findPage: async () => [article],
      count: async () => 1,
      findById: async () => article,
      createWithPermittedAttributes: async () => 1,
      updateById: () => ({ withPermittedAttributes: async () => 1 }),
      deleteById: async () => 1,
    },
    resourcesName: 'articles',
    resourceName: 'article',
    createFormStrongParameters: { title: ParamType.String },
  }) {}
  const app = await serve([resource(Hidden)])
  const written = await app.put('/articles/1.json', { json: { title: 'x' } })
  expect([written.status, written.body]).toEqual([204, ''])
})

it('currentUser may be a field of the instance', async () => {
  class WithField extends FwController {
    currentUser: User | null = null
  }
  class Fields extends mix(WithField, authorize(articlePolicy)) {
    index() {
      return String(this.can('create'))
    }
  }
  const controller = routes(Fields, (r) => ({ index: r.get('/', 'index') }))
  const app = await serve([controller])
  expect((await app.get('/')).status).toBe(500)
  expect(app.lines.map(({ fields }) => fields['err'])).toContainEqual(
    expect.objectContaining({ code: 'feature.not-authorized' }),
  )
})

it('a class without currentUser needs the option user', async () => {
  class Nameless extends mix(FwController, authorize(articlePolicy)) {
    index() {
      this.authorize('create')
      return 'in'
    }
  }
  const nameless = await serve([routes(Nameless, (r) => ({ index: r.get('/', 'index') }))])
  expect((await nameless.get('/')).status).toBe(500)
  expect(nameless.lines.map(({ fields }) => fields['err'])).toContainEqual(
    expect.objectContaining({ code: 'feature.policy-missing' }),
  )
  class ByToken extends mix(FwController, authorize(articlePolicy, { user: () => null })) {
    index() {
      this.authorize('create')
      return 'in'
    }
  }
  const app = await serve([routes(ByToken, (r) => ({ index: r.get('/', 'index') }))])
  expect((await app.get('/')).status).toBe(403)
})
