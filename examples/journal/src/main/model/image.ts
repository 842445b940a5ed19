/** The picture of an article. Its bytes are in the database, so every node of the application can serve it. */
import { createHash } from 'node:crypto'
import { model, ParamType, permitValues, type RowOf } from 'fwjs'

export const Image = model('images', {
  id: ParamType.Long,
  articleId: ParamType.Long,
  alt: ParamType.String,
  contentType: ParamType.String,
  digest: ParamType.String,
  bytes: ParamType.ByteArray,
})

export type Image = RowOf<typeof Image>

/** An image without its bytes: the columns that pages need. */
export type Picture = Omit<Image, 'bytes'>

const signatures: readonly (readonly [type: string, pattern: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/webp', /^52494646.{8}57454250/],
  ['image/gif', /^474946383[79]61/],
]

/**
 * Returns the media type of an image, from its first bytes, because the name and type that a client sends may be wrong.
 * Returns `undefined` for SVG, which may contain scripts.
 */
export function imageType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('hex')
  return signatures.find(([, pattern]) => pattern.test(start))?.[0]
}

/** Stores the image, and removes the article's previous one. */
export async function replaceImage(
  articleId: number,
  alt: string,
  bytes: Uint8Array,
): Promise<void> {
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 32)
  const contentType = imageType(bytes)
  if (contentType === undefined) throw new Error('The image has no known type: check it before.')
  const values = { articleId, alt, contentType, digest, bytes }
  await Image.upsert(permitValues(values, 'articleId', 'alt', 'contentType', 'digest', 'bytes'), {
    by: 'articleId',
  })
}
