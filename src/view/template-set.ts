/** Compiles templates that include one another. */
import { nearest } from './missing-view.ts'
import type { IncludeNode } from './nodes.ts'
import type { CompileOptions, IncludedTemplate } from './compile-options.ts'
import { parse, type ParsedTemplate } from './parsed-template.ts'
import { compileParsed, type CompiledTemplate } from './template.ts'
import { TemplateError } from './template-source.ts'

export interface TemplateFiles {
  /** The text of a file below `WEB-INF/`; `undefined` when there is none. */
  read(file: string): string | undefined
  /** All templates, for the message about a partial that is not there. */
  list(): readonly string[]
}

const unknown: IncludedTemplate = { isAsync: false, usesNonce: false }

/** One state of the files: each is read and parsed once. */
export class TemplateSet {
  readonly #files: TemplateFiles
  readonly #parsed = new Map<string, ParsedTemplate | TemplateError | undefined>()

  constructor(files: TemplateFiles) {
    this.#files = files
  }

  /** @throws TemplateError for a mistake in `file`, or an include of a partial that does not exist. */
  compile(file: string, options: CompileOptions): CompiledTemplate {
    const parsed = this.parsed(file)
    for (const [node, included] of parsed.includes) this.#requireIncluded(parsed, node, included)
    return compileParsed(parsed, { ...options, included: (other) => this.#facts(other) })
  }

  parsed(file: string): ParsedTemplate {
    const parsed = this.#read(file)
    if (parsed instanceof TemplateError) throw parsed
    if (parsed === undefined) throw new Error(`no template ${file}`)
    return parsed
  }

  /** The file and everything it includes, directly or not. */
  closure(file: string): ReadonlySet<string> {
    const found = new Set([file])
    for (const one of found) {
      const parsed = this.#read(one)
      if (parsed === undefined || parsed instanceof TemplateError) continue
      for (const included of parsed.includes.values()) found.add(included)
    }
    return found
  }

  #read(file: string): ParsedTemplate | TemplateError | undefined {
    if (this.#parsed.has(file)) return this.#parsed.get(file)
    const text = this.#files.read(file)
    const parsed = text === undefined ? undefined : parseOrError(file, text)
    this.#parsed.set(file, parsed)
    return parsed
  }

  #requireIncluded(parsed: ParsedTemplate, node: IncludeNode, file: string): void {
    if (this.#read(file) !== undefined) return
    const near = nearest(
      file,
      this.#files.list().map((one) => '/' + one),
    )
    const hint = near.length === 0 ? '' : ` Did you mean WEB-INF${near[0]}?`
    throw parsed.source.error(node.pathPos, `there is no partial WEB-INF/${file}.${hint}`)
  }

  #facts(file: string): IncludedTemplate {
    let { isAsync, usesNonce } = unknown
    for (const one of this.closure(file)) {
      const parsed = this.#read(one)
      if (parsed === undefined || parsed instanceof TemplateError) continue
      isAsync ||= parsed.names.has('await')
      usesNonce ||= parsed.plan.usesNonce
    }
    return { isAsync, usesNonce }
  }
}

function parseOrError(file: string, text: string): ParsedTemplate | TemplateError {
  try {
    return parse(file, text)
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
}
