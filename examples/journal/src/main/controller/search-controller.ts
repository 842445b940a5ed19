/** Full-text search over the published articles. */
import { ParamType, routes } from 'fwjs'
import { foundArticles } from '#model/reading'
import { ApplicationController } from './application-controller.ts'

export class SearchController extends ApplicationController {
  async index() {
    const text = (this.params.get('q') ?? '').trim().slice(0, 200)
    const number = Math.max(1, this.params.getAs('page', ParamType.Int) ?? 1)
    const found =
      text === '' ? undefined : await foundArticles(text).paginate({ page: number, size: 10 })
    return this.render('/search/index', { text, number, found })
  }
}

export const search = routes(SearchController, (r) => ({
  indexUrl: r.get('/search', 'index'),
}))
