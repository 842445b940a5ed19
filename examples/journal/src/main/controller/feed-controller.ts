/** Serves the newest articles as an Atom feed. */
import { routes } from 'fwjs'
import { newestArticles } from '#model/reading'
import { ApplicationController } from './application-controller.ts'

export class FeedController extends ApplicationController {
  async show() {
    const articles = await newestArticles().limit(20).findAll()
    this.ctx.format = 'xml'
    this.response.headers.set('Content-Type', 'application/atom+xml; charset=utf-8')
    this.response.headers.set('Cache-Control', 'public, max-age=300')
    return this.render('/feed/show.xml', {
      articles,
      origin: new URL(this.ctx.fullUrl('/')).origin,
    })
  }
}

export const feed = routes(FeedController, (r) => ({
  showUrl: r.get('/feed.atom', 'show'),
}))
