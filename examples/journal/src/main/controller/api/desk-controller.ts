/** An author's own articles, including drafts, for programs with a token: `/api/desk/articles.json`. */
import {
  apiResource,
  FwApiResource,
  oneOf,
  paramKey,
  ParamType,
  type Permitted,
  type PermittedValues,
} from 'fwjs'
import type { KeyPageRequest } from 'fwjs/model'
import { Article } from '#model/article'
import { changeableBy, mayChange } from '#model/permissions'
import { cleanTags } from '#model/tag'
import { ArticleView } from '#model/views'
import {
  articleRules,
  changeArticle,
  createArticle,
  publishArticle,
  tagRules,
  withdrawArticle,
} from '#model/writing'
import { TokenApiController } from './token-api-controller.ts'

const fields = {
  ...Article.pick('title', 'summary', 'body'),
  tags: ParamType.optional(ParamType.array(ParamType.String)),
  status: ParamType.optional(ParamType.String),
}

class ApiDeskController extends FwApiResource(TokenApiController, {
  model: Article,
  resourcesName: 'articles',
  resourceName: 'article',
  resourcesBasePathPrefix: '/api/desk',
  createFormStrongParameters: fields,
  pageByKey: { sort: ['title', 'publishedAt'], filter: ['status'], search: ['title', 'summary'] },
  output: ArticleView,
}) {
  override createForm() {
    return this.validation(
      this.createParams(),
      ...articleRules,
      tagRules(cleanTags(this.multiParams.get('tags') ?? [])),
      paramKey('status').is(oneOf('draft', 'published')),
    )
  }

  override findPageByKey(request: KeyPageRequest) {
    return Article.query()
      .apply(changeableBy(this.currentUser))
      .orderBy('id', 'desc')
      .paginate(request)
  }

  override async findResource(id: number) {
    const article = await Article.findById(id)
    if (article === undefined) return undefined
    return mayChange(this.currentUser, article) ? article : this.haltWithBody(403)
  }

  override async doCreateAndReturnId({ tags, status, ...texts }: Permitted<typeof fields>) {
    const article = await createArticle(this.currentUser, texts, cleanTags(tags ?? []))
    if (status === 'published') await publishArticle(article)
    return article.id
  }

  /** Updates an article. A PATCH request may contain only some of the fields. */
  override async doUpdate(id: number, sent: PermittedValues & Partial<Permitted<typeof fields>>) {
    const { tags, status, ...texts } = sent
    await changeArticle(id, texts, tags && cleanTags(tags))
    const article = await Article.findById(id)
    if (article === undefined) return
    if (status === 'published') await publishArticle(article)
    if (status === 'draft') await withdrawArticle(article)
  }
}

export const apiDesk = apiResource(ApiDeskController).describe({
  tag: 'Desk',
  description: 'The articles that the owner of the token may change, drafts too.',
})
