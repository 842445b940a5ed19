/** The difference of two texts, line by line, as people read it. */

const context = 2
const longest = 2000

/** Lengths of the longest common subsequences of what follows each pair of lines. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint16Array[] {
  const table = before.map(() => new Uint16Array(after.length + 1))
  table.push(new Uint16Array(after.length + 1))
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const row = table[i]!
      const below = table[i + 1]!
      row[j] = before[i] === after[j] ? below[j + 1]! + 1 : Math.max(below[j]!, row[j + 1]!)
    }
  }
  return table
}

function* changes(before: readonly string[], after: readonly string[]): Generator<string> {
  const table = commonLengths(before, after)
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      yield `  ${before[i++]}`
      j++
    } else if (i < before.length && (j >= after.length || table[i + 1]![j]! >= table[i]![j + 1]!))
      yield `- ${before[i++]}`
    else yield `+ ${after[j++]}`
  }
}

/** Lines with `-`, `+` or two blanks before them; far from any change they are left out. */
export function lineDiff(before: string, after: string): string {
  const [old, young] = [before.split('\n'), after.split('\n')]
  if (old.length > longest || young.length > longest)
    return `- ${old.length} lines\n+ ${young.length} lines`
  const lines = [...changes(old, young)]
  const changed = lines.map((line) => !line.startsWith('  '))
  const near = lines.map((_line, at) =>
    changed.slice(Math.max(0, at - context), at + context + 1).includes(true),
  )
  return lines
    .map((line, at) => (near[at] ? line : near[at - 1] ? '  …' : undefined))
    .filter((line) => line !== undefined)
    .join('\n')
}
