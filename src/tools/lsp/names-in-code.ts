/** The names that code writes as texts: keys of messages, views, layouts and partials. */
import { existsSync } from 'node:fs'
import { posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Location } from 'vscode-languageserver'
import { FwError } from '../../runtime/base.ts'
import { iterateLeaves, readKeyFiles } from '../../runtime/config.ts'
import { templateName } from '../../runtime/view.ts'
import type { TextLines } from '../workspace.ts'
import { messagesFolder } from './message-files.ts'
import type { Session } from './session.ts'

/** A name in quotes. */
export interface QuotedName {
  readonly kind: 'message' | 'view' | 'layout' | 'partial'
  readonly name: string
  /** The offsets of the text between the quotes. */
  readonly start: number
  readonly end: number
}

/** The kinds of names, by the code before the quote. */
const kinds: readonly (readonly [QuotedName['kind'], RegExp])[] = [
  ['partial', /<%@include\s+$/],
  ['message', /\bi18n\s*\??\.\s*(?:get\w*|message)\(\s*$/],
  ['view', /\b(?:render\w*|stream)\(\s*$/],
  ['layout', /\bset\(\s*(['"])layout\1\s*,\s*$|\bview\s*\.\s*layout\(\s*$/],
]

/** Returns the name around an offset; `undefined` if none is there. */
export function nameAt(lines: TextLines, offset: number): QuotedName | undefined {
  const { start: from, end } = lines.line(lines.lineOf(offset))
  const text = lines.text.slice(from, end)
  for (const { index, 1: quote } of text.matchAll(/(['"])/g)) {
    const start = from + index + 1
    if (start > offset) return undefined
    const before = text.slice(Math.max(0, index - 200), index)
    const kind = kinds.find(([, pattern]) => pattern.test(before))?.[0]
    if (kind === undefined) continue
    const length = text.slice(index + 1).search(quote === '"' ? /"|$/ : /'|$/)
    if (offset > start + length) continue
    return { kind, name: text.slice(index + 1, index + 1 + length), start, end: start + length }
  }
  return undefined
}

const firstLine = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }

/** Returns the files or lines that a name stands for. `file` is the template that contains the name, if it is in one. */
export function findNamed(
  session: Session,
  { kind, name }: QuotedName,
  file?: string,
): readonly Location[] {
  if (kind === 'message') return findMessage(session, name)
  const { workspace } = session
  return [...workspace.states.keys()]
    .filter((one) =>
      kind === 'partial'
        ? file !== undefined && isIncludedAs(file, one, name)
        : isNamed(one, kind, name),
    )
    .map((one) => ({ uri: session.uriOf(workspace.pathOf(one)), range: firstLine }))
}

function isNamed(file: string, kind: 'view' | 'layout', name: string): boolean {
  const found = templateName(file)
  if (found === undefined || found.name !== name) return false
  return kind === 'layout' ? found.kind === 'layout' : found.kind !== 'layout' && !found.isMail
}

/** Returns the paths by which a template can include another one: relative to its folder, and from the folder of all views. */
export function partialNames(from: string, to: string): readonly string[] {
  const path = partialPath(from, to)
  if (path === undefined) return []
  const [root, folder] = [`${folderOf(to)}/`, `${posix.dirname(from)}/`]
  return [
    ...(path.startsWith(folder) ? [path.slice(folder.length)] : []),
    ...(path.startsWith(root) ? [`/${path.slice(root.length)}`] : []),
  ]
}

/** Returns the path by which a template can include another one from its own folder, through the folders above. */
export function relativeNames(from: string, to: string): readonly string[] {
  const path = partialPath(from, to)
  return path === undefined ? [] : [posix.relative(posix.dirname(from), path)]
}

/** Returns whether a path in a template, which can contain `..`, is that of another one. */
export const isIncludedAs = (from: string, to: string, path: string): boolean =>
  posix.join(path.startsWith('/') ? folderOf(to) : posix.dirname(from), path) ===
  partialPath(from, to)

const folderOf = (file: string): string => (templateName(file)?.isMail === true ? 'mail' : 'views')

/** Returns the path of a partial without its ending; `undefined` if the template cannot include it. */
function partialPath(from: string, to: string): string | undefined {
  const [own, other] = [templateName(from), templateName(to)]
  if (own === undefined || other === undefined || other.kind !== 'partial') return undefined
  if (own.isMail !== other.isMail || own.format !== other.format) return undefined
  return to.replace(/\.\w+\.ssp$/, '')
}

/** Returns the file that a Jade template includes or extends at an offset. */
export function findIncludedJade(
  { workspace }: Session,
  { file, text: lines }: { readonly file: string; readonly text: TextLines },
  offset: number,
): readonly Location[] {
  const { start, end } = lines.line(lines.lineOf(offset))
  const [, name] = /^\s*(?:include|extends)\s+(\S+)\s*$/.exec(lines.text.slice(start, end)) ?? []
  if (name === undefined) return []
  const path = posix.join(name.startsWith('/') ? '' : posix.dirname(file), name)
  const found = [path, `${path}.jade`].find((one) => existsSync(workspace.pathOf(one)))
  if (found === undefined || found.startsWith('..')) return []
  return [{ uri: pathToFileURL(workspace.pathOf(found)).href, range: firstLine }]
}

/** Returns the lines of a message in each locale that has it. */
export function findMessage(session: Session, key: string): readonly Location[] {
  const found: Location[] = []
  try {
    for (const [, section] of readKeyFiles(messagesFolder(session), 'messages'))
      for (const [name, { origin }] of iterateLeaves(section)) {
        if (name !== key) continue
        const position = { line: origin.line - 1, character: 0 }
        found.push({ uri: session.uriOf(origin.file), range: { start: position, end: position } })
      }
  } catch (error) {
    // The file has a mistake, which `fw check` reports.
    if (!(error instanceof FwError)) throw error
  }
  return found
}
