/** Reads nested key files from the disk. */
import { readFileSync, readdirSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'
import { findEntry, overlay } from './key-tree.ts'
import type { Entry, Leaf, Section } from './key-tree.ts'
import { parseKeyFile } from './parse.ts'
import { ConfigurationError } from './problem.ts'
import type { ConfigProblem } from './problem.ts'

const mostIncludes = 16

/** The path as a message shows it: from the working folder when the file is inside. */
function shownPath(path: string): string {
  const near = relative(process.cwd(), path)
  return near.startsWith('..') || near === '' ? path : near
}

/** The text of a file, `undefined` when there is none. A byte order mark is dropped. */
export function readText(path: string): string | undefined {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw unreadable(path, `cannot be read (${code})`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw unreadable(path, 'is not UTF-8')
  }
}

function unreadable(path: string, text: string): ConfigurationError {
  return new ConfigurationError([{ origin: { file: shownPath(path), line: 1, column: 1 }, text }])
}

/**
 * The sections and values of one file; `undefined` when there is no such file.
 *
 * @throws `config.invalid` with the place of what is wrong in it
 */
export function readKeyFile(path: string): Section | undefined {
  const text = readText(path)
  if (text === undefined) return undefined
  const { section, problems } = parseKeyFile(text, shownPath(path))
  if (problems.length > 0) throw new ConfigurationError(problems)
  return section
}

/**
 * The files `<name>.yml` and `<name>_<suffix>.yml` (or `.yaml`) of a folder, by suffix; the one without has the
 * suffix `''`. A folder that does not exist holds none.
 *
 * @throws `config.invalid` listing what is wrong in any of them
 */
export function readKeyFiles(directory: string, name: string): ReadonlyMap<string, Section> {
  const files = new Map<string, Section>()
  const problems: ConfigProblem[] = []
  for (const file of listFiles(directory)) {
    const stem = /^(.+)\.ya?ml$/.exec(file)?.[1]
    if (stem !== name && stem?.startsWith(`${name}_`) !== true) continue
    try {
      const section = readKeyFile(resolve(directory, file))
      if (section !== undefined) files.set(stem.slice(name.length + 1), section)
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error
      problems.push(...error.problems)
    }
  }
  if (problems.length > 0) throw new ConfigurationError(problems)
  return files
}

function listFiles(directory: string): string[] {
  try {
    return readdirSync(directory).sort()
  } catch {
    return []
  }
}

/** As {@link readKeyFile}; the files that `include:` names at the top lie under the file's own values, in order. */
export function readWithIncludes(path: string, outer: readonly string[] = []): Section | undefined {
  const section = readKeyFile(path)
  const include = section && findEntry(section, 'include')
  if (section === undefined || include === undefined) return section
  let lower: Section | undefined
  for (const leaf of includesOf(include)) {
    const read = readIncluded(path, leaf, outer)
    lower = lower === undefined ? read : overlay(lower, read)
  }
  const entries = new Map(section.entries)
  entries.delete('include')
  const own = { ...section, entries }
  return lower === undefined ? own : overlay(lower, own)
}

function includesOf(include: Entry): Leaf[] {
  const leaves = include.kind === 'list' ? include.items : [include]
  return leaves.map((leaf) => {
    if (leaf.kind === 'leaf' && leaf.text !== undefined) return leaf
    const text = '`include` takes the path of a file, or a list of paths'
    throw new ConfigurationError([{ origin: leaf.origin, text }])
  })
}

function readIncluded(
  from: string,
  { text = '', origin }: Leaf,
  outer: readonly string[],
): Section {
  const path = resolve(dirname(from), text)
  const chain = [...outer, resolve(from)]
  const fail = (why: string) => new ConfigurationError([{ origin, text: why }])
  if (chain.includes(path)) throw fail(`${basename(path)} includes itself`)
  if (chain.length > mostIncludes) throw fail(`more than ${mostIncludes} files include each other`)
  const section = readWithIncludes(path, chain)
  if (section === undefined) throw fail(`the included file ${shownPath(path)} does not exist`)
  return section
}
