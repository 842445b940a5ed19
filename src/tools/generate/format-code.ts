/** Formats pieces of generated TypeScript as the code formatter does. */

const width = 100

/** `import { a, B } from 'x'`, sorted, on one line if it fits. */
export function formatImport(names: Iterable<string>, from: string): string {
  const withoutType = (name: string): string => name.replace(/^type /, '')
  const sorted = [...new Set(names)].sort((a, b) =>
    withoutType(a).localeCompare(withoutType(b), 'en', { sensitivity: 'base' }),
  )
  const line = `import { ${sorted.join(', ')} } from '${from}'`
  return line.length <= width ? line : `import {\n${formatLines(sorted)}} from '${from}'`
}

/** `head(a, b)` on one line if it fits after an indent of `indent` columns, else one argument per line. */
export function formatCall(head: string, args: readonly string[], indent: number): string {
  const line = `${head}(${args.join(', ')})`
  if (indent + line.length <= width && !line.includes('\n')) return line
  return `${head}(\n${formatLines(args)})`
}

/** Each item on its own indented line, with a comma. */
export const formatLines = (items: readonly string[]): string =>
  items.map((item) => `  ${item.replaceAll('\n', '\n  ')},\n`).join('')

/** A string literal in the quotes that need fewer escapes. It contains no `%>`, which would end a template's code. */
export function quote(text: string): string {
  const double = JSON.stringify(text).replaceAll('%>', '%\\x3e')
  if (text.includes("'") && !text.includes('"')) return double
  return `'${double.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** Foreign text in a comment: on one line, and without the end of a comment. */
export const commentText = (text: string): string =>
  text.replace(/\s+/g, ' ').replaceAll('*/', '* /').slice(0, 300)

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
