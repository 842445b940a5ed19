/** Careful changes of TypeScript files that people wrote: a line or a name goes in or out, everything else stays. */
import { closingBracket, maskCode } from './mask-code.ts'

/** The changed text; `undefined` where the file has not the shape that the change needs. */
export type Edit = (text: string) => string | undefined

const insert = (text: string, at: number, added: string): string =>
  text.slice(0, at) + added + text.slice(at)

const newlineOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Adds `import { name } from 'path'` below the last import, in the quotes and with the semicolon of that one. */
export function addImport(text: string, name: string, path: string): string {
  const masked = maskCode(text)
  if (importOf(text, name) !== undefined) return text
  const last = [...masked.matchAll(/^import\b/gm)].at(-1)
  const newline = newlineOf(text)
  if (last === undefined) {
    const start = /^\s*(?:\/\*\*[\s\S]*?\*\/[ \t]*\r?\n)?/.exec(text)![0].length
    return insert(text, start, `import { ${name} } from '${path}'${newline}`)
  }
  const end = importEnd(text, last.index)
  const statement = text.slice(last.index, end).trimEnd()
  const quote = statement.includes('"') ? '"' : "'"
  const semicolon = /;\s*$/.test(statement) ? ';' : ''
  const line = `import { ${name} } from ${quote}${path}${quote}${semicolon}`
  const before = text.slice(0, end).endsWith('\n') ? '' : newline
  return insert(text, end, `${before}${line}${newline}`)
}

