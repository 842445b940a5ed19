/** Attachments: files that forms upload. A record refers to one by a field such as `photoId`. */
import { model, type Params, ParamType, permitValues, type RowOf, type UploadedFile } from 'fwjs'

const columns = { id: ParamType.Uuid, name: ParamType.String, contentType: ParamType.String }

/** Without the bytes, so that lists do not load them. */
export const Attachment = model('attachments', columns)
export const AttachmentFile = model('attachments', { ...columns, bytes: ParamType.ByteArray })

export type Attachment = RowOf<typeof Attachment>

/** The first bytes of each type of image that browsers show. SVG is missing, because it may contain scripts. */
const images: readonly (readonly [type: string, start: RegExp])[] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/webp', /^52494646.{8}57454250/],
  ['image/gif', /^474946383[79]61/],
]

/** The bytes determine the type, because a client may send any. */
function contentType(bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('hex')
  return images.find(([, pattern]) => pattern.test(start))?.[0] ?? 'application/octet-stream'
}

export const isImage = (attachment: Pick<Attachment, 'contentType'>): boolean =>
  attachment.contentType.startsWith('image/')

/** Stores a file, and returns the key of its attachment. */
export function storeAttachment(name: string, bytes: Uint8Array): Promise<string> {
  const values = { name: name.slice(0, 255), contentType: contentType(bytes), bytes }
  return AttachmentFile.createWithPermittedAttributes(
    permitValues(values, 'name', 'contentType', 'bytes'),
  )
}

interface UploadRequest {
  readonly params: Params
  readonly fileParams: {
    get(field: string): UploadedFile | undefined
    isTooLarge(field: string): boolean
  }
}

/**
 * Stores the files of the fields, and returns their keys: the file `photo` becomes `photoId`. A field without a file has
 * no key, and nor has one whose file is too large, which is an error of the form. One that the visitor removes has an empty key.
 */
export async function storeUploads(
  { params, fileParams }: UploadRequest,
  ...fields: readonly string[]
): Promise<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>()
  for (const field of fields) {
    if (fileParams.isTooLarge(field)) continue
    const file = fileParams.get(field)
    if (file) keys.set(`${field}Id`, await storeAttachment(file.name, await file.get()))
    else if (params.under('_remove').has(field)) keys.set(`${field}Id`, '')
  }
  return keys
}

/** The parameters with the keys of uploads in place of earlier ones. */
export const withUploads = (params: Params, keys: ReadonlyMap<string, string>): Params =>
  [...keys].reduce((changed, [field, key]) => changed.with(field, key), params)
