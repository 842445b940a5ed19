/** `didYouMean`: suggests a name for a misspelt one. */

const longest = 64

/** Returns the Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of adjacent characters. */
export function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const substitution = from[row - 1] === to[column - 1] ? 0 : 1
      let edits = Math.min(
        current[column - 1]! + 1,
        previous[column]! + 1,
        previous[column - 1]! + substitution,
      )
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (isSwap) edits = Math.min(edits, beforePrevious[column - 2]! + 1)
      current.push(edits)
    }
    beforePrevious = previous
    previous = current
  }
  return previous[to.length]!
}

/**
 * Returns the candidate most similar to `word`, ignoring case. Returns `undefined` if every candidate needs more than `most`
 * edits; `most` defaults to one edit for every three letters. Words of more than 64 characters are not compared.
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
    const edits = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (edits < fewest) [best, fewest] = [candidate, edits]
  }
  return best
}
