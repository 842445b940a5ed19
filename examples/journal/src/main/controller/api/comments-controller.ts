/** The comments of a published article: `/api/articles/7/comments.json`. Creating a comment requires a token. */
import {
  apiResource,
  authenticateBearer,
  FwApiResource,
  maxLength,
  mix,
  paramKey,
  permitValues,
  required,
  requireScopes,
  type Permitted,
} from 'fwjs'
import { tokenStore, type ApiScope } from '#model/api-token'
import { Article, published } from '#model/article'
import { Comment } from '#model/comment'
import { CommentView } from '#model/views'
import { ApiController } from './api-controller.ts'

const fields = Comment.pick('body')
/** The fields of a new comment. Fw sets `articleId` from the path. */
const created = Comment.pick('body', 'articleId')
/** The actions that need a token. */
const only = ['createApi'] as const

class ApiCommentsController extends FwApiResource(
  mix(
    ApiController,
    authenticateBearer({ find: (hash) => tokenStore.find(hash), only }),
    requireScopes<ApiScope>(['write'], { only }),
  ),
  {
    model: Comment,
    resourcesName: 'comments',
    resourceName: 'comment',
    resourcesBasePathPrefix: '/api/articles/:articleId',
    parent: { model: Article, field: 'articleId' },
    createFormStrongParameters: fields,
    pageByKey: {},
    output: CommentView,
  },
) {
  override createForm() {
    return this.validation(this.createParams(), paramKey('body').is(required, maxLength(2000)))
  }

  override findParent(id: number) {
    return Article.where({ id }).apply(published).findFirst()
  }

  override async doCreateAndReturnId(permitted: Permitted<typeof created>) {
    const values = { ...permitted, authorId: this.bearer.account.id }
    return Comment.createWithPermittedAttributes(
      permitValues(values, 'body', 'articleId', 'authorId'),
    )
  }
}

export const apiComments = apiResource(ApiCommentsController, {
  only: ['indexApi', 'createApi', 'showApi'],
}).describe({ tag: 'Comments' })
