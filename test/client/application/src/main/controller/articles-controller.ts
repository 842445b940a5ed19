/** Hand-written JSON actions of every kind, in memory. */
import {
  Accepted,
  Created,
  FwApiController,
  Gone,
  JsonParamsFeature,
  maxLength,
  mix,
  NoContent,
  NotFound,
  Ok,
  paramKey,
  ParamType,
  required,
  routes,
  Temporal,
} from 'fwjs'

export interface Author {
  readonly name: string
  readonly email?: string
}

export interface Article {
  readonly id: number
  readonly title: string
  readonly author: Author
  readonly tags: readonly string[]
  readonly publishedOn: Temporal.PlainDate | undefined
  readonly createdAt: Date
  readonly views: bigint
  readonly state: 'draft' | 'published'
}

interface Comment {
  readonly text: string
  readonly replies: readonly Comment[]
}

const fields = {
  title: ParamType.String,
  publishedOn: ParamType.optional(ParamType.LocalDate),
  tags: ParamType.array(ParamType.String),
}

const articles = new Map<number, Article>()

/** Before each test. */
export function resetArticles(): void {
  articles.clear()
  articles.set(1, {
    id: 1,
    title: 'First',
    author: { name: 'Ann' },
    tags: ['new'],
    publishedOn: Temporal.PlainDate.from('2026-01-02'),
    createdAt: new Date(0),
    views: 12n,
    state: 'published',
  })
}

export class ArticlesController extends mix(FwApiController, JsonParamsFeature) {
  createForm() {
    return this.validation(this.params, fields, paramKey('title').is(required, maxLength(20)))
  }

  /** The newest articles. */
  index() {
    const tag = this.params.getAs('tag', ParamType.String)
    const limit = this.params.getAs('limit', ParamType.Int)
    const all = [...articles.values()].filter(({ tags }) => tag === undefined || tags.includes(tag))
    return { articles: all.slice(0, limit ?? 20), total: all.length }
  }

  show() {
    const article = this.#find()
    if (article === undefined) return NotFound({ reason: 'gone', id: this.params.get('id') })
    return article
  }

  create() {
    const form = this.createForm()
    if (!form.validate()) return form.keyAndErrorMessages
    const id = articles.size + 1
    const { title, tags, publishedOn } = form.permitted
    const article: Article = {
      id,
      title,
      tags,
      publishedOn,
      author: { name: 'Ann' },
      createdAt: new Date(0),
      views: 0n,
      state: 'draft',
    }
    articles.set(id, article)
    return Created(article, { Location: this.url(articlesApi.showUrl, { id }) })
  }

  async rename() {
    const { title, note } = this.params.permit({
      title: ParamType.String,
      note: ParamType.NullableString,
    })
    const article = this.#find()
    if (article === undefined) this.halt(404)
    await Promise.resolve()
    return { title, note: note ?? null }
  }

  destroy() {
    articles.delete(Number(this.params.get('id')))
    return NoContent()
  }

  comments(): readonly Comment[] {
    return [{ text: 'Good', replies: [{ text: 'Yes', replies: [] }] }]
  }

  counts() {
    return { byTag: new Map([['new', 1]]), states: new Set(['draft'] as const) }
  }

  text() {
    return 'plain'
  }

  old() {
    return this.redirect301(this.url(articlesApi.indexUrl))
  }

  /** A redirect whose status depends on the method. */
  moved() {
    return this.redirect(this.url(articlesApi.indexUrl))
  }

  /** One status, whatever happens. */
  archive() {
    this.status = 202
    return { archived: this.params.has('id') }
  }

  /** 200, or one of two other statuses. */
  merge() {
    const order: { status: number } = { status: 1 }
    order.status = 3
    if (this.params.has('busy')) this.status = 409
    else if (this.params.has('later')) this.response.status = 202
    return { merged: !this.params.has('busy') }
  }

  /** Bytes, a text or nothing in a result. */
  cover() {
    if (this.params.has('text')) return Accepted('later')
    if (this.params.has('none')) return Gone()
    return Ok(new Uint8Array([1]), { 'Content-Type': 'image/png' })
  }

  /** A status that only the running code knows. */
  replay() {
    this.status = this.params.getAsOrElse('status', ParamType.Int, 200)
    return { replayed: true }
  }

  stats() {
    return JSON.parse('{"articles":1}')
  }

  fail(): { readonly never: true } {
    throw new Error('not shown')
  }

  #find(): Article | undefined {
    return articles.get(Number(this.params.get('id')))
  }
}

export const articlesApi = routes(ArticlesController, (r) => ({
  indexUrl: r.get('/articles/?', 'index'),
  createUrl: r.post('/articles/?', 'create'),
  showUrl: r.get('/articles/:id', 'show'),
  renameUrl: r.patch('/articles/:id/title', 'rename'),
  destroyUrl: r.delete('/articles/:id', 'destroy'),
  commentsUrl: r.get('/articles/:id/comments', 'comments'),
  countsUrl: r.get('/counts', 'counts'),
  textUrl: r.get('/text', 'text'),
  oldUrl: r.get('/old', 'old'),
  statsUrl: r.get('/stats/:year(/:month)?', 'stats').as('yearStats'),
  movedUrl: r.put('/moved', 'moved'),
  movedPostUrl: r.post('/moved', 'moved').as('movedPost'),
  failUrl: r.get('/fail', 'fail'),
  archiveUrl: r.get('/articles/:id/archive', 'archive'),
  mergeUrl: r.get('/articles/:id/merge', 'merge'),
  replayUrl: r.get('/replay', 'replay'),
  pauseUrl: r
    .get('/pause', (c) => {
      c.response.status = 202
      return { paused: true }
    })
    .as('pause'),
  coverUrl: r.get('/articles/:id/cover', 'cover'),
})).describe({
  description: 'What the magazine prints.',
  routes: {
    yearStats: {
      query: { deep: ParamType.Boolean, tag: { type: 'string' } },
      responses: {
        200: { body: { articles: ParamType.Int } },
        409: { body: { busy: ParamType.Boolean } },
      },
    },
  },
})
