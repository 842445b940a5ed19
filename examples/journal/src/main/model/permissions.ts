/** The permissions of users. Controllers check them before a change, and views before they show a link. */
import { Article } from '#model/article'
import type { Comment } from '#model/comment'
import type { User } from '#model/user'

export const isEditor = (user: User): boolean => user.role === 'editor'

/** Returns whether a user may change an article: authors may change their own articles, editors all articles. */
export const mayChange = (user: User | null, article: Article): boolean =>
  user !== null && (isEditor(user) || article.authorId === user.id)

/** Returns whether a user may read an article. Drafts may be read only by users who may change them. */
export const mayRead = (user: User | null, article: Article): boolean =>
  article.status === 'published' || mayChange(user, article)

/** Returns whether a user may remove a comment: its author may, and so may users who may change the article. */
export const mayRemove = (user: User | null, comment: Comment, article: Article): boolean =>
  user !== null && (comment.authorId === user.id || mayChange(user, article))

/** Returns the scope of articles that a user may change. */
export const changeableBy = (user: User) =>
  Article.scope((articles) => (isEditor(user) ? articles : articles.where({ authorId: user.id })))
