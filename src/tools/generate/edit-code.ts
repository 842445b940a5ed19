/** Adds names and calls to TypeScript files that people also edit, and removes them. All other text stays unchanged. */
import {
  parse,
  type AnyNode,
  type CallExpression,
  type ExpressionStatement,
  type ImportDeclaration,
  type ObjectExpression,
  type Program,
  type Token,
} from 'acorn'
import { stripTypes } from '../dev.ts'

export interface Source {
  readonly text: string
  readonly program: Program
  readonly tokens: readonly Token[]
}

/** Parses TypeScript; `undefined` for invalid code. Node blanks out types, so all positions equal those in the text. */
export function parseSource(text: string): Source | undefined {
  const tokens: Token[] = []
  try {
    const options = { ecmaVersion: 'latest', sourceType: 'module', onToken: tokens } as const
    return { text, program: parse(stripTypes(text), options), tokens }
  } catch {
    return undefined
  }
}

/** Yields a node and all its descendants, parents first. */
export function* walk(value: unknown): Generator<AnyNode> {
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
 * Adds `import { name } from 'path'` for each name below the last import, with the same quotes and semicolon. `paths` has the
 * path of each name. Returns `undefined` for invalid code.
 */
export function addImports(text: string, paths: ReadonlyMap<string, string>): string | undefined {
  const source = parseSource(text)
  if (source === undefined) return undefined
  const all = imports(source)
  const known = new Set(all.flatMap(({ specifiers }) => specifiers.map(({ local }) => local.name)))
  const missing = [...paths].filter(([name]) => !known.has(name))
  if (missing.length === 0) return text
  const last = all.at(-1)
  const quote = last === undefined ? "'" : text[last.source.start]!
  const semicolon = last !== undefined && text[last.end - 1] === ';' ? ';' : ''
  const newline = newlineOf(text)
  const lines = missing
    .map(([name, path]) => `import { ${name} } from ${quote}${path}${quote}${semicolon}${newline}`)
    .join('')
  if (last === undefined) {
    const start = /^\s*(?:\/\*\*[\s\S]*?\*\/[ \t]*\r?\n)?/.exec(text)![0].length
    return insert(text, start, lines)
  }
  const end = lineEnd(text, last.end)
  return insert(text, end, (text[end - 1] === '\n' ? '' : newline) + lines)
}

const findImport = (source: Source, path: string): ImportDeclaration | undefined =>
  imports(source).find(({ source: { value }, specifiers }) => {
    return value === path && specifiers.some(({ type }) => type === 'ImportSpecifier')
  })

/** Adds `name` to the names that are imported from `path`, in alphabetical order; `undefined` without such an import. */
export function addImportedName(text: string, name: string, path: string): string | undefined {
  const source = parseSource(text)
  const names = source && findImport(source, path)?.specifiers
  if (names === undefined) return undefined
  if (names.some(({ local }) => local.name === name)) return text
  const isAlone = text.slice(lineStart(text, names[0]!.start), names[0]!.start).trim() === ''
  const separator = isAlone ? `,${newlineOf(text)}${indentAt(text, names[0]!.start)}` : ', '
  const next = names.find(({ local }) => local.name > name)
  return next === undefined
    ? insert(text, names.at(-1)!.end, separator + name)
    : insert(text, next.start, name + separator)
}

export function removeImportedName(text: string, name: string, path: string): string {
  const source = parseSource(text)
  const names = source && findImport(source, path)?.specifiers
  const index = names?.findIndex(({ local }) => local.name === name) ?? -1
  if (names === undefined || index < 0) return text
  const [previous, own, next] = [names[index - 1], names[index]!, names[index + 1]]
  if (next !== undefined) return text.slice(0, own.start) + text.slice(next.start)
  return text.slice(0, previous?.end ?? own.start) + text.slice(own.end)
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

export const isNamed = (node: AnyNode, name: string): boolean =>
  node.type === 'Identifier' && node.name === name

const findComma = ({ tokens }: Source, start: number, end: number): Token | undefined =>
  tokens.find((token) => token.start >= start && token.end <= end && token.type.label === ',')

const hasKey = (property: ObjectExpression['properties'][number], name: string): boolean =>
  property.type === 'Property' && isNamed(property.key, name)

/**
 * Adds shorthand properties to an object. If the object's last property has its own line, so has each new one. Returns
 * `undefined` if the object is not found.
 */
export function addToObject(
  text: string,
  variable: string,
  names: readonly string[],
): string | undefined {
  const source = parseSource(text)
  const object = source && findObject(source, variable)
  if (object === undefined) return undefined
  const missing = names.filter((name) => !object.properties.some((one) => hasKey(one, name)))
  if (missing.length === 0) return text
  const newline = newlineOf(text)
  const last = object.properties.at(-1)
  if (last === undefined) {
    const isBlank = text.slice(object.start + 1, object.end - 1).trim() === ''
    // An object without properties that is not blank contains comments, which must stay.
    return isBlank
      ? breakLongLine(
          `${text.slice(0, object.start)}{ ${missing.join(', ')} }${text.slice(object.end)}`,
          object,
        )
      : insert(text, object.start + 1, missing.map((name) => `${newline}  ${name},`).join(''))
  }
  const added = appendItems(source!, last, object.end, missing)
  return text.slice(last.end, object.end).includes('\n') ? added : breakLongLine(added, object)
}

/** Adds items after the last one of a list that ends at `listEnd`. If the last one has its own line, so has each new one. */
export function appendItems(
  source: Source,
  last: AnyNode,
  listEnd: number,
  items: readonly string[],
): string {
  const { text } = source
  const comma = findComma(source, last.end, listEnd)
  const end = comma?.end ?? last.end
  const separator = comma === undefined ? ',' : ''
  if (!text.slice(end, listEnd).includes('\n'))
    return insert(text, end, `${separator} ${items.join(', ')}`)
  const separated = insert(text, end, separator)
  const indent = indentAt(text, last.start)
  const lines = items.map((item) => `${indent}${item},${newlineOf(text)}`).join('')
  return insert(separated, lineEnd(separated, end), lines)
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
  return removeItem(source!, object.properties, index, object.end)
}

/** Removes an item of a list that ends at `listEnd`, with its comma. */
export function removeItem(
  source: Source,
  items: readonly AnyNode[],
  index: number,
  listEnd: number,
): string {
  const { text } = source
  const item = items[index]
  if (item === undefined) return text
  const { start, end } = item
  const comma = findComma(source, end, items[index + 1]?.start ?? listEnd)
  // Also remove the blank between the comma and the next item.
  if (comma !== undefined)
    return remove(text, start, text[comma.end] === ' ' ? comma.end + 1 : comma.end)
  const previous = items[index - 1]
  return previous === undefined
    ? remove(text, start, end)
    : text.slice(0, findComma(source, previous.end, start)!.start) + text.slice(end)
}

/** Finds the call of `mix` in `class name extends mix(…)`. */
function findMix({ program }: Source, name: string): CallExpression | undefined {
  for (const node of walk(program)) {
    if (node.type !== 'ClassDeclaration' || node.id?.name !== name) continue
    const base = node.superClass
    return base?.type === 'CallExpression' && isNamed(base.callee, 'mix') ? base : undefined
  }
  return undefined
}

/** Adds a trait to `class name extends mix(…)`. Returns `undefined` if there is no such class. */
export function addTrait(text: string, name: string, trait: string): string | undefined {
  const source = parseSource(text)
  const mix = source && findMix(source, name)
  const last = mix?.arguments.at(-1)
  if (mix === undefined || last === undefined) return undefined
  if (mix.arguments.some((argument) => isNamed(argument, trait))) return text
  return breakLongCall(appendItems(source!, last, mix.end, [trait]), name)
}

/** Puts each argument of `mix` on its own line, as the formatter does, if the line of the class is too long. */
function breakLongCall(text: string, name: string): string {
  const mix = findMix(parseSource(text)!, name)!
  if (lineEnd(text, mix.start) - lineStart(text, mix.start) <= 101) return text
  if (text.slice(mix.start, mix.end).includes('\n')) return text
  const newline = newlineOf(text) + indentAt(text, mix.start)
  const lines = mix.arguments.map(({ start, end }) => `${newline}  ${text.slice(start, end)},`)
  return `${text.slice(0, mix.start)}mix(${lines.join('')}${newline})${text.slice(mix.end)}`
}

export function removeTrait(text: string, name: string, trait: string): string {
  const source = parseSource(text)
  const mix = source && findMix(source, name)
  if (mix === undefined) return text
  const index = mix.arguments.findIndex((argument) => isNamed(argument, trait))
  return removeItem(source!, mix.arguments, index, mix.end)
}

interface Mount {
  readonly name: string
  readonly statement: ExpressionStatement
}

/** Finds the statements `controllers.name.mount(…)` below a node. */
function findMounts(text: string, node: AnyNode): Mount[] {
  return [...walk(node)].flatMap((statement) => {
    if (statement.type !== 'ExpressionStatement' || statement.expression.type !== 'CallExpression')
      return []
    const callee = text.slice(statement.start, statement.expression.callee.end)
    const [, name] = /^controllers\.([\w.]+)\.mount$/.exec(callee.replace(/\s/g, '')) ?? []
    return name === undefined ? [] : [{ name, statement }]
  })
}

/**
 * Adds a call of `mount` for each name to `initFwApp`: below the last such call, or at the end of the method. Returns
 * `undefined` if there is no such method.
 */
export function addMounts(text: string, names: readonly string[]): string | undefined {
  const source = parseSource(text)
  const method = [...walk(source?.program)].find(
    (node) => node.type === 'MethodDefinition' && isNamed(node.key, 'initFwApp'),
  )
  if (method?.type !== 'MethodDefinition') return undefined
  const { body, params } = method.value
  const mounts = findMounts(text, body)
  const known = new Set(mounts.map(({ name }) => name))
  const missing = names.filter((name) => !known.has(name))
  if (missing.length === 0) return text
  const newline = newlineOf(text)
  const context = params[0]?.type === 'Identifier' ? params[0].name : 'ctx'
  const last = mounts.at(-1)?.statement
  const close = body.end - 1
  const indent = last === undefined ? `${indentAt(text, close)}  ` : indentAt(text, last.start)
  const semicolon = last !== undefined && text[last.end - 1] === ';' ? ';' : ''
  const lines = missing
    .map((name) => `${indent}controllers.${name}.mount(${context})${semicolon}${newline}`)
    .join('')
  if (last !== undefined) return insert(text, lineEnd(text, last.end), lines)
  const start = lineStart(text, close)
  return start > body.start
    ? insert(text, start, lines)
    : insert(text, close, newline + lines + indentAt(text, close))
}

export function removeMount(text: string, name: string): string {
  const source = parseSource(text)
  const mounts = source === undefined ? [] : findMounts(text, source.program)
  const mount = mounts.find((one) => one.name === name)?.statement
  return mount === undefined ? text : remove(text, mount.start, mount.end)
}

/** Adds a statement to `initFwApp`, before the first one that mentions `controllers`. Returns `undefined` without that method. */
export function addInitializer(text: string, statement: string): string | undefined {
  const source = parseSource(text)
  const method = [...walk(source?.program)].find(
    (node) => node.type === 'MethodDefinition' && isNamed(node.key, 'initFwApp'),
  )
  if (method?.type !== 'MethodDefinition') return undefined
  const { body } = method.value
  const next = body.body.find(({ start, end }) => /\bcontrollers\b/.test(text.slice(start, end)))
  if (next === undefined) return undefined
  const line = indentAt(text, next.start) + statement + newlineOf(text)
  return insert(text, lineStart(text, next.start), line)
}

/** Adds a method to the end of the class that has the method `initFwApp`. Returns `undefined` without that class. */
export function addMethod(text: string, name: string, code: string): string | undefined {
  const source = parseSource(text)
  const body = [...walk(source?.program)].find(
    (node) =>
      node.type === 'ClassBody' &&
      node.body.some((member) => 'key' in member && isNamed(member.key, 'initFwApp')),
  )
  if (body?.type !== 'ClassBody') return undefined
  if (body.body.some((member) => 'key' in member && isNamed(member.key, name))) return text
  return insert(text, lineStart(text, body.end - 1), code)
}
