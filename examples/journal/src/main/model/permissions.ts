/** Permissions. Controllers call these functions before they change something, and views before they show a link. */
import { Article } from '#model/article'
import type { Comment } from '#model/comment'
import type { User } from '#model/user'

export const isEditor = (user: User): boolean => user.role === 'editor'

/** Authors change their own articles, editors all. */
export const mayChange = (user: User | undefined, article: Article): boolean =>
  user !== undefined && (isEditor(user) || article.authorId === user.id)

/** Drafts are for those who may change them. */
export const mayRead = (user: User | undefined, article: Article): boolean =>
  article.status === 'published' || mayChange(user, article)

/** A comment is removed by its author, or by those who may change the article. */
export const mayRemove = (user: User | undefined, comment: Comment, article: Article): boolean =>
  user !== undefined && (comment.authorId === user.id || mayChange(user, article))

/** The articles that a user may change. */
export const changeableBy = (user: User) =>
  Article.scope((articles) => (isEditor(user) ? articles : articles.where({ authorId: user.id })))
