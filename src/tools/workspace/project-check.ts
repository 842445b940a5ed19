/**
 * Checks an application again and again. The first check is that of `fw check`. Later ones compile only the templates that have
 * changed, and ask a running TypeScript for the mistakes of the files that these changes can affect.
 */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DocumentDiagnosticReport } from 'vscode-languageserver'
import { projectPaths, type ProjectPaths, readText } from '../../runtime/view.ts'
import {
  describeReport,
  listProjectFiles,
  type ProjectReport,
  type ReportedError,
  reportProject,
} from '../../templates/check.ts'
import { cancellationOf } from './rpc-client.ts'
import { type TemplateState, TemplateWorkspace } from './template-workspace.ts'
import { codeFile, TypeScriptServer, withWholeTypes } from './typescript-server.ts'

type CheckResult = ReturnType<typeof describeReport>

/** A change of these files causes a whole check: compiler options, and packages. */
const wholeFiles = ['tsconfig.json', 'package.json', 'node_modules/.package-lock.json']

/** A file of the folder with the messages. */
const messages = 'src/main/resources/messages.yml'

/** The files whose removal can cause mistakes. Others are those that editors create and remove at each save, such as `4913` of Vim. */
const checkedFile = /\.(?:[cm]?[jt]sx?|json|ya?ml)$/

/** The modules that declare the keys of settings and messages. */
const keyModules = ['config.ts', 'messages.ts']

/** What later checks need. */
interface Running {
  readonly workspace: TemplateWorkspace
  readonly typescript: TypeScriptServer
  /** The paths of the code, without the modules of templates. */
  readonly code: Set<string>
}

/** The checks of one application. Call `close` at the end, because TypeScript keeps running. */
export class ProjectCheck {
  readonly #paths: ProjectPaths
  /** The errors of types, by the path of the file; those of templates by the path of their module. */
  #types = new Map<string, readonly ReportedError[]>()
  /** Resolves when the last check has ended. */
  #last: Promise<unknown> = Promise.resolve()
  #running: Promise<Running | undefined> | undefined
  /** The changed files that no check has covered yet. */
  readonly #changed = new Set<string>()
  /** The files whose types no check has covered yet; `all` if any file may have new mistakes. */
  #outdated: Set<string> | 'all' = 'all'
  #version = ''
  #checkedFiles: number | undefined

  constructor(root: string) {
    this.#paths = projectPaths({ root })
  }

  /**
   * Checks the application, after earlier checks have ended. `changed` are the absolute paths of files that have changed since the
   * last call.
   * @throws FwError `view.check-failed`, as `checkProject` does, and an error if `signal` is aborted
   */
  async check(changed: Iterable<string>, signal?: AbortSignal): Promise<CheckResult> {
    for (const path of changed) this.#changed.add(path)
    const check = this.#last.then(() => this.#check(signal))
    this.#last = check.catch(() => {})
    return check
  }

  async #check(signal?: AbortSignal): Promise<CheckResult> {
    signal?.throwIfAborted()
    const version = this.#readVersion()
    const running = version === this.#version ? await this.#running : undefined
    if (running === undefined || this.#hasChangedFolder(running))
      return this.#checkWhole(version, signal)
    try {
      return await this.#checkChanged(running, signal)
    } catch (error) {
      if (signal?.aborted === true) throw error
      // TypeScript has ended, or does not answer.
      return this.#checkWhole(version, signal)
    }
  }

