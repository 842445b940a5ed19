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

/** A text in the quotes that need the least escaping, single ones first; it ends no template's code either. */
export function quoted(text: string): string {
  const double = JSON.stringify(text).replaceAll('%>', '%\\x3e')
  if (text.includes("'") && !text.includes('"')) return double
  return `'${double.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** Words from elsewhere in a comment: on one line, and no end of it. */
export const told = (words: string): string =>
  words.replace(/\s+/g, ' ').replaceAll('*/', '* /').slice(0, 300)

/** A word at the beginning of a sentence. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** The head of a function that writes rows for tests. */
export function factoryHead(model: string, id: string, isAsync: boolean): string {
  const head = `export ${isAsync ? 'async ' : ''}function create${model}(`
  const [field, tail] = [`fields: Partial<${model}> = {}`, `): Promise<${id}> {`]
  const line = head + field + tail
  return line.length <= width ? line : `${head}\n  ${field},\n${tail}`
}

/** `head(a, b)` on one line where it fits behind an indentation, else one argument a line. */
export function callText(head: string, args: readonly string[], indent: number): string {
  const line = `${head}(${args.join(', ')})`
  if (indent + line.length <= width && !line.includes('\n')) return line
  return `${head}(\n${args.map((arg) => `  ${arg.replaceAll('\n', '\n  ')},\n`).join('')})`
}
