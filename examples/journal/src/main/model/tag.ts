/** A tag, and the join table between articles and tags. */
import { FwModel, model, ParamType, permitValues, type RowOf } from 'fwjs'

export const Tag = model('tags', { id: ParamType.Long, name: ParamType.String })

export type Tag = RowOf<typeof Tag>

export const ArticleTag = model('article_tags', {
  articleId: ParamType.Long,
  tagId: ParamType.Long,
})

/** Returns the names in lower case, without duplicates: ` Sea `, `sea` and `North` become `sea` and `north`. */
export function cleanTags(names: readonly string[]): string[] {
  const cleaned = names.map((name) => name.trim().replace(/\s+/g, ' ').toLowerCase())
  return [...new Set(cleaned)].filter((name) => name !== '')
}

/** Returns the tags in a text that separates them by commas. */
export const parseTags = (text = ''): string[] => cleanTags(text.split(','))

/** Replaces the tags of an article. Creates tags that do not exist yet. */
export async function tagArticle(articleId: number, names: readonly string[]): Promise<void> {
  await ArticleTag.where({ articleId }).deleteAll()
  if (names.length === 0) return
  // Inserts all names in one statement, and ignores tags that a parallel request has created.
  await FwModel.kysely({ Tag })
    .insertInto('tags')
    .values(names.map((name) => ({ name })))
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const ids = await Tag.where('name', 'in', names).pluck('id')
  await ArticleTag.createAll(
    ids.map((tagId) => permitValues({ articleId, tagId }, 'articleId', 'tagId')),
  )
}
