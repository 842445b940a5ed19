/** Removes comments. */
import { mix, routes } from 'fwjs'
import { Article } from '#model/article'
import { Comment } from '#model/comment'
import { mayRemove } from '#model/permissions'
import { ApplicationController } from './application-controller.ts'
import { articles, pathOf } from './articles-controller.ts'
import { requireLogin } from './require-login.ts'

export class CommentsController extends mix(ApplicationController, requireLogin) {
  async destroy() {
    const comment = (await Comment.findById(this.idOf('id'))) ?? this.haltWithBody(404)
    const article = (await Article.findById(comment.articleId)) ?? this.haltWithBody(404)
    if (!mayRemove(this.currentUser, comment, article)) return this.haltWithBody(403)
    await Comment.deleteById(comment.id)
    this.flash.set('notice', this.i18n.get('comment.flash.deleted'))
    return this.redirect303(`${this.url(articles.showUrl, pathOf(article))}#comments`)
  }
}

export const comments = routes(CommentsController, (r) => ({
  destroyUrl: r.delete('/comments/:id', 'destroy'),
}))
