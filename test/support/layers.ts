/**
 * Defines the layers of the architecture and the packages that each module may import. Finds imports that break the
 * rules.
 */
import type { SourceFile, SourceFiles } from './source-files.ts'

/** The modules of each group, from top to bottom. A module imports only modules below it. */
export const groups: Readonly<Record<string, readonly string[]>> = {
  public: ['public'],
  tools: ['cli', 'generate', 'testing', 'openapi', 'lsp', 'workspace', 'docs', 'dev'],
  templates: ['check', 'compile', 'format', 'emit', 'escaping', 'contexts', 'read'],
  runtime: [
    'app',
    'telemetry',
    'mail',
    'jobs',
    'accounts',
    'client',
    'resource',
    'controller',
    'feature',
    'action',
    'session',
    'validation',
    'model',
    'db',
    'i18n',
    'params',
    'view',
    'routing',
    'config',
    'server',
    'http',
    'base',
  ],
}

/** The modules above the public entry points: `fw` loads an application through the entry points. */
const aboveEntries = ['cli', 'generate']

/** All modules, from top to bottom. A module imports only modules below it. */
export const layers: readonly string[] = [
  ...aboveEntries,
  ...(groups['public'] ?? []),
  ...(groups['tools'] ?? []).filter((name) => !aboveEntries.includes(name)),
  ...(groups['templates'] ?? []),
  ...(groups['runtime'] ?? []),
]

const anywhere = layers

/** Maps a package to the modules that may import it. No module may import another package. */
export const allowedPackages: Readonly<Record<string, readonly string[]>> = {
  'node:async_hooks': anywhere,
  'node:buffer': anywhere,
  'node:crypto': anywhere,
  'node:diagnostics_channel': anywhere,
  'node:events': anywhere,
  'node:os': anywhere,
  'node:path': anywhere,
  'node:perf_hooks': anywhere,
  'node:process': anywhere,
  'node:stream': anywhere,
  'node:timers': anywhere,
  'node:url': anywhere,
  'node:util': anywhere,
  'node:module': [
    'base',
    'generate',
    'openapi',
    'cli',
    'workspace',
    'docs',
    'dev',
    'check',
    'compile',
    'view',
    'db',
    'config',
    'feature',
    'mail',
  ],
  'node:v8': ['config', 'db', 'cli'],
  'node:fs': [
    'cli',
    'generate',
    'testing',
    'dev',
    'openapi',
    'lsp',
    'workspace',
    'docs',
    'compile',
    'app',
    'db',
    'view',
    'http',
    'config',
    'check',
    'mail',
  ],
  'node:zlib': ['http', 'db'],
  'node:net': ['server', 'app', 'db', 'cli'],
  'node:tls': ['db'],
  'node:http': ['server'],
  'node:cluster': ['cli', 'telemetry'],
  'node:worker_threads': ['view'],
  'node:child_process': ['cli', 'workspace', 'check'],
  'node:readline': ['cli'],
  'node:repl': ['cli'],
  'node:test': ['cli'],
  'temporal-polyfill': ['base'],
  yaml: ['cli', 'config', 'generate', 'lsp'],
  'intl-messageformat': ['i18n'],
  '@formatjs/intl-localematcher': ['i18n'],
  cookie: ['http'],
  saxes: ['http'],
  '@standard-schema/spec': ['params', 'model', 'validation'],
  '@jridgewell/gen-mapping': ['emit'],
  'node-html-parser': ['testing'],
  pg: ['db'],
  '@electric-sql/pglite': ['db'],
  kysely: ['db', 'model'],
  '@redis/client': ['session'],
  jose: ['feature'],
  '@node-rs/argon2': ['accounts'],
  '@simplewebauthn/server': ['accounts'],
  otpauth: ['accounts'],
  '@opentelemetry/api': ['telemetry'],
  nodemailer: ['mail'],
  '@css-inline/css-inline-wasm': ['mail'],
  'playwright-core': ['testing'],
  typescript: ['openapi'],
  'vscode-languageserver': ['lsp', 'workspace'],
  'vscode-html-languageservice': ['lsp'],
  'vscode-css-languageservice': ['lsp'],
  commander: ['cli'],
  marked: ['docs'],
  croner: ['jobs'],
  acorn: ['generate', 'contexts', 'escaping'],
  'css-tree': ['contexts'],
  parse5: ['contexts', 'escaping'],
}

const sources = (files: SourceFiles) => [...files.values()].filter((file) => !file.isTest)
const isAbove = (one: string, other: string) => layers.indexOf(one) < layers.indexOf(other)

/** Finds modules without a layer, in the wrong group, or without a public interface. */
export function misplacedModules(files: SourceFiles): string[] {
  const modules = new Set([...files.values()].map(({ module }) => module))
  const unknown = [...modules].filter((module) => !layers.includes(module))
  const folders = (module: string) =>
    groupsOf(files, module).map((group) => `src/${group}/${module}`)
  const misplaced = [...modules]
    .filter((module) => layers.includes(module))
    .flatMap((module) =>
      groupsOf(files, module)
        .filter((group) => !groups[group]?.includes(module))
        .map((group) => `src/${group}/${module}: not a module of ${group}`),
    )
  const withoutInterface = [...modules]
    .filter((module) => layers.includes(module) && module !== 'public')
    .flatMap(folders)
    .filter((path) => !files.has(`${path}.ts`))
  return [
    ...unknown.flatMap(folders).map((path) => `${path}: not a module of test/support/layers.ts`),
    ...misplaced,
    ...withoutInterface.map((path) => `${path}: the module has no public interface ${path}.ts`),
  ]
}

