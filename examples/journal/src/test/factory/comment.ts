/** Inserts comments for tests. */
import { permitValues } from 'fwjs'
import { Comment } from '#model/comment'
import { createArticle } from '#test/factory/article'
import { createUser } from '#test/factory/user'

/** Inserts a comment with sample values. `fields` override them. */
export async function createComment(fields: Partial<Comment> = {}): Promise<Comment> {
  const values = {
    articleId: fields.articleId ?? (await createArticle()).id,
    authorId: fields.authorId ?? (await createUser()).id,
    body: 'Well said.',
    ...fields,
  }
  return Comment.create(permitValues(values, 'articleId', 'authorId', 'body'))
}
