/** Compiles templates that include one another. */
import { join } from 'node:path'
import { closestNames, type ProjectPaths, readText, templatesOf } from '../../runtime/view.ts'
import { type IncludeNode, TemplateError } from '../read.ts'
import {
  type CompileOptions,
  compileParsed,
  type CompiledTemplate,
  type IncludedTemplate,
} from '../emit.ts'
import { parse, type ParsedTemplate, proveEscaping } from '../escaping.ts'

/** Returns the text of a file below `WEB-INF/`; `undefined` if the file does not exist. */
type ReadTemplate = (file: string) => string | undefined

/** The templates of an application at one point in time. Reads and parses each file once. */
export class TemplateSet {
  readonly #paths: ProjectPaths
  readonly #read: ReadTemplate
  readonly #texts = new Map<string, string | undefined>()
  readonly #parsed = new Map<string, ParsedTemplate | TemplateError | undefined>()

  constructor(
    paths: ProjectPaths,
    read: ReadTemplate = (file) => readText(join(paths.webInf, file)),
  ) {
    this.#paths = paths
    this.#read = read
  }

  /** Reads a template again when it is used the next time. */
  forget(file: string): void {
    this.#texts.delete(file)
    this.#parsed.delete(file)
  }

  /**
   * Compiles a template.
   * @throws TemplateError for an error in `file`, or an include of a partial that does not exist
   */
  compile(file: string, options: CompileOptions = {}): CompiledTemplate {
    const parsed = this.#require(file)
    for (const [node, included] of parsed.includes) this.#requireIncluded(parsed, node, included)
    for (const [node, element] of parsed.plan.foreignIncludes)
      this.#requireNoRawText(parsed, node, element)
    return this.compileParsed(parsed, options)
  }

  /** Compiles a template that is parsed already, and does not check its includes. @throws TemplateError */
  compileParsed(parsed: ParsedTemplate, options: CompileOptions = {}): CompiledTemplate {
    const included = (other: string): IncludedTemplate => this.#properties(other)
    return compileParsed(parsed, { paths: this.#paths, ...options, included })
  }

  /**
   * Proves the escaping of a template.
   * @throws TemplateError at an expression whose escaping is unsafe
   */
  prove(file: string): void {
    proveEscaping(this.#require(file))
  }

  /** Returns the text of a file below `WEB-INF/`; `undefined` if the file does not exist. */
  text(file: string): string | undefined {
    if (!this.#texts.has(file)) this.#texts.set(file, this.#read(file))
    return this.#texts.get(file)
  }

  /** Returns the file and all files that it includes, directly or indirectly. */
  closure(file: string): ReadonlySet<string> {
    const found = new Set([file])
    for (const one of found) {
      for (const included of this.#valid(one)?.includes.values() ?? []) found.add(included)
    }
    return found
  }

  #require(file: string): ParsedTemplate {
    const parsed = this.#parse(file)
    if (parsed instanceof TemplateError) throw parsed
    if (parsed === undefined) throw new Error(`no template ${file}`)
    return parsed
  }

  /** Returns the parsed template; `undefined` if the file does not exist or has an error. */
  #valid(file: string): ParsedTemplate | undefined {
    const parsed = this.#parse(file)
    return parsed instanceof TemplateError ? undefined : parsed
  }

  #parse(file: string): ParsedTemplate | TemplateError | undefined {
    if (this.#parsed.has(file)) return this.#parsed.get(file)
    const text = this.text(file)
    const parsed = text === undefined ? undefined : resultOrError(() => parse(file, text))
    this.#parsed.set(file, parsed)
    return parsed
  }

  #requireIncluded(parsed: ParsedTemplate, node: IncludeNode, file: string): void {
    if (this.text(file) !== undefined) return
    const all = templatesOf(this.#paths.webInf).map((one) => '/' + one)
    const [near] = closestNames(file, all)
    const hint = near === undefined ? '' : ` Did you mean WEB-INF${near}?`
    throw parsed.source.error(node.pathPos, `there is no partial WEB-INF/${file}.${hint}`)
  }

  /**
   * Throws for an included file with a script, style or title if the include is inside SVG, MathML or `<select>`.
   * Browsers parse such elements differently in that place.
   */
  #requireNoRawText(parsed: ParsedTemplate, node: IncludeNode, element: string): void {
    for (const file of this.closure(parsed.includes.get(node)!)) {
      if (this.#valid(file)?.plan.hasRawText !== true) continue
      throw parsed.source.error(
        node.pathPos,
        `WEB-INF/${file} has a script, style or another element that browsers read otherwise inside <${element}>: include it outside`,
      )
    }
  }

  #properties(file: string): IncludedTemplate {
    const all = [...this.closure(file)].map((one) => this.#valid(one))
    return {
      isAsync: all.some((one) => one?.names.has('await')),
      usesNonce: all.some((one) => one?.plan.usesNonce),
      styles: [...new Set(all.flatMap((one) => one?.plan.styles ?? []))],
    }
  }
}

/** Returns the result of `action`, or the TemplateError that it throws. */
export function resultOrError<T>(action: () => T): T | TemplateError {
  try {
    return action()
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
}
