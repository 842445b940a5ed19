/** Checks the rules for single files (name, opening docstring, length, exports) and for error codes. */
import { posix } from 'node:path'
import { layers } from './layers.ts'
import type { SourceFile, SourceFiles } from './source-files.ts'

const lengthLimit = 500
const all = (files: SourceFiles) => [...files.values()]
const sources = (files: SourceFiles) => all(files).filter((file) => !file.isTest)
const interfaces = (files: SourceFiles) => sources(files).filter((file) => file.isInterface)
const baseName = (path: string) => posix.basename(path).replace(/(\.(test|fixture))?\.ts$/, '')

/** Finds files without an opening docstring. Tests need none, because they are named after the tested file. */
export function missingOpenings(files: SourceFiles): string[] {
  const opens = ({ text }: SourceFile) => /^(#!.*\n)?\/\*\*\s[\s\S]*?\*\//.test(text)
  return sources(files)
    .filter((module) => !opens(module))
    .map(({ path }) => `${path}:1: does not start with a sentence in /** */`)
}

/** Finds public interfaces that do not start with the module's caption, such as `/** http: request and response …`. */
export function missingCaptions(files: SourceFiles): string[] {
  const hasCaption = ({ module, text }: SourceFile) => text.startsWith(`/** ${module}: `)
  return interfaces(files)
    .filter((file) => file.module !== 'public' && !hasCaption(file))
    .map(({ path, module }) => `${path}:1: does not start with the caption /** ${module}: … */`)
}

/** Finds file names that are not kebab-case, repeat the module's name, or do not describe the content. */
export function invalidNames(files: SourceFiles): string[] {
  const generic = /^(types|utils?|helpers?|common|misc|shared|index)$|^utils?-|-utils?$/
  return all(files).flatMap(({ path, group, module, isInterface }) => {
    const name = baseName(path)
    if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) return [`${path}: the name is not kebab-case`]
    if (isInterface || path === `src/${group}/${module}.test.ts`) return []
    if (name === module) return [`${path}: only the module's public interface has its name`]
    return generic.test(name) ? [`${path}: the name does not describe the content`] : []
  })
}

export function longFiles(files: SourceFiles): string[] {
  return sources(files)
    .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > lengthLimit)
    .map(({ path, lines }) => `${path}: ${lines} lines, more than ${lengthLimit}: split it by idea`)
}

export function defaultExports(files: SourceFiles): string[] {
  return all(files)
    .filter((file) => file.hasDefaultExport)
    .map(({ path }) => `${path}: has a default export; exports are named`)
}

/** Finds internal files that contain only re-exports. */
export function barrels(files: SourceFiles): string[] {
  return sources(files)
    .filter(({ isInterface, declared }) => !isInterface && declared.length === 0)
    .filter(({ reexports }) => reexports.length > 0)
    .filter(({ reexports }) => reexports.every(({ from }) => files.has(from)))
    .map(({ path }) => `${path}: is a barrel; only a module's public interface re-exports`)
}

/** Finds names of a public interface that have no docstring where they are declared. */
export function missingDocstrings(files: SourceFiles): string[] {
  const missing = (from: string, name: string) => {
    const named = files.get(from)?.declared.filter((one) => name === '*' || one.name === name) ?? []
    return named.filter((one) => !one.documented).map((one) => `${from}:${one.line}: ${one.name}`)
  }
  const found = interfaces(files).flatMap(({ path, declared, reexports }) => [
    ...declared.flatMap((one) => missing(path, one.name)),
    ...reexports.flatMap(({ from, name }) => missing(from, name)),
  ])
  return [...new Set(found)].map((location) => `${location} is exported and has no docstring`)
}

const codesFile = 'src/runtime/base/error-codes.ts'

/** Reads all error codes from their type in `error-codes.ts`. */
function readErrorCodes(files: SourceFiles): string[] {
  const text = files.get(codesFile)?.text ?? ''
  return [...text.matchAll(/^ {2}\| '([^']+)'$/gm)].map((match) => match[1] ?? '')
}

/** Finds error codes that are unsorted, not named after a module, or never thrown. */
export function invalidCodes(files: SourceFiles): string[] {
  const codes = readErrorCodes(files)
  const others = sources(files).filter(({ path }) => path !== codesFile)
  const isUnused = (code: string) => !others.some(({ text }) => text.includes(`'${code}'`))
  const isMisnamed = (code: string) =>
    !/^[a-z0-9]+\.[a-z0-9]+(-[a-z0-9]+)*$/.test(code) ||
    !layers.includes(code.split('.', 1)[0] ?? '')
  return [
    ...codes
      .filter((code, at) => at > 0 && (codes[at - 1] ?? '') >= code)
      .map((code) => `${codesFile}: ${code} is out of order`),
    ...codes.filter(isMisnamed).map((code) => `${codesFile}: ${code} is not named module.error`),
    ...codes.filter(isUnused).map((code) => `${codesFile}: nothing throws ${code}`),
  ]
}

/** Finds error codes without a row `| \`code\` | cause | fix |` in docs/errors.md, and rows without an error code. */
export function undocumentedCodes(files: SourceFiles, page: string): string[] {
  const codes = readErrorCodes(files)
  const rows = [...page.matchAll(/^\| `([^`]+)` \| ([^|\n]*\S) *\| ([^|\n]*\S) *\|/gm)]
  const documented = new Set(rows.map((row) => row[1] ?? ''))
  return [
    ...codes
      .filter((code) => !documented.has(code))
      .map((code) => `docs/errors.md: no row for ${code}`),
    ...[...documented]
      .filter((code) => !codes.includes(code))
      .map((code) => `docs/errors.md: ${code} does not exist`),
  ]
}
