/** The files of messages: where each of them writes a key. */
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  parseDocument,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml'
import { readText } from '../../runtime/view.ts'
import type { NameEdit } from './rename-draft.ts'
import { refuse, type Session } from './session.ts'

/** A key, or the name of a section, as a file of messages writes it. */
export interface WrittenKey {
  readonly path: string
  /** The whole key, such as `members.title`. */
  readonly key: string
  /** The offsets of its last part, such as `title`, without quotes. */
  readonly start: number
  readonly end: number
  /** The key as its line writes it, such as `members.title` in `members.title: Members`. */
  readonly name: string
  /** The offset of `name`, after a quote. */
  readonly nameStart: number
  readonly isQuoted: boolean
  /** Whether other keys are below it. */
  readonly isSection: boolean
  /** Whether its mapping is in YAML's flow style, `{ … }`. */
  readonly isInFlowMapping: boolean
  /** The offset after its value, and the text of a value that is not a section. */
  readonly valueEnd: number
  readonly value: string | undefined
}

const fileName = /^messages(?:_[\w-]+)?\.ya?ml$/

/** Returns the folder of the files of messages. */
export const messagesFolder = ({ root }: Session): string => join(root, 'src/main/resources')

/** Returns the paths of the files of messages of all languages. */
export function messageFiles(session: Session): string[] {
  const folder = messagesFolder(session)
  try {
    return readdirSync(folder)
      .filter((file) => fileName.test(file))
      .map((file) => join(folder, file))
  } catch {
    // The application has no messages.
    return []
  }
}

/** Returns whether a path is that of a file of messages. */
export const isMessageFile = (session: Session, path: string): boolean =>
  fileName.test(basename(path)) && path === join(messagesFolder(session), basename(path))

/** Returns the keys of all files of messages, without those of files with a mistake. */
export const writtenKeys = (session: Session): readonly WrittenKey[] =>
  messageFiles(session).flatMap((path) => {
    const text = session.linesOf(path)?.text ?? ''
    const document = parseDocument(text)
    if (document.errors.length > 0 || !isMap(document.contents)) return []
    return keysOf(path, text, document.contents, '')
  })

/** @throws ResponseError if a file of messages that contains a name has a mistake, an anchor or an alias: the rename would miss keys */
export function requireReadable(session: Session, name: string): void {
  for (const path of messageFiles(session)) {
    const text = session.linesOf(path)?.text ?? ''
    if (!text.includes(name)) continue
    const document = parseDocument(text)
    const file = basename(path)
    if (document.errors.length > 0)
      refuse(`Correct ${file} first: keys in a file of messages with a mistake cannot be renamed`)
    visit(document, (_, node) => {
      if (!isAlias(node) && !(isNode(node) && 'anchor' in node && node.anchor !== undefined)) return
      refuse(
        `${file} has anchors or aliases of YAML (& and *), which a rename of keys cannot follow`,
      )
    })
  }
}

function keysOf(path: string, text: string, map: YAMLMap, section: string): WrittenKey[] {
  return map.items.flatMap(({ key, value }) => {
    if (!isScalar(key) || !key.range) return []
    const isQuoted = key.type === 'QUOTE_DOUBLE' || key.type === 'QUOTE_SINGLE'
    const name = String(key.value)
    let start = key.range[0] + (isQuoted ? 1 : 0)
    if (!text.startsWith(name, start)) return []
    const nameStart = start
    const parts = name.split('.')
    let whole = section
    const valueEnd = valueEndOf(value, start + name.length)
    const found = parts.map((part, at): WrittenKey => {
      whole = whole === '' ? part : `${whole}.${part}`
      const isSection = at < parts.length - 1 || isMap(value)
      const end = start + part.length
      const isInFlowMapping = map.flow === true
      const place = { path, key: whole, start, end, name, nameStart, isQuoted }
      const own = { ...place, isSection, isInFlowMapping, valueEnd }
      start += part.length + 1
      return { ...own, value: isSection ? undefined : sourceOf(text, value) }
    })
    return isMap(value) ? [...found, ...keysOf(path, text, value, whole)] : found
  })
}

const valueEndOf = (value: unknown, otherwise: number): number =>
  (isScalar(value) || isMap(value) ? value.range?.[1] : undefined) ?? otherwise

/** Returns the value as the file writes it, if it is in one line. */
function sourceOf(text: string, value: unknown): string | undefined {
  if (!isScalar(value) || !value.range) return undefined
  const { range } = value as Scalar & { range: readonly [number, number, number] }
  const source = text.slice(range[0], range[1])
  return /[\r\n]/.test(source) || source === '' ? undefined : source
}

/** Returns the name of a key as YAML writes it: in quotes if it would be another value than a text without them. */
export const yamlName = (name: string): string =>
  /^(?:true|false|null|~|[-.\d].*)$/i.test(name) ? `'${name}'` : name

/** Returns the edit that replaces the last part of a written key. */
export function renameWritten(
  { path, start, end, name, nameStart, isQuoted }: WrittenKey,
  newName: string,
): NameEdit {
  const at = start - nameStart
  const whole = name.slice(0, at) + newName + name.slice(end - nameStart)
  const newText = isQuoted ? whole : yamlName(whole)
  return newText === whole
    ? { path, start, end, newText: newName }
    : { path, start: nameStart, end: nameStart + name.length, newText }
}

/** Returns the text of the module that declares the keys of messages, with other keys. */
export function changeDeclaredKeys(
  session: Session,
  change: (key: string) => readonly string[],
): { readonly path: string; readonly text: string } | undefined {
  const path = join(session.workspace.paths.generated, 'messages.ts')
  const text = readText(path)
  if (text === undefined) return undefined
  const changed = text.replaceAll(/^ {4}"([^"\n]+)"(:.*)$/gm, (line, key: string, rest: string) => {
    const keys = change(key)
    return keys.length === 0
      ? line
      : keys.map((one) => `    ${JSON.stringify(one)}${rest}`).join('\n')
  })
  return { path, text: changed }
}
