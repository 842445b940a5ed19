/** Inserts articles for tests. */
import { permitValues, Temporal } from 'fwjs'
import { Article } from '#model/article'
import { replaceImage } from '#model/image'
import { tagArticle } from '#model/tag'
import { createUser } from '#test/factory/user'

/** The bytes of a PNG image of one pixel. */
export const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
)

interface Parts {
  readonly tags?: readonly string[]
  readonly image?: Uint8Array
}

/** Inserts a published article with sample values. `fields` override them. */
export async function createArticle({
  tags = [],
  image,
  ...fields
}: Partial<Article> & Parts = {}) {
  const values = {
    authorId: fields.authorId ?? (await createUser()).id,
    title: 'The first snow',
    summary: 'It came at night.',
    body: 'Nobody heard it.\n\n## Morning\n\nEverybody saw it.',
    status: 'published',
    publishedAt: Temporal.Instant.from('2026-01-02T10:20:30Z'),
    ...fields,
  }
  const article = await Article.create(
    permitValues(values, 'authorId', 'title', 'summary', 'body', 'status', 'publishedAt'),
  )
  await tagArticle(article.id, tags)
  if (image !== undefined) await replaceImage(article.id, 'A pixel', image)
  return article
}

export const createDraft = (fields: Partial<Article> & Parts = {}) =>
  createArticle({ status: 'draft', publishedAt: undefined, ...fields })
