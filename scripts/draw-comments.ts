/**
 * Prints random comments of `src`, each with the code below it: `draw-comments.ts SEED [COUNT]`. A reader who has never
 * seen the code then checks whether each comment is clear.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'

const root = join(import.meta.dirname, '..')
const [seed = '1', count = '100'] = process.argv.slice(2)

interface Drawn {
  readonly path: string
  readonly line: number
  readonly text: string
  readonly below: string
}

function commentsOf(path: string): Drawn[] {
  const text = readFileSync(join(root, path), 'utf8')
  const lineOf = (offset: number) => text.slice(0, offset).split('\n').length
  const all = parseSync(path, text).comments.map(({ start, end }) => ({ start, end }))
  // Consecutive line comments are one comment.
  const merged: { start: number; end: number }[] = []
  for (const { start, end } of all) {
    const last = merged.at(-1)
    if (last !== undefined && /^\n[ \t]*$/.test(text.slice(last.end, start))) last.end = end
    else merged.push({ start, end })
  }
  return merged
    .map(({ start, end }) => ({
      path,
      line: lineOf(start),
      text: text.slice(start, end),
      below: text.slice(end).split('\n').slice(1, 9).join('\n'),
    }))
    .filter((comment) => comment.text.split(/\s+/).length > 4 && !comment.text.includes('oxlint-'))
}

/**
 * Returns a random number generator (mulberry32). The same seed gives the same numbers, so that a draw can be repeated.
 */
function generator(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const sources = globSync('src/**/*.ts', { cwd: root })
  .filter((path) => !/\.(test|fixture)\.ts$/.test(path))
  .sort()
const pool = sources.flatMap(commentsOf)
const random = generator(Number(seed))
for (let drawn = 1; drawn <= Number(count) && pool.length > 0; drawn += 1) {
  const [comment] = pool.splice(Math.floor(random() * pool.length), 1)
  const { path, line, text, below } = comment!
  console.log(`## ${drawn}. ${path}:${line}\n\n\`\`\`ts\n${text}\n${below}\n\`\`\`\n`)
}
