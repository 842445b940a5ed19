/** The queries of the pages for readers. */
import { Article, published, searchArticles } from '#model/article'
import { articleComments, commentAuthor, teaser } from '#model/relations'

/** Returns a query for the published articles, the newest first. */
export const newestArticles = () =>
  Article.query().apply(published).include(teaser).orderBy('publishedAt', 'desc')

export const foundArticles = (text: string) => searchArticles(text).include(teaser)

/** Finds an article with the relations that its page shows. */
export const findWholeArticle = (id: number) =>
  Article.where({ id })
    .include({
      ...teaser,
      comments: articleComments.with((comments) =>
        comments.orderBy('id').limit(200).include({ author: commentAuthor }),
      ),
    })
    .findFirst()

export type WholeArticle = NonNullable<Awaited<ReturnType<typeof findWholeArticle>>>
/** An article in a list. */
export type Teaser = Omit<WholeArticle, 'comments'>

/** A page of a list, with the cursors of the previous and the next page. */
export interface TeaserPage {
  readonly rows: readonly Teaser[]
  readonly next?: string | undefined
  readonly previous?: string | undefined
}
