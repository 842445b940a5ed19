/** Parses the source files: their imports and exports, and the module and group to which each file belongs. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseSync } from 'oxc-parser'

export interface Import {
  /** The imported file, relative to the repository's root, or a package's name such as `node:fs`. */
  readonly to: string
  readonly isPackage: boolean
  readonly line: number
}

/** An exported declaration; `documented` means that a docstring precedes it. */
export interface Declared {
  readonly name: string
  readonly line: number
  readonly documented: boolean
}

/** A name that a file re-exports from another file; `*` for all names. */
export interface Reexport {
  readonly name: string
  readonly from: string
}

export interface SourceFile {
  readonly path: string
  readonly text: string
  /** The group of the file: `public`, `tools`, `templates` or `runtime`. */
  readonly group: string
  /** The module of the file; `public` for the entry points `src/*.ts`. */
  readonly module: string
  /** True if this file is the public interface of its module, through which other modules import it. */
  readonly isInterface: boolean
  /** True for a test (`x.test.ts`) or a fixture (`x.fixture.ts`). Neither is published. */
  readonly isTest: boolean
  readonly imports: readonly Import[]
  readonly declared: readonly Declared[]
  readonly reexports: readonly Reexport[]
  readonly hasDefaultExport: boolean
}

/** Maps a path such as `src/runtime/http/cookies.ts` to the parsed file. */
export type SourceFiles = ReadonlyMap<string, SourceFile>

type Parsed = ReturnType<typeof parseSync>
type Export = Parsed['module']['staticExports'][number]

const isTest = (path: string) => /\.(test|fixture)\.ts$/.test(path)
const isEntry = (path: string) => /^src\/[^/]+\.ts$/.test(path)
const moduleOf = (path: string) =>
  isEntry(path) ? 'public' : (/^src\/[^/]+\/([^/.]+)/.exec(path)?.[1] ?? '')
const groupOf = (path: string) =>
  isEntry(path) ? 'public' : (/^src\/([^/]+)/.exec(path)?.[1] ?? '')
const isInterface = (path: string) => /^src\/([^/]+\/)?[^/]+\.ts$/.test(path) && !isTest(path)

/** Removes the sub-path of a package: `@a/b/c` → `@a/b`, `node:fs/promises` → `node:fs`. */
export function packageName(specifier: string): string {
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}

function resolve(from: string, specifier: string): string {
  const relative = specifier.startsWith('.')
  return relative ? posix.join(posix.dirname(from), specifier) : packageName(specifier)
}

/** Adds the imports in types such as `import('./x.ts').X`, which the parser's list of imports omits. */
function collectImportTypes(node: unknown, found: { value: string; start: number }[]): void {
  if (Array.isArray(node)) {
    for (const child of node) collectImportTypes(child, found)
  } else if (typeof node === 'object' && node !== null) {
    const { type, source, start } = node as {
      type?: string
      source?: { value: string }
      start: number
    }
    if (type === 'TSImportType' && source !== undefined) found.push({ value: source.value, start })
    for (const child of Object.values(node)) collectImportTypes(child, found)
  }
}

function readSpecifiers({ module, program }: Parsed, text: string) {
  const found: { value: string; start: number }[] = []
  for (const { moduleRequest, start } of module.staticImports)
    found.push({ value: moduleRequest.value, start })
  for (const { entries } of module.staticExports)
    for (const { moduleRequest, start } of entries)
      if (moduleRequest !== null) found.push({ value: moduleRequest.value, start })
  for (const { moduleRequest, start } of module.dynamicImports) {
    const literal = /^['"](.*)['"]$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[1]
    if (literal !== undefined) found.push({ value: literal, start })
  }
  if (text.includes('import(')) collectImportTypes(program, found)
  return found
}

function hasDocstring(parsed: Parsed, text: string, start: number): boolean {
  const above = parsed.comments.findLast((comment) => comment.end <= start)
  if (above === undefined || above.type !== 'Block' || !above.value.startsWith('*')) return false
  return text.slice(above.end, start).trim() === ''
}

function readExports(path: string, text: string, parsed: Parsed) {
  const declared = new Map<string, Declared>()
  const reexports: Reexport[] = []
  const addExport = ({ start, entries }: Export) => {
    for (const { exportName, importName, moduleRequest } of entries) {
      const name = exportName.name ?? '*'
      if (moduleRequest !== null) {
        reexports.push({ name: importName.name ?? name, from: resolve(path, moduleRequest.value) })
      } else if (declared.get(name)?.documented !== true) {
        declared.set(name, {
          name,
          line: lineAt(text, start),
          documented: hasDocstring(parsed, text, start),
        })
      }
    }
  }
  parsed.module.staticExports.forEach(addExport)
  return { declared: [...declared.values()], reexports }
}

const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length

function parseFile(path: string, text: string): SourceFile {
  const parsed = parseSync(path, text)
  const problem = parsed.errors[0]
  if (problem !== undefined) throw new Error(`${path} cannot be parsed: ${problem.message}`)
  const imports = readSpecifiers(parsed, text).map(({ value, start }) => ({
    to: resolve(path, value),
    isPackage: !value.startsWith('.'),
    line: lineAt(text, start),
  }))
  const entries = parsed.module.staticExports.flatMap((one) => one.entries)
  return {
    path,
    text,
    group: groupOf(path),
    module: moduleOf(path),
    isInterface: isInterface(path),
    isTest: isTest(path),
    imports,
    ...readExports(path, text, parsed),
    hasDefaultExport: entries.some(
      ({ exportName }) => exportName.kind === 'Default' || exportName.name === 'default',
    ),
  }
}

/** Parses source texts; the keys are their paths. */
export function parseSourceFiles(sources: Readonly<Record<string, string>>): SourceFiles {
  return new Map(Object.entries(sources).map(([path, text]) => [path, parseFile(path, text)]))
}

/** Parses every file below `src`. */
export function readSourceFiles(root: string): SourceFiles {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  const paths = files.filter((file) => file.endsWith('.ts')).map((file) => posix.join('src', file))
  const texts = paths.sort().map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)
  return parseSourceFiles(Object.fromEntries(texts))
}
