/** An article. It is either published, or a draft that only its author and editors see. */
import { defaulted, model, ParamType, type RowOf } from 'fwjs'

export const Article = model(
  'articles',
  {
    id: ParamType.Long,
    authorId: ParamType.Long,
    title: ParamType.String,
    summary: ParamType.String,
    body: ParamType.String,
    status: defaulted(ParamType.String),
    publishedAt: ParamType.optional(ParamType.DateTime),
    lockVersion: defaulted(ParamType.Int),
    createdAt: ParamType.DateTime,
    updatedAt: ParamType.DateTime,
  },
  { lockVersion: 'lockVersion' },
)

export type Article = RowOf<typeof Article>

export const published = Article.scope((articles) => articles.where({ status: 'published' }))

/** Returns a query for published articles that match the words, best first. An index has the same columns and language. */
export const searchArticles = (text: string) =>
  Article.query()
    .apply(published)
    .search(['title', 'summary', 'body'], text, { language: 'english' })

/** Returns the readable part of an article's path, such as `the-first-snow`. It may change, as the id selects the article. */
export function slugOf({ title }: Pick<Article, 'title'>): string {
  const words = title
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
  return words?.slice(0, 10).join('-') ?? 'untitled'
}
