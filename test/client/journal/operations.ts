/** What a client of examples/journal does. */

type Result = Promise<{
  readonly ok: boolean
  readonly status: number
  readonly body: unknown
  readonly headers: Headers
}>

interface Texts {
  readonly title: string
  readonly summary: string
  readonly body: string
  readonly tags?: readonly string[]
}

interface Change extends Partial<Texts> {
  readonly status?: 'draft' | 'published'
}

/** One function for each operation; `version` is the value of `If-Match`. */
interface Operations {
  readonly articles: (query: { readonly sort?: 'title'; readonly size?: number }) => Result
  readonly article: (id: number) => Result
  readonly comments: (articleId: number) => Result
  readonly comment: (articleId: number, body: string) => Result
  readonly tags: () => Result
  readonly drafts: () => Result
  readonly draft: (id: number) => Result
  readonly write: (body: Texts) => Result
  readonly change: (id: number, body: Change, version?: string) => Result
  readonly replace: (id: number, body: Texts) => Result
  readonly remove: (id: number) => Result
}

export type NewClient = (baseUrl: string, token?: string) => Operations
