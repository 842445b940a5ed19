/** Reads nested key files, such as `application.yml` and `messages.yml`, and the files that they include. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { ConfigurationError, type ConfigProblem } from './configuration-error.ts'
import { findEntry, overlay, type Entry, type Leaf, type Section } from './key-tree.ts'
import { parseKeyFile } from './parse-key-file.ts'

const maxIncludes = 16

/** Formats a path for error messages: relative to the working folder if the file is below it. */
function displayPath(path: string): string {
  const near = relative(process.cwd(), path)
  return near.startsWith('..') || near === '' ? path : near
}

/** Reads a file as text, without its byte order mark; returns `undefined` if the file does not exist. */
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
  return new ConfigurationError([{ origin: { file: displayPath(path), line: 1, column: 1 }, text }])
}

interface ParsedFile {
  readonly hash: string
  readonly section: Section
}

/** The parsed files by path, each with the hash of its text, so that an unchanged file is not parsed again. */
type ParsedFiles = Map<string, ParsedFile>
let parsedFiles: ParsedFiles = new Map()

const parsedFile = (root: string): string => join(root, '.fw/key-files.bin')
const hashText = (text: string): string => createHash('sha256').update(text).digest('base64')

/** Parses a folder's key files, and stores those without problems in `.fw`, for {@link useParsedKeyFiles}. */
export function writeParsedKeyFiles(root: string, folder: string): void {
  const parsed: ParsedFiles = new Map()
  for (const name of listFiles(folder)) {
    const path = join(folder, name)
    const text = /\.ya?ml$/.test(name) ? readText(path) : undefined
    if (text === undefined) continue
    const file = displayPath(path)
    const found = parseOnce(text, file)
    if ('section' in found) parsed.set(file, found)
  }
  mkdirSync(dirname(parsedFile(root)), { recursive: true })
  writeFileSync(parsedFile(root), serialize(parsed))
}

/** Loads the files that `writeParsedKeyFiles` stored. Unchanged key files are then read without the YAML parser. */
export function useParsedKeyFiles(root: string): void {
  try {
    parsedFiles = deserialize(readFileSync(parsedFile(root))) as ParsedFiles
  } catch {
    // The file does not exist, or a newer Node wrote it: parse every key file.
    parsedFiles = new Map()
  }
}

/**
 * Reads the sections and values of one file; returns `undefined` if the file does not exist.
 *
 * @throws `config.invalid` with the source locations of its problems
 */
export function readKeyFile(path: string): Section | undefined {
  const text = readText(path)
  if (text === undefined) return undefined
  const found = parseOnce(text, displayPath(path))
  if (!('section' in found)) throw new ConfigurationError(found.problems)
  return found.section
}

/** Parses a file, or returns the result of an earlier call for the same text. */
function parseOnce(
  text: string,
  file: string,
): ParsedFile | { readonly problems: readonly ConfigProblem[] } {
  const hash = hashText(text)
  const known = parsedFiles.get(file)
  if (known?.hash === hash) return known
  const { section, problems } = parseKeyFile(text, file)
  if (problems.length > 0) return { problems }
  const parsed = { hash, section }
  parsedFiles.set(file, parsed)
  return parsed
}

/**
 * Reads the files `<name>.yml` and `<name>_<suffix>.yml` (or `.yaml`) of a folder. Returns them by suffix, which is `''` for
 * `<name>.yml`. A missing folder gives an empty map.
 *
 * @throws `config.invalid` listing the problems of all files
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

/** Reads a file and the files that its `include` lists. Its own values override included ones, later files earlier ones. */
export function readWithIncludes(path: string, outer: readonly string[] = []): Section | undefined {
  const section = readKeyFile(path)
  const include = section && findEntry(section, 'include')
  if (section === undefined || include === undefined) return section
  const entries = new Map(section.entries)
  entries.delete('include')
  const included = listIncludes(include).map((leaf) => readIncluded(path, leaf, outer))
  return [...included, { ...section, entries }].reduce((lower, upper) => overlay(lower, upper))
}

function listIncludes(include: Entry): Leaf[] {
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
  const problem = (reason: string) => new ConfigurationError([{ origin, text: reason }])
  if (chain.includes(path)) throw problem(`${basename(path)} includes itself`)
  if (chain.length > maxIncludes) throw problem(`more than ${maxIncludes} files include each other`)
  const section = readWithIncludes(path, chain)
  if (section === undefined) throw problem(`the included file ${displayPath(path)} does not exist`)
  return section
}
