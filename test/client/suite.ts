/** The tests that both kinds of clients pass, and the types that both must have. */
import { expect, test } from 'vitest'

/** A response whose body has the type `B` on success and `E` otherwise. */
type Result<B, E> = Promise<
  | { readonly ok: true; readonly status: number; readonly body: B; readonly headers: Headers }
  | { readonly ok: false; readonly status: number; readonly body: E; readonly headers: Headers }
>

interface Problem {
  readonly title: string
  readonly status: number
  readonly message: string
  readonly code?: string | undefined
  readonly errors?: Readonly<Record<string, readonly string[] | undefined>> | undefined
}

interface ArticleJson {
  readonly id: number
  readonly title: string
  readonly author: { readonly name: string; readonly email?: string | undefined }
  readonly tags: readonly string[]
  readonly publishedOn?: string | undefined
  readonly createdAt: string
  readonly views: string
  readonly state: 'draft' | 'published'
}

interface CommentJson {
  readonly text: string
  readonly replies: readonly CommentJson[]
}

interface NewArticle {
  readonly title: string
  readonly publishedOn?: string | null
  readonly tags?: readonly string[]
}

/** One function for each operation. */
export interface Operations {
  readonly list: (query: {
    readonly tag?: string
    readonly limit?: number
  }) => Result<{ readonly articles: readonly ArticleJson[]; readonly total: number }, Problem>
  readonly create: (
    body: NewArticle,
  ) => Result<ArticleJson, Readonly<Record<string, unknown>> | Problem>
  readonly show: (id: number | string) => Promise<
    | { readonly ok: true; readonly status: number; readonly body: ArticleJson }
    | {
        readonly ok: false
        readonly status: 404
        readonly body: { readonly reason: string; readonly id?: string | undefined }
      }
    | { readonly ok: false; readonly status: Exclude<Failing, 404>; readonly body: Problem }
  >
  readonly rename: (
    id: number,
    body: { readonly title: string; readonly note?: string | null },
  ) => Result<{ readonly title: string; readonly note: string | null }, Problem>
  readonly destroy: (id: number) => Result<undefined, Problem>
  readonly comments: (id: number) => Result<readonly CommentJson[], Problem>
  readonly counts: () => Result<
    {
      readonly byTag: Readonly<Record<string, number | undefined>>
      readonly states: readonly 'draft'[]
    },
    Problem
  >
  readonly text: () => Result<unknown, Problem>
  readonly old: () => Result<unknown, Problem>
  readonly stats: (year: number, month?: number) => Result<{ readonly articles: number }, unknown>
  readonly fail: () => Result<{ readonly never: true }, Problem>
}

type Failing = 400 | 403 | 404 | 405 | 413 | 415 | 422 | 500 | number

/** Registers the suite; `operations` returns a client of a running application with one article. */
export function testOperations(operations: () => Operations): void {
  test('lists with a query; dates and big integers are texts', async () => {
    const all = await operations().list({ tag: 'new', limit: 5 })
    if (!all.ok) throw new Error(all.body.message)
    expect(all.body).toEqual({
      total: 1,
      articles: [
        {
          id: 1,
          title: 'First',
          author: { name: 'Ann' },
          tags: ['new'],
          publishedOn: '2026-01-02',
          createdAt: '1970-01-01T00:00:00.000Z',
          views: '12',
          state: 'published',
        },
      ],
    })
    const none = await operations().list({ tag: 'old' })
    expect(none.body).toEqual({ total: 0, articles: [] })
  })

  test('creates, shows, changes and deletes', async () => {
    const { create, show, rename, destroy } = operations()
    const made = await create({ title: 'Second', publishedOn: null, tags: ['a', 'b'] })
    expect([made.status, made.headers.get('location')]).toEqual([201, '/articles/2'])
    const shown = await show(2)
    if (!shown.ok) throw new Error(`${shown.status}`)
    expect([shown.body.title, shown.body.tags, shown.body.publishedOn]).toEqual([
      'Second',
      ['a', 'b'],
      undefined,
    ])
    expect((await rename(2, { title: 'Third', note: null })).body).toEqual({
      title: 'Third',
      note: null,
    })
    const deleted = await destroy(2)
    expect([deleted.status, deleted.ok, deleted.body]).toEqual([204, true, undefined])
  })

  test('an error has the body of its status', async () => {
    const { create, show, rename, fail } = operations()
    const missing = await show('a/b?')
    if (missing.ok) throw new Error('found')
    expect([missing.status, missing.body]).toEqual([404, { reason: 'gone', id: 'a/b?' }])
    const invalid = await create({ title: '' })
    expect([invalid.status, invalid.ok]).toEqual([400, false])
    expect(invalid.body).toEqual({ title: ['title is required'] })
    const halted = await rename(9, { title: 'x' })
    expect([halted.status, halted.body]).toMatchObject([404, { status: 404, title: 'Not Found' }])
    const refused = await rename(1, {} as { title: string })
    if (refused.ok) throw new Error('accepted')
    expect([refused.status, refused.body.code, refused.body.errors]).toEqual([
      400,
      'params.invalid',
      { title: ['title is required'] },
    ])
    const failed = await fail()
    expect(failed.body).toMatchObject({ status: 500, title: 'Internal Server Error' })
  })

  test('reads collections, nested values, texts and redirects', async () => {
    const { comments, counts, text, old, stats } = operations()
    expect((await comments(1)).body).toEqual([
      { text: 'Good', replies: [{ text: 'Yes', replies: [] }] },
    ])
    expect((await counts()).body).toEqual({ byTag: { new: 1 }, states: ['draft'] })
    expect((await text()).body).toBe('plain')
    expect((await old()).body).toMatchObject({ total: 1 })
    expect((await stats(2026)).body).toEqual({ articles: 1 })
    expect((await stats(2026, 5)).body).toEqual({ articles: 1 })
  })

  test('a value that would select another route is refused', async () => {
    for (const id of ['', '.', '..']) await expect(operations().show(id)).rejects.toThrow('path.id')
  })
}
