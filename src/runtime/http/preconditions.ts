/** Conditional requests (RFC 9110 §13): entity tags, and the evaluation of preconditions in the standard's order. */
import { hash } from 'node:crypto'
import { parseHttpDate } from './http-date.ts'
import type { HttpRequest } from './http-request.ts'

const tagSyntax = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/
const opaqueSyntax = /^[\x21\x23-\x7e]{1,128}$/
const listedTag = /[ \t,]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?=,|$)/y

/**
 * Returns the entity tag (RFC 9110 §8.8.3) of a version: `"v1"`, or `W/"v1"` when `weak`. A `version` that is already a
 * tag is returned unchanged. A `version` with characters that a tag cannot contain is hashed.
 */
export function entityTag(version: string, weak = false): string {
  if (tagSyntax.test(version)) return version
  return `${weak ? 'W/' : ''}"${opaqueSyntax.test(version) ? version : digest(version)}"`
}

/** Returns the strong entity tag of a body, a hash of its content. */
export function bodyEntityTag(body: string | Uint8Array): string {
  return `"${digest(body)}"`
}

function digest(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url').slice(0, 27)
}

/** Returns the weak form of a tag. A compressed body has a weak tag, because two compressions may produce different bytes. */
export function weakTag(tag: string): string {
  return tag.startsWith('W/') ? tag : `W/${tag}`
}

/** Compares two tags weakly, for `If-None-Match`. */
export function weakMatch(left: string, right: string): boolean {
  return weakTag(left) === weakTag(right)
}

/** Compares two tags strongly, for `If-Match` and `If-Range`: a weak tag never matches. */
export function strongMatch(left: string, right: string): boolean {
  return left === right && !left.startsWith('W/')
}

/** Parses the tags of `If-Match` or `If-None-Match`. Returns `*` for any tag, and undefined for a malformed list. */
export function parseEntityTags(header: string): readonly string[] | '*' | undefined {
  const text = header.trim()
  if (text === '*') return '*'
  const tags: string[] = []
  for (let at = 0; at < text.length; at = listedTag.lastIndex) {
    listedTag.lastIndex = at
    const match = listedTag.exec(text)
    if (match === null) return /^[ \t,]*$/.test(text.slice(at)) ? tags : undefined
    tags.push(match[1]!)
  }
  return tags
}

/** The validators of a resource's current version. Set at least one of them. */
export interface Validators {
  /** The entity tag with its quotation marks: `"v1"` or `W/"v1"`. */
  readonly etag?: string | undefined
  readonly lastModified?: Date | undefined
}

/** The result: `proceed` to handle the request, 304 if the client has this version, 412 if it expects another version. */
export type PreconditionResult = 'proceed' | 304 | 412

const conditions = ['if-none-match', 'if-modified-since', 'if-match', 'if-unmodified-since']

type Headers = Pick<HttpRequest, 'method' | 'header'>

/** Returns true when the request has a precondition. */
export function isConditional(request: Headers): boolean {
  return conditions.some((name) => request.header(name) !== undefined)
}

/** Evaluates the preconditions of a request. A malformed date or list counts as missing. */
export function evaluatePreconditions(
  request: Headers,
  validators: Validators,
): PreconditionResult {
  if (!matchHolds(request, validators)) return 412
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const noneMatch = request.header('if-none-match')
  if (noneMatch === undefined) {
    const since = isRead ? request.header('if-modified-since') : undefined
    return unchangedSince(since, validators.lastModified) === true ? 304 : 'proceed'
  }
  // A request with If-None-Match, even a malformed one, ignores If-Modified-Since.
  const tags = parseEntityTags(noneMatch)
  if (tags === undefined || !includes(tags, validators.etag, weakMatch)) return 'proceed'
  return isRead ? 304 : 412
}

function matchHolds(request: Headers, { etag, lastModified }: Validators): boolean {
  const match = request.header('if-match')
  if (match === undefined)
    return unchangedSince(request.header('if-unmodified-since'), lastModified) !== false
  const tags = parseEntityTags(match)
  return tags === undefined || includes(tags, etag, strongMatch)
}

function includes(
  tags: readonly string[] | '*',
  etag: string | undefined,
  same: (left: string, right: string) => boolean,
): boolean {
  if (tags === '*') return true
  return etag !== undefined && tags.some((tag) => same(tag, etag))
}

// Returns undefined unless both dates are present and valid. Compares whole seconds, because header dates have no
// fractions.
function unchangedSince(header: string | undefined, modified: Date | undefined) {
  const since = header === undefined ? undefined : parseHttpDate(header)
  if (since === undefined || modified === undefined) return undefined
  return Math.floor(modified.getTime() / 1000) <= Math.floor(since.getTime() / 1000)
}

/**
 * Returns true if the `Range` header applies: without `If-Range`, or if `If-Range` is the entity tag of the current version. A
 * date never applies, because another version may have the same.
 */
export function rangeApplies(request: Headers, { etag }: Validators): boolean {
  const header = request.header('if-range')?.trim()
  return header === undefined || (etag !== undefined && strongMatch(header, etag))
}
