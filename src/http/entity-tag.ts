/** Entity tags (RFC 9110 §8.8.3): made, told apart, and found in lists. */
import { createHash } from 'node:crypto'

const written = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/
const opaque = /^[\x21\x23-\x7e]{1,128}$/
const listed = /[ \t,]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?=,|$)/y

/**
 * The tag of a version's name: `"v1"`, `W/"v1"` when `weak`. A name that is a tag already stays as it is; one that no
 * tag can hold is hashed.
 */
export function entityTag(version: string, weak = false): string {
  if (written.test(version)) return version
  return `${weak ? 'W/' : ''}"${opaque.test(version) ? version : digestOf(version)}"`
}

/** The strong tag of a body. */
export function bodyTag(body: string | Uint8Array): string {
  return `"${digestOf(body)}"`
}

function digestOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 27)
}

/** The same version under another coding: bytes may differ, so the tag is weak. */
export function weakTag(tag: string): string {
  return tag.startsWith('W/') ? tag : `W/${tag}`
}

/** Same version, whatever its bytes: for `If-None-Match`. */
export function weakMatch(left: string, right: string): boolean {
  return weakTag(left) === weakTag(right)
}

/** Same bytes: for `If-Match` and `If-Range`; a weak tag never matches. */
export function strongMatch(left: string, right: string): boolean {
  return left === right && !left.startsWith('W/')
}

/**
 * The tags of `If-Match` or `If-None-Match`; `*` for any. Undefined for a malformed list, which is ignored like an
 * absent one.
 */
export function parseTags(header: string): readonly string[] | '*' | undefined {
  const text = header.trim()
  if (text === '*') return '*'
  const tags: string[] = []
  for (let at = 0; at < text.length; at = listed.lastIndex) {
    listed.lastIndex = at
    const match = listed.exec(text)
    if (match === null) return /^[ \t,]*$/.test(text.slice(at)) ? tags : undefined
    tags.push(match[1]!)
  }
  return tags
}
