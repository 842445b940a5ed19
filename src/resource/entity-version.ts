/** Versions of records: the tag that a reader gets, and the one that a writer must name. */
import { HttpError } from '../base.ts'
import { bodyTag, isConditional, judge, parseTags } from '../http.ts'
import type { ResourceHost } from './resource-actions.ts'
import { entityBody, type EntityFormat } from './entity-body.ts'
import type { ResolvedOptions } from './resource-options.ts'

/** Names the version of an answer; a client that has it gets 304, as for every tag. */
export function tagAnswer({ response: { headers } }: ResourceHost, content: string): void {
  headers.set('ETag', bodyTag(content))
  if (!headers.has('cache-control')) headers.set('Cache-Control', 'private, no-cache')
}

/**
 * Whether the request may change only a certain version.
 * @throws HttpError 428 `resource.version-missing` where it must, and does not say which
 */
export function namesVersion(
  c: ResourceHost,
  { requireIfMatch }: ResolvedOptions,
  format: EntityFormat | undefined,
): boolean {
  const { request, jsonBody, xmlBody } = c
  // A form of a page posts, and sends neither: who does otherwise is a program, whatever it wants to be answered.
  const isProgram =
    request.http.method !== 'POST' ||
    format !== undefined ||
    jsonBody !== undefined ||
    xmlBody !== undefined
  if (requireIfMatch && isProgram && !saysWhich(request.header('if-match')))
    throw new HttpError(
      428,
      'resource.version-missing',
      'Say in If-Match which version this changes: the ETag with which the record was read.',
    )
  return isConditional(request.http)
}

/** `*` is any version there is: whoever says so has read none. */
const saysWhich = (header: string | undefined): boolean =>
  header !== undefined && parseTags(header) !== '*'

/** A list that cannot be read would count as absent, and the change would be made: it names no version instead. */
function strongTags(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  return parseTags(header) === undefined ? '""' : header.replaceAll('W/"', '"')
}

/**
 * Refuses to change another version than the request names: the tag of what a reader gets in the same format, or in
 * any where the answer is a page. Compression makes a tag weak and the record no other, so `W/` counts for nothing.
 * @throws HttpError 412 `resource.version-changed`
 */
export function requireVersion(
  { request }: ResourceHost,
  options: ResolvedOptions,
  format: EntityFormat | undefined,
  record: object,
): void {
  const conditions = {
    method: request.method,
    header: (name: string) =>
      name === 'if-match' ? strongTags(request.header(name)) : request.header(name),
  }
  const holds = (one: EntityFormat): boolean =>
    judge(conditions, { etag: bodyTag(entityBody(one, options, record)) }) === 'proceed'
  const formats: readonly EntityFormat[] = format === undefined ? ['json', 'xml'] : [format]
  if (formats.some(holds)) return
  throw new HttpError(
    412,
    'resource.version-changed',
    'This is not the version that If-Match names. Load the record again, then repeat the change.',
  )
}
