/** Adds names and calls to TypeScript files that people also edit, and removes them. All other text stays unchanged. */
import {
  parse,
  type AnyNode,
  type ExpressionStatement,
  type ObjectExpression,
  type Program,
  type Token,
} from 'acorn'
import { stripTypes } from '../dev.ts'

interface Source {
  readonly text: string
  readonly program: Program
  readonly tokens: readonly Token[]
}

/** Parses TypeScript; `undefined` for invalid code. Node blanks out types, so all positions equal those in the text. */
function parseSource(text: string): Source | undefined {
  const tokens: Token[] = []
  try {
    const options = { ecmaVersion: 'latest', sourceType: 'module', onToken: tokens } as const
    return { text, program: parse(stripTypes(text), options), tokens }
  } catch {
    return undefined
  }
}

/** Yields a node and all its descendants, parents first. */
function* walk(value: unknown): Generator<AnyNode> {
  if (typeof value !== 'object' || value === null) return
  if ('type' in value) yield value as AnyNode
  for (const member of Object.values(value)) yield* walk(member)
}

const insert = (text: string, at: number, added: string): string =>
  text.slice(0, at) + added + text.slice(at)

const newlineOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')
const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1
const indentAt = (text: string, at: number): string =>
  /^[ \t]*/.exec(text.slice(lineStart(text, at)))![0]

/** Returns the position where the next line starts. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}

/** Removes a range of text, and also its line if the line is blank otherwise. */
function remove(text: string, start: number, end: number): string {
  const [from, to] = [lineStart(text, start), lineEnd(text, end)]
  const isAlone = text.slice(from, start).trim() === '' && text.slice(end, to).trim() === ''
  return isAlone ? text.slice(0, from) + text.slice(to) : text.slice(0, start) + text.slice(end)
}

const imports = ({ program }: Source) =>
  program.body.filter((statement) => statement.type === 'ImportDeclaration')

/**
 * Adds `import { name } from 'path'` below the last import, with the same quotes and semicolon. Returns `undefined` for invalid
 * code.
 */
export function addImport(text: string, name: string, path: string): string | undefined {
  const source = parseSource(text)
  if (source === undefined) return undefined
  const all = imports(source)
  if (all.some(({ specifiers }) => specifiers.some(({ local }) => local.name === name))) return text
  const newline = newlineOf(text)
  const last = all.at(-1)
  if (last === undefined) {
    const start = /^\s*(?:\/\*\*[\s\S]*?\*\/[ \t]*\r?\n)?/.exec(text)![0].length
    return insert(text, start, `import { ${name} } from '${path}'${newline}`)
  }
  const quote = text[last.source.start]!
  const semicolon = text[last.end - 1] === ';' ? ';' : ''
  const end = lineEnd(text, last.end)
  const before = text[end - 1] === '\n' ? '' : newline
  const line = `import { ${name} } from ${quote}${path}${quote}${semicolon}`
  return insert(text, end, before + line + newline)
}

/** Removes the import that imports only `name`. */
export function removeImport(text: string, name: string): string {
  const source = parseSource(text)
  const found =
    source &&
    imports(source).find(({ specifiers }) => {
      return specifiers.length === 1 && specifiers[0]!.local.name === name
    })
  return found === undefined
    ? text
    : text.slice(0, found.start) + text.slice(lineEnd(text, found.end))
}

/** Finds the object literal in `const variable = { … }`. */
function findObject({ program }: Source, variable: string): ObjectExpression | undefined {
  for (const node of walk(program))
    if (node.type === 'VariableDeclarator' && isNamed(node.id, variable))
      return node.init?.type === 'ObjectExpression' ? node.init : undefined
  return undefined
}

const isNamed = (node: AnyNode, name: string): boolean =>
  node.type === 'Identifier' && node.name === name

const findComma = ({ tokens }: Source, start: number, end: number): Token | undefined =>
  tokens.find((token) => token.start >= start && token.end <= end && token.type.label === ',')

const hasKey = (property: ObjectExpression['properties'][number], name: string): boolean =>
  property.type === 'Property' && isNamed(property.key, name)

/**
 * Adds a shorthand property to an object. If the object's last property has its own line, so has the new one. Returns
 * `undefined` if the object is not found.
 */
