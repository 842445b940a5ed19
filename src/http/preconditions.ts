/** Conditional requests (RFC 9110 §13): whether a version is still wanted, in the order the standard gives. */
import { parseTags, strongMatch, weakMatch } from './entity-tag.ts'
import { parseHttpDate } from './http-date.ts'
import type { HttpRequest } from './http-request.ts'

/** What names the current version of a resource; at least one should be there. */
export interface Validators {
  /** With its quotes: `"v1"` or `W/"v1"`. */
  readonly etag?: string | undefined
  readonly lastModified?: Date | undefined
}

/** Go on; 304: the client has it; 412: the client asked for another version than there is. */
export type Verdict = 'proceed' | 304 | 412

const conditions = ['if-none-match', 'if-modified-since', 'if-match', 'if-unmodified-since']

type Headers = Pick<HttpRequest, 'method' | 'header'>

/** True when the request depends on a version. */
export function isConditional(request: Headers): boolean {
  return conditions.some((name) => request.header(name) !== undefined)
}

/** Judges the request's conditions; a malformed date or list is as if it were absent. */
export function judge(request: Headers, validators: Validators): Verdict {
  if (!holdsMatch(request, validators)) return 412
  const reads = request.method === 'GET' || request.method === 'HEAD'
  const noneMatch = request.header('if-none-match')
  const tags = noneMatch === undefined ? undefined : parseTags(noneMatch)
  if (tags !== undefined) {
    if (!includes(tags, validators.etag, weakMatch)) return 'proceed'
    return reads ? 304 : 412
  }
  // If-None-Match, even when malformed, stands in place of the date.
  if (noneMatch !== undefined || !reads) return 'proceed'
  return unchangedSince(request.header('if-modified-since'), validators.lastModified) === true
    ? 304
    : 'proceed'
}

function holdsMatch(request: Headers, { etag, lastModified }: Validators): boolean {
  const match = request.header('if-match')
  const tags = match === undefined ? undefined : parseTags(match)
  if (match !== undefined) return tags === undefined || includes(tags, etag, strongMatch)
  return unchangedSince(request.header('if-unmodified-since'), lastModified) !== false
}

function includes(
  tags: readonly string[] | '*',
  etag: string | undefined,
  same: (left: string, right: string) => boolean,
): boolean {
  if (tags === '*') return true
  return etag !== undefined && tags.some((tag) => same(tag, etag))
}

// Undefined when there is nothing to compare. Headers know no parts of a second.
function unchangedSince(
  header: string | undefined,
  modified: Date | undefined,
): boolean | undefined {
  const since = header === undefined ? undefined : parseHttpDate(header)
  if (since === undefined || modified === undefined) return undefined
  return Math.floor(modified.getTime() / 1000) <= Math.floor(since.getTime() / 1000)
}

/** Whether `Range` counts: without `If-Range`, or when it names exactly this version. */
export function holdsRange(request: Headers, { etag, lastModified }: Validators): boolean {
  const header = request.header('if-range')?.trim()
  if (header === undefined) return true
  if (header.endsWith('"')) return etag !== undefined && strongMatch(header, etag)
  const date = parseHttpDate(header)
  if (date === undefined || lastModified === undefined) return false
  return Math.floor(lastModified.getTime() / 1000) === Math.floor(date.getTime() / 1000)
}
