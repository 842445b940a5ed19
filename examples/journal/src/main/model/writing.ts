/** Creates, changes and publishes articles, for the desk and the API, with their validation rules and tags. */
import { maxLength, param, paramKey, permitValues, required, rule, Temporal } from 'fwjs'
import { Article } from '#model/article'
import { tagArticle } from '#model/tag'
import type { User } from '#model/user'

const maxTags = 5
const isShort = (name: string) => name.length <= 30 && !name.includes('/')
const fewTags = rule('tags', (names: readonly string[]) => names.length <= maxTags, String(maxTags))
const shortTags = rule('tagLength', (names: readonly string[]) => names.every(isShort))

export const articleRules = [
  paramKey('title').is(required, maxLength(160)),
  paramKey('summary').is(required, maxLength(300)),
  paramKey('body').is(required, maxLength(100_000)),
] as const

export const tagRules = (names: readonly string[]) => param('tags', names).is(fewTags, shortTags)

interface Texts {
  readonly title: string
  readonly summary: string
  readonly body: string
}

interface Changes extends Partial<Texts> {
  /** The version that the user has edited. If the article has a newer version, the change is refused. */
  readonly lockVersion?: number | undefined
}

/** Creates a draft. */
export async function createArticle(
  author: User,
  texts: Texts,
  tags: readonly string[],
): Promise<Article> {
  const values = { ...texts, authorId: author.id }
  const article = await Article.create(permitValues(values, 'title', 'summary', 'body', 'authorId'))
  await tagArticle(article.id, tags)
  return article
}

/** Changes those texts and tags of an article that are not `undefined`. */
export async function changeArticle(
  id: number,
  changes: Changes,
  tags: readonly string[] | undefined,
): Promise<void> {
  const names = (['title', 'summary', 'body', 'lockVersion'] as const).filter(
    (name) => changes[name] !== undefined,
  )
  await Article.updateById(id).withPermittedAttributes(permitValues(changes, names))
  if (tags !== undefined) await tagArticle(id, tags)
}

/** Publishes an article. If it was published before, it keeps the date of its first publication. */
export function publishArticle({ id, publishedAt = Temporal.Now.instant() }: Article) {
  const values = { status: 'published', publishedAt }
  return Article.updateById(id).withPermittedAttributes(
    permitValues(values, 'status', 'publishedAt'),
  )
}

export const withdrawArticle = ({ id }: Article) =>
  Article.updateById(id).withPermittedAttributes(permitValues({ status: 'draft' }, 'status'))
