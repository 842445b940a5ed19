/** The templates of an application, as they are in the editor or on the disk, and their modules. */
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { FwError } from '../../runtime/base.ts'
import {
  inlineMapPrefix,
  isJade,
  type ProjectPaths,
  readText,
  templateName,
  templatesOf,
  writeIfChanged,
} from '../../runtime/view.ts'
import {
  brokenModule,
  compilePug,
  configModule,
  messagesModule,
  moduleText,
  registryModule,
  resultOrError,
  TemplateSet,
} from '../../templates/compile.ts'
import type { CompiledTemplate } from '../../templates/emit.ts'
import { TemplateError } from '../../templates/read.ts'
import { repairTemplate } from './repair-template.ts'
import { type Encoding, TextLines } from './text-lines.ts'
import { Twin } from './twin.ts'

/** The largest template that is compiled, in UTF-16 code units. */
export const maximumLength = 1024 * 1024

/** A template and what the compiler made of it. */
export interface TemplateState {
  /** The path below `WEB-INF/`. */
  readonly file: string
  readonly text: TextLines
  /** The compiled template; `undefined` if it has an error. */
  readonly compiled: CompiledTemplate | undefined
  readonly error: TemplateError | undefined
  /** The module in the editor; `undefined` for Jade, and for a template that was never readable. */
  readonly twin: Twin | undefined
  /** The template and all that it includes. */
  readonly closure: ReadonlySet<string>
  /** Returns the error of the escaping, or `undefined`; proves it once. */
  readonly unsafe: () => TemplateError | undefined
}

/** Receives what happens to generated modules. */
export interface ModuleListener {
  /** Called with the code of a module that differs from its file, or `undefined` if the file counts. */
  readonly show: (path: string, code: string | undefined) => void
  /** Called when the file of a module has another text than before, or was removed. Another process may have written it. */
  readonly changed: (path: string) => void
}

/** Compiles templates whenever they or the templates that they include change. */
export class TemplateWorkspace {
  readonly paths: ProjectPaths
  readonly encoding: Encoding
  readonly #listener: ModuleListener
  readonly #repairs: boolean
  readonly #set: TemplateSet
  readonly #open = new Map<string, TextLines>()
  /** The errors of templates whose files exist and cannot be read. */
  readonly #unreadable = new Map<string, unknown>()
  /** The templates whose text has changed in the editor and that are not compiled again yet. */
  readonly #edited = new Set<string>()
  readonly #affected = new Set<string>()
  /** The code of each module that is a file, as the listener knows it. */
  readonly #stored = new Map<string, string>()
  #states: ReadonlyMap<string, TemplateState> = new Map()

  /**
   * @param options.repairs whether a template with a mistake gets a module of its repaired text, for completion; otherwise it gets
   * the module that `fw check` writes
   */
  constructor(
    paths: ProjectPaths,
    encoding: Encoding,
    listener: ModuleListener,
    { repairs = true }: { readonly repairs?: boolean } = {},
  ) {
    this.paths = paths
    this.encoding = encoding
    this.#listener = listener
    this.#repairs = repairs
    this.#set = new TemplateSet(paths, (file) => this.#text(file))
  }

  /** All templates. The map is never changed: a later state is another map. */
  get states(): ReadonlyMap<string, TemplateState> {
    this.#compileEdited()
    return this.#states
  }

