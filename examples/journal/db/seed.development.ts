/** Inserts sample users and articles for development. The password of every user is `driftwood journal`. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { permitValues, Temporal } from 'fwjs'
import { hashPassword } from 'fwjs/accounts'
import { Article } from '#model/article'
import { Comment } from '#model/comment'
import { replaceImage } from '#model/image'
import { parseTags, tagArticle } from '#model/tag'
import { User } from '#model/user'
import { articles, comments, people } from './sample-texts.ts'

const daysAgo = (days: number) => Temporal.Now.instant().subtract({ hours: 24 * days + 5 })

export async function seed(): Promise<void> {
  const userIds = await createPeople()
  for (const [at, { author, image, tags, isDraft, ...texts }] of articles.entries()) {
    const values = {
      ...texts,
      authorId: userIds.get(author)!,
      status: isDraft ? 'draft' : 'published',
      publishedAt: isDraft ? undefined : daysAgo(2 + at * 6),
    }
    const { id } = await Article.create(
      permitValues(values, 'title', 'summary', 'body', 'authorId', 'status', 'publishedAt'),
    )
    await tagArticle(id, parseTags(tags))
    if (image !== undefined) {
      const bytes = await readFile(join(import.meta.dirname, 'images', `${image.name}.webp`))
      await replaceImage(id, image.alt, bytes)
    }
    const written = comments.filter(({ title }) => title === texts.title)
    await Comment.createAll(
      written.map(({ by, body }) =>
        permitValues(
          { articleId: id, authorId: userIds.get(by)!, body },
          'articleId',
          'authorId',
          'body',
        ),
      ),
    )
  }
}

async function createPeople(): Promise<Map<string, number>> {
  const passwordHash = await hashPassword('driftwood journal')
  const rows = await User.createAll(
    people.map((person) =>
      permitValues({ ...person, passwordHash }, 'name', 'email', 'role', 'bio', 'passwordHash'),
    ),
  )
  return new Map(rows.map(({ name, id }) => [name, id]))
}
