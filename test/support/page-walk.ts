/** Walks through a page of docs/: writes its files, applies its changes, and gives its commands to a terminal, in order. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const repository = resolve(import.meta.dirname, '../..')

/** A block of code of a page. */
export interface PageBlock {
  readonly language: string
  readonly text: string
  /** The number of its first line in the page. */
  readonly line: number
}

/** Reads the blocks of a page. Skips blocks whose fence has more than the language, such as `ts Fw`: other tests run them. */
export function readBlocks(page: string): readonly PageBlock[] {
  const text = readFileSync(join(repository, page), 'utf8')
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map((found) => ({
    language: found[1]!,
    text: found[2]!,
    line: text.slice(0, found.index).split('\n').length + 1,
  }))
}

/** The first line of a file's block: its path in a comment of its language. */
const pathLine = /^(?:\/\/ |# |-- |<%-- |\/\* )([\w./-]+\.\w+)(?: --%>| \*\/)?\n/

/** Writes the file of a block into an application, or applies the changes of a `diff`. */
export function applyBlock(root: string, { language, text }: PageBlock): void {
  const [first, path] = pathLine.exec(text) ?? []
  if (path === undefined) throw new Error(`The block begins with no path:\n${text}`)
  const file = join(root, path)
  const rest = text.slice(first!.length)
  if (language === 'diff')
    return writeFileSync(file, applyChanges(readFileSync(file, 'utf8'), rest))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, rest)
}

/** Applies the parts of a diff, which lines `…` separate. Each part must fit one place of the text. */
export function applyChanges(text: string, diff: string): string {
  let changed = text
  for (const part of diff.split(/^ *…\n/m)) {
    const lines = part.split('\n').slice(0, -1)
    const pick = (markers: string) =>
      lines
        .filter((line) => line === '' || markers.includes(line[0]!))
        .map((line) => `${line.slice(1)}\n`)
        .join('')
    const before = pick(' -')
    const places = changed.split(before).length - 1
    if (places !== 1) throw new Error(`The text contains this ${places} times:\n${before}\n${text}`)
    changed = changed.replace(before, () => pick(' +'))
  }
  return changed
}
