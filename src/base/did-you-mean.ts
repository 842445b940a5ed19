/** Finds the name that a misspelt one was meant to be. */

const longest = 64

/** Edits to turn one word into the other: insert, delete, replace, or swap two neighbours. */
function distance(from: string, to: string): number {
  let before: number[] = []
  let above = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      let edits = Math.min(
        current[column - 1]! + 1,
        above[column]! + 1,
        above[column - 1]! + (same ? 0 : 1),
      )
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (swapped) edits = Math.min(edits, before[column - 2]! + 1)
      current.push(edits)
    }
    before = above
    above = current
  }
  return above[to.length]!
}

/**
 * The candidate nearest to `word`, or `undefined` when none is near: at most one edit for every three letters,
 * letter case aside, or `most` edits. Words longer than 64 characters are not compared.
 */
export function didYouMean(
  word: string,
  candidates: Iterable<string>,
  most = Math.max(1, Math.floor(word.length / 3)),
): string | undefined {
  let best: string | undefined
  let fewest = most + 1
  if (word.length > longest) return undefined
  for (const candidate of candidates) {
    if (candidate === word || candidate.length > longest) continue
    if (Math.abs(candidate.length - word.length) >= fewest) continue
    const edits = distance(word.toLowerCase(), candidate.toLowerCase())
    if (edits < fewest) [best, fewest] = [candidate, edits]
  }
  return best
}
