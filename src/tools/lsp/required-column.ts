/** Makes a column of a model required, so that TypeScript reports each write without it. */

/** A text to remove, by its offsets. */
interface Removed {
  readonly start: number
  readonly end: number
}

const wrapper = /^(?:\w+\.)?(?:optional|defaulted)\(/

/**
 * Returns what to remove so that the column after whose name a declaration continues at `offset` is required: the calls of
 * `optional` and `defaulted`. Returns nothing for another declaration.
 */
export function requiredColumn(code: string, offset: number): readonly Removed[] {
  const colon = /^['"]?\s*:\s*/.exec(code.slice(offset, offset + 100))
  if (colon === null) return []
  const removed: Removed[] = []
  for (let at = offset + colon[0].length; ;) {
    const [call] = wrapper.exec(code.slice(at, at + 100)) ?? []
    if (call === undefined) return removed
    const end = endOfCall(code, at + call.length)
    if (end === undefined) return []
    removed.push({ start: at, end: at + call.length }, { start: end, end: end + 1 })
    at += call.length
  }
}

/** Returns the offset of the parenthesis that closes a call; `undefined` without one. */
function endOfCall(code: string, start: number): number | undefined {
  let depth = 1
  for (let at = start; at < code.length; at++) {
    if (code[at] === '(') depth++
    else if (code[at] === ')' && --depth === 0) return at
  }
  return undefined
}
