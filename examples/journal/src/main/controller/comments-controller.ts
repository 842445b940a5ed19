/** Removes comments. */
import { routes } from 'fwjs'
import { Article } from '#model/article'
import { Comment } from '#model/comment'
import { mayRemove } from '#model/permissions'
import { articles, pathOf } from './articles-controller.ts'
import { MemberController } from './member-controller.ts'

export class CommentsController extends MemberController {
  async destroy() {
    const comment = (await Comment.findById(this.idOf('id'))) ?? this.haltWithBody(404)
    const article = (await Article.findById(comment.articleId)) ?? this.haltWithBody(404)
    if (!mayRemove(this.user, comment, article)) return this.haltWithBody(403)
    await Comment.deleteById(comment.id)
    this.flash.set('notice', this.i18n.get('comment.flash.deleted'))
    return this.redirect303(`${this.url(articles.showUrl, pathOf(article))}#comments`)
  }
}

export const comments = routes(CommentsController, (r) => ({
  destroyUrl: r.delete('/comments/:id', 'destroy'),
}))
