/** Adds a message to the files of all languages. */
import type { TextEdit } from 'vscode-languageserver'
import { isMap, isScalar, parseDocument, type YAMLMap } from 'yaml'
import { TextLines } from '../workspace.ts'
import { messageFiles } from './message-files.ts'
import type { Session } from './session.ts'

/** Returns the edits of all files of messages; `undefined` if a part of the key is a text already, or a file cannot be read. */
export function addMessage(session: Session, key: string): Record<string, TextEdit[]> | undefined {
  const changes: Record<string, TextEdit[]> = {}
  for (const path of messageFiles(session)) {
    const lines = session.linesOf(path) ?? new TextLines('', session.encoding)
    const edit = insertMessage(lines, key.split('.'))
    if (edit === 'taken') return undefined
    if (edit !== undefined) changes[session.uriOf(path)] = [edit]
  }
  return Object.keys(changes).length === 0 ? undefined : changes
}

const keyOf = (node: unknown): string => (isScalar(node) ? String(node.value) : '')

/** Returns a text for a key, such as `Not found` for `page.notFound`. */
function textOf(key: string): string {
  const words = key
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase()
  const text = words.charAt(0).toUpperCase() + words.slice(1)
  return /^(?:yes|no|true|false|null|on|off|y|n|[\d.]+)$/i.test(text) ? `'${text}'` : text
}

/** Returns the edit that adds a message below the keys that exist; `undefined` if it exists. */
function insertMessage(lines: TextLines, key: readonly string[]): TextEdit | 'taken' | undefined {
  const document = parseDocument(lines.text)
  if (document.errors.length > 0) return 'taken'
  const { contents } = document
  if (contents !== null && !isMap(contents)) return 'taken'
  let map: YAMLMap | undefined = contents === null ? undefined : contents
  let depth = 0
  let indent = ''
  // The place after the last entry of the deepest section that exists.
  let end = lines.text.length
  while (map !== undefined) {
    if (map.flow === true) return 'taken'
    const pair = map.items.find((one) => keyOf(one.key) === key[depth])
    const first = map.items[0]?.key
    const start = isScalar(first) && first.range ? first.range[0] : 0
    const lineStart = lines.line(lines.lineOf(start)).start
    indent = lines.text.slice(lineStart, start)
    end = map.range?.[2] ?? end
    if (pair === undefined) break
    depth++
    const { value } = pair
    if (isMap(value)) map = value
    else return depth === key.length ? undefined : 'taken'
    if (depth === key.length) return 'taken'
  }
  return insertion(lines, key.slice(depth), indent, end)
}

function insertion(
  lines: TextLines,
  key: readonly string[],
  indent: string,
  end: number,
): TextEdit {
  const lineBreak = /\r\n|\n/.exec(lines.text)?.[0] ?? '\n'
  const added = key
    .map((name, at) => {
      const text = at === key.length - 1 ? ` ${textOf(name)}` : ''
      return `${indent}${'  '.repeat(at)}${name}:${text}${lineBreak}`
    })
    .join('')
  // Blank lines after the section stay after it.
  const at = lines.text.slice(0, end).trimEnd().length
  const lineEnd = lines.text.indexOf('\n', at)
  const place = lineEnd < 0 ? lines.text.length : lineEnd + 1
  const needsBreak = lineEnd < 0 && lines.text !== '' && !lines.text.endsWith('\n')
  return { range: lines.range(place, place), newText: (needsBreak ? lineBreak : '') + added }
}