  #compileEdited(): void {
    if (this.#edited.size === 0) return
    const files = [...this.#edited]
    this.#edited.clear()
    const isNew = files.some((file) => !this.#states.has(file))
    for (const file of this.#update(files, isNew)) this.#affected.add(file)
  }

  /** Returns the templates whose state has changed by edits since the last call. */
  takeAffected(): readonly string[] {
    this.#compileEdited()
    const affected = [...this.#affected]
    this.#affected.clear()
    return affected
  }

  /** Returns the path below `WEB-INF/` of a template's file; `undefined` for other files. */
  fileOf(path: string): string | undefined {
    const file = relative(this.paths.webInf, path).replaceAll('\\', '/')
    return templateName(file) === undefined ? undefined : file
  }

  /** Returns the path of the file of a template. */
  pathOf(file: string): string {
    return join(this.paths.webInf, file)
  }

  /** Returns the path of the module of a template. */
  modulePath(file: string): string {
    return join(this.paths.generated, `${file}.ts`)
  }

  /** Returns the template of a module; `undefined` for other files. */
  templateOfModule(path: string): string | undefined {
    const file = relative(this.paths.generated, path).replaceAll('\\', '/')
    return file.startsWith('../') || !file.endsWith('.ts') ? undefined : file.slice(0, -3)
  }

  #text(file: string): string | undefined {
    this.#unreadable.delete(file)
    const open = this.#open.get(file)
    if (open !== undefined) return open.text
    try {
      return readText(this.pathOf(file))
    } catch (error) {
      this.#unreadable.set(file, error)
      return undefined
    }
  }

  /** Reads all templates of the disk. Yields after each one, so that the server can answer requests. */
  async load(pause: () => Promise<void>): Promise<void> {
    this.updateKeys()
    const files = this.#files()
    const states = new Map(this.#states)
    this.#writeRegistry(files)
    for (const file of files) {
      if (!this.#states.has(file)) states.set(file, this.#compile(file))
      await pause()
    }
    // Keep the templates that were opened in the meantime.
    this.#states = new Map([...states, ...this.#states])
    const present = new Set(this.#files())
    this.changedOnDisk([...this.#states.keys()].filter((file) => !present.has(file)))
  }

  /** Whether the file of each template's module exists, current or not. */
  get hasAllModules(): boolean {
    return this.#files().every((file) => existsSync(this.modulePath(file)))
  }

  #files(): readonly string[] {
    const onDisk = templatesOf(this.paths.webInf)
    return [...new Set([...onDisk, ...this.#open.keys()])].sort()
  }

  /** Updates the modules that declare the keys of settings and messages; keeps those of files that cannot be read. */
  updateKeys(): void {
    const { root, generated } = this.paths
    const write = (file: string, code: () => string): void => {
      try {
        this.#store(join(generated, file), code())
      } catch (error) {
        if (!(error instanceof FwError)) throw error
      }
    }
    write('config.ts', () => configModule(root))
    write('messages.ts', () => messagesModule(root))
  }

  #writeRegistry(files: readonly string[]): void {
    const path = join(this.paths.generated, 'registry.ts')
    const isSaved = files.length === templatesOf(this.paths.webInf).length
    if (isSaved) this.#store(path, registryModule(this.paths, files))
    else this.#show(path, registryModule(this.paths, files))
  }

  /** Gives TypeScript a module whose template is not saved or has a mistake. */
  #show(path: string, code: string): void {
    const folder = dirname(path)
    // TypeScript resolves an import of a document in the editor only if the folder exists.
    if (!existsSync(folder)) tryWriting(() => mkdirSync(folder, { recursive: true }))
    this.#listener.show(path, code)
  }

  /** Writes a module as `fw check` does: TypeScript reads a file faster than a document. `text` adds the source map. */
  #store(path: string, code: string, text: () => string = () => code): void {
    const known = readText(path)
    const rest = known?.startsWith(code) === true ? known.slice(code.length) : undefined
    const isCurrent = rest === '' || rest?.startsWith(inlineMapPrefix) === true
    if (!isCurrent && !tryWriting(() => writeIfChanged(path, text()))) return this.#show(path, code)
    const last = this.#stored.get(path) ?? (isCurrent ? code : undefined)
    this.#stored.set(path, code)
    if (last !== code) this.#listener.changed(path)
    this.#listener.show(path, undefined)
  }

  #remove(path: string): void {
    this.#listener.show(path, undefined)
    tryWriting(() => rmSync(path, { force: true }))
    this.#stored.delete(path)
    this.#listener.changed(path)
  }

  /** Sets the text of a template that is open in the editor. It is compiled when its state is used. */
  setOpen(file: string, text: TextLines): void {
    this.#open.set(file, text)
    this.#edited.add(file)
  }

  /** Uses the text of the disk for a template that the editor has closed. Returns the templates whose state has changed. */
  close(file: string): readonly string[] {
    this.#compileEdited()
    if (!this.#open.delete(file)) return []
    return this.changedOnDisk([file])
  }

  /** Reads templates again whose files have changed. Returns the templates whose state has changed. */
  changedOnDisk(files: readonly string[]): readonly string[] {
    this.#compileEdited()
    const closed = files.filter((file) => !this.#open.has(file))
    const exists = (file: string): boolean =>
      this.#text(file) !== undefined || this.#unreadable.has(file)
    const changesNames = closed.some((file) => exists(file) !== this.#states.has(file))
    return closed.length === 0 ? [] : this.#update(closed, changesNames)
  }

  #update(changed: readonly string[], changesNames: boolean): readonly string[] {
    for (const file of changed) this.#set.forget(file)
    const affected = new Set(changed)
    for (const [file, { closure }] of this.#states)
      if (changed.some((one) => closure.has(one))) affected.add(file)
    const states = new Map(this.#states)
    for (const file of affected) {
      if (this.#set.text(file) === undefined && !this.#unreadable.has(file)) {
        states.delete(file)
        this.#remove(this.modulePath(file))
      } else states.set(file, this.#compile(file))
    }
    this.#states = states
    if (changesNames) this.#writeRegistry(this.#files())
    return [...affected]
  }

  #compile(file: string): TemplateState {
    try {
      return this.#compileUnguarded(file)
    } catch (error) {
      // A file that cannot be read or a defect of the compiler must not end the server.
      const text = this.#open.get(file) ?? new TextLines('', this.encoding)
      const twin = this.#states.get(file)?.twin?.outdated(text)
      const closure = new Set([file])
      const failure = failureOf(file, error)
      this.#show(this.modulePath(file), twin?.code.text ?? brokenModule(failure))
      return { file, text, compiled: undefined, error: failure, twin, closure, unsafe: none }
    }
  }

  #compileUnguarded(file: string): TemplateState {
    const text = this.#open.get(file) ?? new TextLines(this.#set.text(file) ?? '', this.encoding)
    if (this.#unreadable.has(file)) throw this.#unreadable.get(file)
    if (isJade(file)) return this.#compileJade(file, text)
    const compiled = this.#compileOrError(file, text)
    const closure = this.#set.closure(file)
    if (compiled instanceof TemplateError) {
      const isRepaired = this.#repairs && text.text.length <= maximumLength
      const twin = isRepaired ? this.#repair(file, text) : undefined
      if (this.#repairs)
        this.#show(this.modulePath(file), twin?.code.text ?? brokenModule(compiled))
      else this.#store(this.modulePath(file), brokenModule(compiled))
      return { file, text, compiled: undefined, error: compiled, twin, closure, unsafe: none }
    }
    let proven: { readonly error: TemplateError | undefined } | undefined
    const unsafe = (): TemplateError | undefined => {
      proven ??= { error: this.#prove(file) }
      return proven.error
    }
    const twin = this.#twin(file, text, compiled, 'compiled')
    const path = this.modulePath(file)
    const isSaved = ![...closure].some((one) => this.#open.has(one))
    if (isSaved) this.#store(path, compiled.code, () => moduleText(compiled))
    else this.#show(path, compiled.code)
    return { file, text, compiled, error: undefined, twin, closure, unsafe }
  }

  #prove(file: string): TemplateError | undefined {
    try {
      return resultOrError(() => this.#set.prove(file)) ?? undefined
    } catch (error) {
      return failureOf(file, error)
    }
  }

  #compileOrError(file: string, { text }: TextLines): CompiledTemplate | TemplateError {
    if (text.length > maximumLength)
      return new TemplateError(
        file,
        { line: 1, column: 1 },
        `this template has more than ${maximumLength} characters, which editors do not check`,
        '',
      )
    return resultOrError(() => this.#set.compile(file))
  }

  #twin(
    file: string,
    template: TextLines,
    { code, segments, source }: Pick<CompiledTemplate, 'code' | 'segments' | 'source'>,
    state: Twin['state'],
    repaired?: readonly number[],
  ): Twin {
    const lines = new TextLines(code, this.encoding)
    // The compiler removes a byte order mark.
    const mark = template.text.startsWith('\ufeff') ? 1 : 0
    const isShifted = mark === 1 || repaired !== undefined
    const origins = isShifted
      ? (repaired ?? Array.from({ length: source.length }, (_, at) => at)).map((at) => at + mark)
      : undefined
    return new Twin({ file, template, code: lines, segments, state, source, origins })
  }

  /** Returns the module of a template with an error, as far as it can be repaired, otherwise the module of its last text. */
  #repair(file: string, template: TextLines): Twin | undefined {
    const text = template.text.replace(/^\ufeff/, '')
    const repair = repairTemplate(file, text, (parsed) => this.#set.compileParsed(parsed))
    if (repair === undefined) return this.#states.get(file)?.twin?.outdated(template)
    const isComplete = repair.text === text
    return this.#twin(
      file,
      template,
      repair.result,
      isComplete ? 'unplanned' : 'repaired',
      isComplete ? undefined : repair.origins,
    )
  }

  /** Compiles a Jade template for its mistakes. Its module has no types and no positions: pug records only lines. */
  #compileJade(file: string, text: TextLines): TemplateState {
    let error: TemplateError | undefined
    let code: string
    try {
      code = compilePug(this.paths, file, { text: text.text.replace(/^\ufeff/, '') }).code
    } catch (thrown) {
      if (!(thrown instanceof FwError)) throw thrown
      if (thrown instanceof TemplateError) error = inFile(file, thrown)
      code =
        '// @ts-nocheck\nexport type Values = any\nexport function render(..._: any[]): any {}\n'
    }
    if (this.#open.has(file)) this.#show(this.modulePath(file), code)
    else this.#store(this.modulePath(file), code)
    const closure = new Set([file])
    return { file, text, compiled: undefined, error, twin: undefined, closure, unsafe: none }
  }
}

/** Returns an error of a template that another one includes as an error of the other one, at its start. */
function inFile(file: string, error: TemplateError): TemplateError {
  if (error.file === file) return error
  const reason = `WEB-INF/${error.file}:${error.line}: ${error.reason}`
  return new TemplateError(file, { line: 1, column: 1 }, reason, '')
}

/** Returns false if the file system refuses, such as on a full disk; the module is then only a document. */
function tryWriting(write: () => unknown): boolean {
  try {
    write()
    return true
  } catch {
    return false
  }
}

const none = (): undefined => undefined

function failureOf(file: string, error: unknown): TemplateError {
  const isOfSystem = error instanceof Error && 'syscall' in error
  const reason = isOfSystem
    ? `this template cannot be read: ${error.message}`
    : `the compiler failed: ${String(error)}`
  return new TemplateError(file, { line: 1, column: 1 }, reason, '')
}
