/** An article: a draft that only its author and editors see, or published. */
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

/** Published articles with these words, the best matches first; an index of the database has the same expression. */
export const searchArticles = (text: string) =>
  Article.query()
    .apply(published)
    .search(['title', 'summary', 'body'], text, { language: 'english' })

/** The readable part of an article's path: `the-first-snow`. The id finds the article, so a title may change. */
export function slugOf({ title }: Pick<Article, 'title'>): string {
  const words = title
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
  return words?.slice(0, 10).join('-') ?? 'untitled'
}
