/** Reads source files into a house: what each file imports, exports and says in its first line. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { parseSync } from 'oxc-parser'

export interface Import {
  /** The file it leads to, from the repository's root, or the package's name (`node:fs` as it is). */
  readonly to: string
  readonly outside: boolean
  readonly line: number
}

/** A declaration that other files can import; `documented` when a docstring stands right above it. */
export interface Declared {
  readonly name: string
  readonly line: number
  readonly documented: boolean
}

/** A name that a file passes on from another; `*` for all of them. */
export interface Passed {
  readonly name: string
  readonly from: string
}

export interface Module {
  readonly path: string
  readonly text: string
  readonly room: string
  readonly isFace: boolean
  /** A test, or a fixture that tests share: `x.test.ts`, `x.fixture.ts`. Neither is published. */
  readonly isTest: boolean
  readonly imports: readonly Import[]
  readonly declared: readonly Declared[]
  readonly passed: readonly Passed[]
  readonly hasDefaultExport: boolean
}

/** Modules by path, such as `src/http/cookies.ts`. */
export type House = ReadonlyMap<string, Module>

type Parsed = ReturnType<typeof parseSync>
type Export = Parsed['module']['staticExports'][number]

const isTest = (path: string) => /\.(test|fixture)\.ts$/.test(path)
const roomOf = (path: string) => /^src\/([^/.]+)/.exec(path)?.[1] ?? ''
const isFace = (path: string) => /^src\/[^/]+\.ts$/.test(path) && !isTest(path)

/** The name of a package without the path inside it: `@a/b/c` is `@a/b`, `node:fs/promises` is `node:fs`. */
export function packageName(specifier: string): string {
  const parts = specifier.split('/')
  return parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/')
}

function resolve(from: string, specifier: string): string {
  const relative = specifier.startsWith('.')
  return relative ? posix.join(posix.dirname(from), specifier) : packageName(specifier)
}

/** `import('./x.ts').X` in a type: the parser's list of imports leaves it out. */
function typeQueries(node: unknown, found: { value: string; start: number }[]): void {
  if (Array.isArray(node)) {
    for (const child of node) typeQueries(child, found)
  } else if (typeof node === 'object' && node !== null) {
    const { type, source, start } = node as {
      type?: string
      source?: { value: string }
      start: number
    }
    if (type === 'TSImportType' && source !== undefined) found.push({ value: source.value, start })
    for (const child of Object.values(node)) typeQueries(child, found)
  }
}

function specifiers({ module, program }: Parsed, text: string) {
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
  if (text.includes('import(')) typeQueries(program, found)
  return found
}

function documentedAt(parsed: Parsed, text: string, start: number): boolean {
  const above = parsed.comments.findLast((comment) => comment.end <= start)
  if (above === undefined || above.type !== 'Block' || !above.value.startsWith('*')) return false
  return text.slice(above.end, start).trim() === ''
}

function exportsOf(path: string, text: string, parsed: Parsed) {
  const declared = new Map<string, Declared>()
  const passed: Passed[] = []
  const note = ({ start, entries }: Export) => {
    for (const { exportName, importName, moduleRequest } of entries) {
      const name = exportName.name ?? '*'
      if (moduleRequest !== null) {
        passed.push({ name: importName.name ?? name, from: resolve(path, moduleRequest.value) })
      } else if (declared.get(name)?.documented !== true) {
        declared.set(name, {
          name,
          line: lineAt(text, start),
          documented: documentedAt(parsed, text, start),
        })
      }
    }
  }
  parsed.module.staticExports.forEach(note)
  return { declared: [...declared.values()], passed }
}

const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length

function moduleOf(path: string, text: string): Module {
  const parsed = parseSync(path, text)
  const problem = parsed.errors[0]
  if (problem !== undefined) throw new Error(`${path} cannot be read: ${problem.message}`)
  const imports = specifiers(parsed, text).map(({ value, start }) => ({
    to: resolve(path, value),
    outside: !value.startsWith('.'),
    line: lineAt(text, start),
  }))
  const entries = parsed.module.staticExports.flatMap((one) => one.entries)
  return {
    path,
    text,
    room: roomOf(path),
    isFace: isFace(path),
    isTest: isTest(path),
    imports,
    ...exportsOf(path, text, parsed),
    hasDefaultExport: entries.some(
      ({ exportName }) => exportName.kind === 'Default' || exportName.name === 'default',
    ),
  }
}

/** A house of these files: path to text. */
export function houseOf(sources: Readonly<Record<string, string>>): House {
  return new Map(Object.entries(sources).map(([path, text]) => [path, moduleOf(path, text)]))
}

/** The house under `src`. */
export function readHouse(root: string): House {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  const paths = files.filter((file) => file.endsWith('.ts')).map((file) => posix.join('src', file))
  const texts = paths.sort().map((path) => [path, readFileSync(join(root, path), 'utf8')] as const)
  return houseOf(Object.fromEntries(texts))
}
