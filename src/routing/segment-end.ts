/** Where a segment ends. */

const slash = 47

/**
 * The place of the next slash, the text's end if there is none. A loop: segments are short, and a
 * call costs more.
 */
export function segmentEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && text.charCodeAt(end) !== slash) end += 1
  return end
}