/** Behind the line on which the import that starts at `at` ends. */
function importEnd(text: string, at: number): number {
  const path = /(["'])[^"'\n]*\1/g
  path.lastIndex = at
  return lineEnd(text, path.exec(text) === null ? at : path.lastIndex)
}

/** The lines of the import that brings in `name` alone. */
function importOf(text: string, name: string): Span | undefined {
  const found = new RegExp(`^import\\s*\\{\\s*${name}\\s*,?\\s*\\}\\s*from\\b`, 'm').exec(
    maskCode(text),
  )
  return found === null ? undefined : { start: found.index, end: importEnd(text, found.index) }
}

/** Takes such an import out. */
export function removeImport(text: string, name: string): string {
  const found = importOf(text, name)
  return found === undefined ? text : text.slice(0, found.start) + text.slice(found.end)
}

/** The inside of `export const controllers = { … }`. */
function objectOf(masked: string, variable: string): Span | undefined {
  const head = new RegExp(`\\bconst\\s+${variable}\\b[^={]*=\\s*\\{`).exec(masked)
  if (head === null) return undefined
  const open = head.index + head[0].length - 1
  const close = closingBracket(masked, open)
  return close < 0 ? undefined : { start: open + 1, end: close }
}

function hasName(inside: string, name: string): boolean {
  return new RegExp(`(?:^|[{,\\s])${name}(?:\\s*[,:}]|\\s*$)`).test(inside)
}

/** Adds a name at the end of an object literal, on a line of its own where the others are. */
export const addToObject =
  (variable: string, name: string): Edit =>
  (text) => {
    const masked = maskCode(text)
    const object = objectOf(masked, variable)
    if (object === undefined) return undefined
    const inside = masked.slice(object.start, object.end)
    if (hasName(inside, name)) return text
    const filled = object.start + inside.trimEnd().length
    if (inside.trim() === '') return addToEmpty(text, object, name)
    const comma = masked[filled - 1] === ',' ? '' : ','
    const tail = inside.slice(inside.trimEnd().length)
    if (!tail.includes('\n')) return addInline(text, object, filled, `${comma} ${name}`)
    const indent = /\n([ \t]*)\S[^\n]*$/.exec(inside.trimEnd())?.[1] ?? '  '
    const withComma = insert(text, filled, comma)
    // Behind a comment on the line of the last entry.
    const at = lineEnd(withComma, filled + comma.length)
    return insert(withComma, at, `${indent}${name},${newlineOf(text)}`)
  }

/** On the same line; a line that gets too long is broken, as formatters break it. */
function addInline(text: string, object: Span, at: number, added: string): string {
  const line = insert(text, at, added)
  const start = text.lastIndexOf('\n', at - 1) + 1
  const inside = text.slice(object.start, object.end)
  if (lineEnd(line, at) - start <= 101 || /[\n{[('"`/]/.test(inside)) return line
  const newline = newlineOf(text)
  const indent = `${newline}${/^[ \t]*/.exec(text.slice(start))![0]}`
  const names = insert(inside, at - object.start, added).split(',')
  const lines = names.map((each) => `${indent}  ${each.trim()},`).join('')
  return `${text.slice(0, object.start)}${lines}${indent}${text.slice(object.end)}`
}

function addToEmpty(text: string, object: Span, name: string): string {
  const inside = text.slice(object.start, object.end)
  if (inside.trim() === '')
    return `${text.slice(0, object.start)} ${name} ${text.slice(object.end)}`
  // Nothing but comments: they stay.
  const newline = newlineOf(text)
  return insert(text, object.start, `${newline}  ${name},`)
}

/** Takes a name that stands for itself out of an object literal. */
export const removeFromObject =
  (variable: string, name: string): Edit =>
  (text) => {
    const masked = maskCode(text)
    const object = objectOf(masked, variable)
    if (object === undefined) return undefined
    const inside = masked.slice(object.start, object.end)
    const found = new RegExp(`(^|[{,\\s])${name}(\\s*,)?(?=\\s|$)`).exec(inside)
    if (found === null) return text
    const start = object.start + found.index + found[1]!.length
    const end = start + found[0].length - found[1]!.length
    const line = aloneOnLine(text, start, end)
    if (line !== undefined) return text.slice(0, line.start) + text.slice(line.end)
    // `{ a, name }` loses the comma before, `{ name, b }` the blank behind.
    const before = found[2] === undefined ? /,\s*$/.exec(text.slice(0, start)) : null
    const behind = before === null && found[2] !== undefined && text[end] === ' ' ? 1 : 0
    return text.slice(0, before?.index ?? start) + text.slice(end + behind)
  }

function aloneOnLine(text: string, start: number, end: number): Span | undefined {
  const from = text.lastIndexOf('\n', start - 1) + 1
  const to = lineEnd(text, end)
  const isAlone = text.slice(from, start).trim() === '' && text.slice(end, to).trim() === ''
  return isAlone ? { start: from, end: to } : undefined
}

/** Adds `controllers.name.mount(ctx)` below the last such line of `initFwApp`, else at its end. */
export const addMount =
  (name: string): Edit =>
  (text) => {
    const masked = maskCode(text)
    const method = methodBody(masked, 'initFwApp')
    if (method === undefined) return undefined
    const body = masked.slice(method.start, method.end)
    if (mountOf(name).test(body)) return text
    const call = [...body.matchAll(/^[ \t]*controllers\s*\.\s*[\w.]+\s*\.\s*mount\s*\(/gm)].at(-1)
    const newline = newlineOf(text)
    const context = /^\s*([\w$]+)/.exec(method.parameters)?.[1] ?? 'ctx'
    const line = `controllers.${name}.mount(${context})`
    if (call === undefined) {
      const indent = `${/\n([ \t]*)$/.exec(text.slice(0, method.end))?.[1] ?? '  '}  `
      const start = text.lastIndexOf('\n', method.end) + 1
      return start > method.start
        ? insert(text, start, `${indent}${line}${newline}`)
        : insert(text, method.end, `${newline}${indent}${line}${newline}${indent.slice(2)}`)
    }
    const close = closingBracket(masked, method.start + call.index + call[0].length - 1)
    const semicolon = masked[close + 1] === ';' ? ';' : ''
    const indent = /^[ \t]*/.exec(call[0])![0]
    return insert(text, lineEnd(text, close), `${indent}${line}${semicolon}${newline}`)
  }

/** Takes that line out. */
export const removeMount =
  (name: string): Edit =>
  (text) => {
    const masked = maskCode(text)
    const found = mountOf(name).exec(masked)
    if (found === null) return text
    const close = closingBracket(masked, found.index + found[0].length - 1)
    const end = masked[close + 1] === ';' ? close + 2 : close + 1
    const line = aloneOnLine(text, found.index, end)
    return line === undefined
      ? text.slice(0, found.index) + text.slice(end)
      : text.slice(0, line.start) + text.slice(line.end)
  }

const mountOf = (name: string) =>
  new RegExp(`\\bcontrollers\\s*\\.\\s*${name}\\s*\\.\\s*mount\\s*\\(`)

function methodBody(
  masked: string,
  name: string,
): { start: number; end: number; parameters: string } | undefined {
  const head = new RegExp(`\\b${name}\\s*\\(`).exec(masked)
  if (head === null) return undefined
  const open = head.index + head[0].length - 1
  const close = closingBracket(masked, open)
  const brace = close < 0 ? -1 : masked.indexOf('{', close)
  const end = brace < 0 ? -1 : closingBracket(masked, brace)
  if (end < 0) return undefined
  return { start: brace + 1, end, parameters: masked.slice(open + 1, close) }
}
