/** Pieces of generated TypeScript, formatted as a formatter would leave them. */

const width = 100

/** `import { a, B } from 'x'`, on one line where it fits. */
export function importLine(names: Iterable<string>, from: string): string {
  const sorted = [...new Set(names)].sort((a, b) =>
    bare(a).localeCompare(bare(b), 'en', { sensitivity: 'base' }),
  )
  const line = `import { ${sorted.join(', ')} } from '${from}'`
  if (line.length <= width) return line
  return `import {\n${sorted.map((name) => `  ${name},\n`).join('')}} from '${from}'`
}

const bare = (name: string): string => name.replace(/^type /, '')

/** A text in single quotes. */
export const quoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

/** `head(a, b)` on one line where it fits behind an indentation, else one argument a line. */
export function callText(head: string, args: readonly string[], indent: number): string {
  const line = `${head}(${args.join(', ')})`
  if (indent + line.length <= width && !line.includes('\n')) return line
  return `${head}(\n${args.map((arg) => `  ${arg.replaceAll('\n', '\n  ')},\n`).join('')})`
}