  async #checkWhole(version: string, signal?: AbortSignal): Promise<CheckResult> {
    this.close()
    this.#checkedFiles = undefined
    const covered = [...this.#changed]
    const report = await reportProject(this.#paths, { signal })
    for (const path of covered) this.#changed.delete(path)
    this.#types = Map.groupBy(report.types, ({ path }) => resolve(this.#paths.root, path))
    this.#version = version
    this.#running = this.#start()
    return describeReport(report, this.#paths)
  }

  /** The number of files whose types the last check has read; `undefined` if it has read all, as `fw check` does. */
  get checkedFiles(): number | undefined {
    return this.#checkedFiles
  }

  /** Ends TypeScript. */
  close(): void {
    void this.#running?.then((running) => running?.typescript.stop())
    this.#running = undefined
    this.#outdated = 'all'
  }

  #readVersion(): string {
    return wholeFiles.map((file) => this.#timeOf(file)).join()
  }

  #timeOf(file: string): number {
    return statSync(join(this.#paths.root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0
  }

  /** Resolves with `undefined` if the application has no TypeScript 7: each check is then that of `fw check`. */
  async #start(): Promise<Running | undefined> {
    let typescript: TypeScriptServer | undefined
    try {
      typescript = this.#startTypeScript()
      const code = await this.#listCode()
      const workspace = await this.#loadTemplates(typescript)
      return { workspace, typescript, code }
    } catch {
      void typescript?.stop()
      return undefined
    }
  }

  #startTypeScript(): TypeScriptServer {
    const { root } = this.#paths
    const typescript = new TypeScriptServer({
      root,
      encoding: 'utf-16',
      capabilities: {},
      // A restarted process has read everything again.
      onFailure: () => (this.#outdated = 'all'),
    })
    const project = join(root, 'tsconfig.json')
    typescript.setDocument(project, withWholeTypes(readText(project) ?? '{}'))
    return typescript
  }

  async #loadTemplates(typescript: TypeScriptServer): Promise<TemplateWorkspace> {
    const listener = {
      show: (path: string, text: string | undefined) => typescript.setDocument(path, text),
      changed: (path: string) => typescript.changedOnDisk([path]),
    }
    const options = { repairs: false }
    const workspace = new TemplateWorkspace(this.#paths, 'utf-16', listener, options)
    await workspace.load(async () => {})
    // The proofs take as long as the compilation, and the next check needs them.
    for (const state of workspace.states.values()) state.unsafe()
    return workspace
  }

  async #listCode(signal?: AbortSignal): Promise<Set<string>> {
    const { root } = this.#paths
    const real = realpathSync(root)
    const files = await listProjectFiles({ root }, { signal })
    return new Set(
      files
        .map((path) => relative(real, resolve(path)))
        .filter((path) => !path.startsWith('..') && !/\.(?:ssp|jade)\.ts$/.test(path))
        .map((path) => join(root, path)),
    )
  }

  async #checkChanged(running: Running, signal?: AbortSignal): Promise<CheckResult> {
    await this.#findCode(running.code, signal)
    this.#readChanges(running)
    const { workspace, typescript, code } = running
    const states = [...workspace.states.values()].sort((a, b) => (a.file < b.file ? -1 : 1))
    const modules = states.map(({ file }) => workspace.modulePath(file))
    const known = new Set([...modules, ...code])
    for (const path of this.#types.keys()) if (!known.has(path)) this.#types.delete(path)
    const outdated = this.#outdated === 'all' ? known : this.#outdated
    this.#checkedFiles = outdated.size
    await Promise.all(
      [...outdated].map(async (path) => {
        const errors = await readErrors(typescript, path, signal)
        this.#types.set(path, errors)
      }),
    )
    this.#outdated = new Set()
    const types = [...known].flatMap((path) => this.#types.get(path) ?? [])
    return describeReport({ ...reportTemplates(states), types }, this.#paths)
  }

  /** Whether a folder has changed or vanished: moving it reports no changes of its files. */
  #hasChangedFolder({ workspace, code }: Running): boolean {
    const templates = [...workspace.states.keys()].map((file) => workspace.pathOf(file))
    const known = [...templates, ...code, join(this.#paths.root, messages)]
    return [...this.#changed].some((path) => {
      const found = statSync(path, { throwIfNoEntry: false })
      if (found !== undefined) return found.isDirectory()
      return known.some((file) => file.startsWith(path + sep))
    })
  }

  /** Brings the paths of the code up to date: the compiler says whether a new file is one of the project. */
  async #findCode(code: Set<string>, signal?: AbortSignal): Promise<void> {
    const changed = [...this.#changed].filter((path) => codeFile.test(path))
    for (const path of changed) if (!existsSync(path)) code.delete(path)
    if (!changed.some((path) => existsSync(path) && !code.has(path))) return
    for (const path of await this.#listCode(signal)) code.add(path)
  }

  /** Passes the changed files on to the templates and to TypeScript, and finds the files that they can affect. */
  #readChanges({ workspace, typescript }: Running): void {
    const changed = [...this.#changed]
    this.#changed.clear()
    const templates = changed.flatMap((path) => workspace.fileOf(path) ?? [])
    const before = new Map(templates.map((file) => [file, interfaceOf(workspace.states.get(file))]))
    const affected = workspace.changedOnDisk(templates)
    const others = changed.filter(
      (path) =>
        workspace.fileOf(path) === undefined && (existsSync(path) || checkedFile.test(path)),
    )
    if (others.some((path) => /\.ya?ml$/.test(path))) {
      workspace.updateKeys()
      // `fw check` may have written these files already.
      typescript.changedOnDisk(keyModules.map((file) => join(this.#paths.generated, file)))
    }
    typescript.changedOnDisk(others)
    const isLocal =
      others.length === 0 &&
      templates.every((file) => interfaceOf(workspace.states.get(file)) === before.get(file))
    if (!isLocal) this.#outdated = 'all'
    if (this.#outdated === 'all') return
    for (const file of affected) this.#outdated.add(workspace.modulePath(file))
  }
}

/**
 * Returns what other files can use of a template: its values with the imports of their types, and whether it is asynchronous. A
 * template without a module has only its error.
 */
function interfaceOf(state: TemplateState | undefined): string {
  const { compiled } = state ?? {}
  if (compiled === undefined) return state?.error === undefined ? 'missing' : 'broken'
  const { source, declared, isAsync } = compiled
  return JSON.stringify([declared, isAsync, source.match(/<%@import[^]*?%>/g)])
}

function reportTemplates(states: readonly TemplateState[]): Omit<ProjectReport, 'types'> {
  return {
    templates: states.flatMap(({ compiled }) => compiled ?? []),
    errors: states.flatMap(({ error }) => (error === undefined ? [] : [error, ...error.others])),
    unsafe: states.flatMap((state) => state.unsafe() ?? []),
  }
}

async function readErrors(
  typescript: TypeScriptServer,
  path: string,
  signal?: AbortSignal,
): Promise<readonly ReportedError[]> {
  const report = await typescript.require<DocumentDiagnosticReport>(
    'textDocument/diagnostic',
    { textDocument: { uri: pathToFileURL(path).href } },
    cancellationOf(signal),
  )
  if (report?.kind !== 'full') return []
  return report.items
    .filter(({ severity = 1 }) => severity === 1)
    .map(({ range: { start }, code, message }) => ({
      path,
      line: start.line + 1,
      column: start.character + 1,
      code: `TS${code}`,
      message: String(message),
    }))
}
