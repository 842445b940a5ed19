/** A comment below an article. */
import { model, ParamType, type RowOf } from 'fwjs'

export const Comment = model('comments', {
  id: ParamType.Long,
  articleId: ParamType.Long,
  authorId: ParamType.Long,
  body: ParamType.String,
  createdAt: ParamType.DateTime,
})

export type Comment = RowOf<typeof Comment>