export function addToObject(text: string, variable: string, name: string): string | undefined {
  const source = parseSource(text)
  const object = source && findObject(source, variable)
  if (object === undefined) return undefined
  if (object.properties.some((property) => hasKey(property, name))) return text
  const newline = newlineOf(text)
  const last = object.properties.at(-1)
  if (last === undefined) {
    const isBlank = text.slice(object.start + 1, object.end - 1).trim() === ''
    // An object without properties that is not blank contains comments, which must stay.
    return isBlank
      ? `${text.slice(0, object.start)}{ ${name} }${text.slice(object.end)}`
      : insert(text, object.start + 1, `${newline}  ${name},`)
  }
  const comma = findComma(source!, last.end, object.end)
  const end = comma?.end ?? last.end
  const separator = comma === undefined ? ',' : ''
  if (!text.slice(end, object.end).includes('\n'))
    return breakLongLine(insert(text, end, `${separator} ${name}`), object)
  const separated = insert(text, end, separator)
  const line = indentAt(text, last.start) + name + ',' + newline
  return insert(separated, lineEnd(separated, end), line)
}

/** Puts each property on its own line, as the formatter does, if the line of the object is too long. */
function breakLongLine(text: string, { start }: ObjectExpression): string {
  if (lineEnd(text, start) - lineStart(text, start) <= 101) return text
  const end = text.indexOf('}', start)
  const inside = text.slice(start + 1, end)
  if (/[\n{[('"`/]/.test(inside)) return text
  const indent = newlineOf(text) + indentAt(text, start)
  const lines = inside.split(',').map((name) => `${indent}  ${name.trim()},`)
  return `${text.slice(0, start)}{${lines.join('')}${indent}${text.slice(end)}`
}

/** Removes a shorthand property from an object literal. Returns `undefined` if the object is not found. */
export function removeFromObject(text: string, variable: string, name: string): string | undefined {
  const source = parseSource(text)
  const object = source && findObject(source, variable)
  if (object === undefined) return undefined
  const index = object.properties.findIndex(
    (property) => hasKey(property, name) && property.type === 'Property' && property.shorthand,
  )
  const property = object.properties[index]
  if (property === undefined) return text
  const { start, end } = property
  const comma = findComma(source!, end, object.properties[index + 1]?.start ?? object.end)
  // Also remove the blank between the comma and the next member.
  if (comma !== undefined)
    return remove(text, start, text[comma.end] === ' ' ? comma.end + 1 : comma.end)
  const previous = object.properties[index - 1]
  return previous === undefined
    ? remove(text, start, end)
    : text.slice(0, findComma(source!, previous.end, start)!.start) + text.slice(end)
}

/** Finds the statements `controllers.name.mount(…)` below a node; without `name`, of all controllers. */
function findMounts(text: string, node: AnyNode, name = '[\\w.]+'): ExpressionStatement[] {
  const callee = new RegExp(`^controllers\\.${name}\\.mount$`)
  return [...walk(node)].filter(
    (each): each is ExpressionStatement =>
      each.type === 'ExpressionStatement' &&
      each.expression.type === 'CallExpression' &&
      callee.test(text.slice(each.start, each.expression.callee.end).replace(/\s/g, '')),
  )
}

/**
 * Adds a call of `mount` to `initFwApp`: below the last such call, or at the end of the method. Returns `undefined` if there is
 * no such method.
 */
export function addMount(text: string, name: string): string | undefined {
  const source = parseSource(text)
  const method = [...walk(source?.program)].find(
    (node) => node.type === 'MethodDefinition' && isNamed(node.key, 'initFwApp'),
  )
  if (method?.type !== 'MethodDefinition') return undefined
  const { body, params } = method.value
  if (findMounts(text, body, name).length > 0) return text
  const newline = newlineOf(text)
  const context = params[0]?.type === 'Identifier' ? params[0].name : 'ctx'
  const call = `controllers.${name}.mount(${context})`
  const last = findMounts(text, body).at(-1)
  if (last !== undefined) {
    const semicolon = text[last.end - 1] === ';' ? ';' : ''
    const line = indentAt(text, last.start) + call + semicolon + newline
    return insert(text, lineEnd(text, last.end), line)
  }
  const close = body.end - 1
  const indent = indentAt(text, close)
  const start = lineStart(text, close)
  return start > body.start
    ? insert(text, start, `${indent}  ${call}${newline}`)
    : insert(text, close, `${newline}${indent}  ${call}${newline}${indent}`)
}

export function removeMount(text: string, name: string): string {
  const source = parseSource(text)
  const [mount] = source === undefined ? [] : findMounts(text, source.program, name)
  return mount === undefined ? text : remove(text, mount.start, mount.end)
}