const groupsOf = (files: SourceFiles, module: string): string[] => [
  ...new Set([...files.values()].filter((one) => one.module === module).map(({ group }) => group)),
]

/** Finds imports from `src/runtime` into another group, and from `src/templates` into `src/tools`. */
export function crossGroupImports(files: SourceFiles): string[] {
  const allowed: Readonly<Record<string, readonly string[]>> = {
    runtime: ['runtime'],
    templates: ['templates', 'runtime'],
  }
  return sources(files).flatMap(({ path, group, imports }) =>
    imports
      .map(({ to, line }) => ({ line, target: files.get(to)?.group }))
      .filter(({ target }) => target !== undefined && allowed[group]?.includes(target) === false)
      .map(({ line, target }) => `${path}:${line}: ${group} imports ${target}`),
  )
}

/** Compares the list of modules in ARCHITECTURE.md with the modules that have files. */
export function drawingMismatch(files: SourceFiles, page: string): string[] {
  const drawing = /^```\n([\s\S]*?)^```/m.exec(page)?.[1] ?? ''
  const drawn = [...drawing.matchAll(/^[a-z0-9]+/gm)].map(String).join(', ')
  const modules = new Set([...files.values()].map(({ module }) => module))
  const existing = layers.filter((module) => modules.has(module)).join(', ')
  return drawn === existing ? [] : [`ARCHITECTURE.md lists ${drawn}; the layers are ${existing}`]
}

/** Finds imports of a module that is above the importing one, types included. Tests may import modules above theirs. */
export function upwardImports(files: SourceFiles): string[] {
  return sources(files).flatMap(({ path, module, imports }) =>
    imports
      .map(({ to, line }) => ({ line, target: files.get(to)?.module }))
      .filter(({ target }) => target !== undefined && isAbove(target, module))
      .map(({ line, target }) => `${path}:${line}: ${module} imports ${target}, a layer above it`),
  )
}

/**
 * Finds imports of another module's internal files. Tests may import fixtures of other modules. Entry points may
 * re-export a whole internal file: TypeScript merges an application's `declare module` only with names of an `export
 * *`.
 */
export function internalImports(files: SourceFiles): string[] {
  const isAllowed = (file: SourceFile, target: SourceFile) =>
    target.isInterface || (file.isTest && target.isTest) || file.module === 'public'
  return [...files.values()].flatMap((file) =>
    file.imports
      .map(({ to, line }) => ({ to, line, target: files.get(to) }))
      .filter(({ target }) => target && target.module !== file.module && !isAllowed(file, target))
      .map(
        ({ to, line }) => `${file.path}:${line}: imports ${to}, an internal file of another module`,
      ),
  )
}

/** Finds import cycles between files, types included. Each result starts with its alphabetically first file. */
export function importCycles(files: SourceFiles): string[] {
  const found = new Set<string>()
  const done = new Set<string>()
  const stack: SourceFile[] = []
  const visit = (file: SourceFile) => {
    const from = stack.indexOf(file)
    if (from >= 0) return void found.add(formatCycle(stack.slice(from).map(({ path }) => path)))
    if (done.has(file.path)) return
    stack.push(file)
    for (const { to } of file.imports) {
      const next = files.get(to)
      if (next !== undefined) visit(next)
    }
    stack.pop()
    done.add(file.path)
  }
  for (const file of files.values()) visit(file)
  return [...found]
}

function formatCycle(cycle: readonly string[]): string {
  const first = cycle.indexOf([...cycle].sort()[0] ?? '')
  const rotated = [...cycle.slice(first), ...cycle.slice(0, first)]
  return [...rotated, rotated[0]].join(' -> ')
}

/** Finds imports of packages that `allowedPackages` does not allow for the module. */
export function disallowedPackages(files: SourceFiles): string[] {
  return sources(files).flatMap(({ path, module, imports }) =>
    imports
      .filter(({ to, isPackage }) => isPackage && !(allowedPackages[to] ?? []).includes(module))
      .map(
        ({ to, line }) =>
          `${path}:${line}: ${module} must not import ${to} (test/support/layers.ts)`,
      ),
  )
}

/** Finds permissions of `allowedPackages` that no import needs. Those for all modules are not checked. */
export function unusedPermissions(files: SourceFiles): string[] {
  const used = new Set(
    sources(files).flatMap(({ module, imports }) => imports.map(({ to }) => `${module} ${to}`)),
  )
  return Object.entries(allowedPackages)
    .filter(([, modules]) => modules !== anywhere)
    .flatMap(([name, modules]) =>
      modules
        .filter((module) => !used.has(`${module} ${name}`))
        .map((module) => `${name}: ${module} does not import it (test/support/layers.ts)`),
    )
}
