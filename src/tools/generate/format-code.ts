/** Formats parts of generated TypeScript as the code formatter does. */

const width = 100

/** Formats `import { a, B } from 'x'` with sorted names, on one line if it fits. */
export function formatImport(names: Iterable<string>, from: string): string {
  const withoutType = (name: string): string => name.replace(/^type /, '')
  const sorted = [...new Set(names)].sort((a, b) =>
    withoutType(a).localeCompare(withoutType(b), 'en', { sensitivity: 'base' }),
  )
  const line = `import { ${sorted.join(', ')} } from '${from}'`
  return line.length <= width ? line : `import {\n${formatLines(sorted)}} from '${from}'`
}

/** A class name, and the path of its file below the folder of models or factories. */
export interface Importable {
  readonly pascal: string
  readonly file: string
}

export const importModel = ({ pascal, file }: Importable): string =>
  `import { ${pascal} } from '#model/${file}'`

export const importFactory = ({ pascal, file }: Importable): string =>
  `import { create${pascal} } from '#test/factory/${file}'`

/** Formats a call `head(a, b)`, on one line if it fits after an indent of `indent` columns, else an argument per line. */
export function formatCall(head: string, args: readonly string[], indent: number): string {
  const line = `${head}(${args.join(', ')})`
  if (indent + line.length <= width && !line.includes('\n')) return line
  return `${head}(\n${formatLines(args)})`
}

/** Formats an object literal, on one line if it fits after an indent of `indent` columns. */
export function formatObject(members: readonly string[], indent: number): string {
  if (members.length === 0) return '{}'
  const line = `{ ${members.join(', ')} }`
  return indent + line.length < 98 && !line.includes('\n') ? line : `{\n${formatLines(members)}}`
}

type Optional = string | false | undefined

/** Omits `false` and `undefined`. */
export const present = (parts: readonly Optional[]): string[] =>
  parts.filter((part) => typeof part === 'string')

/** Formats the members `name: code` of an object literal. Omits members without code. */
export const formatMembers = (members: Readonly<Record<string, Optional>>): string[] =>
  present(
    Object.entries(members).map(([name, code]) => typeof code === 'string' && `${name}: ${code}`),
  )

/** Formats each item on its own indented line, followed by a comma. */
export const formatLines = (items: readonly string[]): string =>
  items.map((item) => `  ${item.replaceAll('\n', '\n  ')},\n`).join('')

/** Formats a string literal with the quotes that need fewer escapes. Escapes `%>`, which would end the code in a template. */
export function quote(text: string): string {
  const double = JSON.stringify(text).replaceAll('%>', '%\\x3e')
  if (text.includes("'") && !text.includes('"')) return double
  return `'${double.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** Formats a string literal for a template, whose markup and placeholders the text cannot end or start. */
export const quoteInTemplate = (text: string): string =>
  `'${text.replace(/[^\p{L}\p{N} _.,/+-]/gu, escapeUnits)}'`

/** Escapes a character of one or two UTF-16 units. */
const escapeUnits = (character: string): string =>
  character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')

/** Formats a text of a template: plain words as they are, any other text as a placeholder with a string literal. */
export const textInTemplate = (text: string): string =>
  /^[\p{L}\p{N}_.,/+-]+(?: [\p{L}\p{N}_.,/+-]+)*$/u.test(text)
    ? text
    : `\${${quoteInTemplate(text)}}`

/** Formats any text for a comment: on one line, shortened, and without the end of a comment. */
export const commentText = (text: string): string =>
  text.replace(/\s+/g, ' ').replaceAll('*/', '* /').slice(0, 300)

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
