/** Shows the front page with the newest articles, and the page of an article with its comments. */
import { maxLength, paramKey, permitValues, required, routes } from 'fwjs'
import { slugOf } from '#model/article'
import { Comment } from '#model/comment'
import { mayRead } from '#model/permissions'
import { findWholeArticle, newestArticles, type WholeArticle } from '#model/reading'
import { ApplicationController } from './application-controller.ts'
import { askForLogin } from './require-login.ts'

export class ArticlesController extends ApplicationController {
  static {
    this.beforeAction({ only: ['show', 'newComment', 'comment'] }, async (controller) => {
      const article = await findWholeArticle(controller.idOf('id'))
      if (article === undefined || !mayRead(controller.currentUser, article))
        controller.haltWithBody(404)
      else controller.article = article
    })
  }

  private article!: WholeArticle

  private commentForm() {
    return this.validation(
      this.params,
      Comment.pick('body'),
      paramKey('body').is(required, maxLength(2000)),
    ).withPrefix('comment')
  }

  async index() {
    const page = await newestArticles().paginate({ size: 10, ...this.cursors })
    return this.render('/articles/index', { page })
  }

  show() {
    if (this.params.get('slug') !== slugOf(this.article))
      return this.redirect301(this.url(articles.showUrl, pathOf(this.article)))
    return this.render('/articles/show', { article: this.article })
  }

  /** Leads a visitor to the login, and back to the article. */
  newComment() {
    if (this.currentUser === null) return askForLogin(this)
    return this.redirect303(`${this.url(articles.showUrl, pathOf(this.article))}#comments`)
  }

  async comment() {
    const { article, currentUser } = this
    if (currentUser === null) return askForLogin(this)
    if (article.status !== 'published') return this.haltWithBody(403)
    const form = this.commentForm()
    if (!form.validate()) return this.render('/articles/show', { article })
    const values = { ...form.permitted, articleId: article.id, authorId: currentUser.id }
    const { id } = await Comment.create(permitValues(values, 'body', 'articleId', 'authorId'))
    this.flash.set('notice', this.i18n.get('comment.flash.created'))
    return this.redirect303(`${this.url(articles.showUrl, pathOf(article))}#comment-${id}`)
  }
}

/** Returns the path parameters for the page of an article. */
export const pathOf = (article: { readonly id: number; readonly title: string }) => ({
  id: article.id,
  slug: slugOf(article),
})

export const articles = routes(ArticlesController, (r) => ({
  indexUrl: r.get('/', 'index').as('index'),
  showUrl: r.get('/articles/:id/:slug', 'show').as('show'),
  newCommentUrl: r.get('/articles/:id/:slug/comment', 'newComment').as('newComment'),
  commentUrl: r.post('/articles/:id/:slug', 'comment').as('comment'),
}))
