/** A tag, and the join table between articles and tags. */
import { FwModel, model, ParamType, permitValues, type RowOf } from 'fwjs'

export const Tag = model('tags', { id: ParamType.Long, name: ParamType.String })

export type Tag = RowOf<typeof Tag>

export const ArticleTag = model('article_tags', {
  articleId: ParamType.Long,
  tagId: ParamType.Long,
})

/** ` Sea `, `sea` and `North` are `sea` and `north`: lower case, each once. */
export function cleanTags(names: readonly string[]): string[] {
  const cleaned = names.map((name) => name.trim().replace(/\s+/g, ' ').toLowerCase())
  return [...new Set(cleaned)].filter((name) => name !== '')
}

/** The tags of a text, divided by commas. */
export const parseTags = (text = ''): string[] => cleanTags(text.split(','))

/** Gives an article these tags in place of its present ones; creates missing tags. */
export async function tagArticle(articleId: number, names: readonly string[]): Promise<void> {
  await ArticleTag.where({ articleId }).deleteAll()
  if (names.length === 0) return
  // One statement for all names; parallel requests may create the same tag.
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
