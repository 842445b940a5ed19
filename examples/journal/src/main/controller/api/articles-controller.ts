/** The published articles, without a token: `/api/articles.json`, `/api/articles/7.json`. */
import { apiResource, FwApiResource } from 'fwjs'
import type { KeyPageRequest } from 'fwjs/model'
import { Article, published } from '#model/article'
import { ArticleView } from '#model/views'
import { ApiController } from './api-controller.ts'

class ApiArticlesController extends FwApiResource(ApiController, {
  model: Article,
  resourcesName: 'articles',
  resourceName: 'article',
  resourcesBasePathPrefix: '/api',
  createFormStrongParameters: Article.pick('title'),
  pageByKey: { sort: ['publishedAt', 'title'], filter: ['authorId'], search: ['title', 'summary'] },
  output: ArticleView,
}) {
  override findPageByKey(request: KeyPageRequest) {
    return Article.query().apply(published).orderBy('publishedAt', 'desc').paginate(request)
  }

  override findResource(id: number) {
    return Article.where({ id }).apply(published).findFirst()
  }
}

export const apiArticles = apiResource(ApiArticlesController, {
  only: ['indexApi', 'showApi'],
}).describe({ tag: 'Articles', description: 'The published articles.' })
