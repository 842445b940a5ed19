/** Compiles templates that include one another. */
import { closestNames } from '../../runtime/view.ts'
import { type IncludeNode, TemplateError } from '../read.ts'
import {
  type CompileOptions,
  type IncludedTemplate,
  compileParsed,
  type CompiledTemplate,
} from '../emit.ts'
import { parse, type ParsedTemplate, proveEscaping } from '../escaping.ts'

export interface TemplateFiles {
  /** Returns the text of a file below `WEB-INF/`; `undefined` if the file does not exist. */
  read(file: string): string | undefined
  /** Returns the paths of all templates. An error for a missing partial suggests a similar path. */
  list(): readonly string[]
}

const unknown: IncludedTemplate = { isAsync: false, usesNonce: false }

/** The templates of an application at one point in time. Reads and parses each file once. */
export class TemplateSet {
  readonly #files: TemplateFiles
  readonly #parsed = new Map<string, ParsedTemplate | TemplateError | undefined>()

  constructor(files: TemplateFiles) {
    this.#files = files
  }

  /**
   * Compiles a template.
   * @throws TemplateError for an error in `file`, or an include of a partial that does not exist
   */
  compile(file: string, options: CompileOptions): CompiledTemplate {
    const parsed = this.parsed(file)
    for (const [node, included] of parsed.includes) this.#requireIncluded(parsed, node, included)
    for (const [node, element] of parsed.plan.foreignIncludes)
      this.#requireNoRawText(parsed, node, element)
    return compileParsed(parsed, { ...options, included: (other) => this.#properties(other) })
  }

  /**
   * Proves the escaping of a template.
   * @throws TemplateError at an expression whose escaping is unsafe
   */
  prove(file: string): void {
    proveEscaping(this.parsed(file))
  }

  parsed(file: string): ParsedTemplate {
    const parsed = this.#read(file)
    if (parsed instanceof TemplateError) throw parsed
    if (parsed === undefined) throw new Error(`no template ${file}`)
    return parsed
  }

  /** Returns the file and all files that it includes, directly or indirectly. */
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
    const near = closestNames(
      file,
      this.#files.list().map((one) => '/' + one),
    )
    const hint = near.length === 0 ? '' : ` Did you mean WEB-INF${near[0]}?`
    throw parsed.source.error(node.pathPos, `there is no partial WEB-INF/${file}.${hint}`)
  }

  /**
   * Throws for an included file with a script, style or title if the include is inside SVG, MathML or `<select>`.
   * Browsers parse such elements differently in that place.
   */
  #requireNoRawText(parsed: ParsedTemplate, node: IncludeNode, element: string): void {
    for (const file of this.closure(parsed.includes.get(node)!)) {
      const included = this.#read(file)
      if (included instanceof TemplateError || included?.plan.hasRawText !== true) continue
      throw parsed.source.error(
        node.pathPos,
        `WEB-INF/${file} has a script, style or another element that browsers read otherwise inside <${element}>: include it outside`,
      )
    }
  }

  #properties(file: string): IncludedTemplate {
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
