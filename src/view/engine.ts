/** The contract of a view engine: it finds what a name stands for; rendering is the same for all. */

/** The format of a page: the part of the file name before `.ssp`. */
export type ViewFormat = 'html' | 'json' | 'xml' | 'txt'

/** What generated templates need of the view helper `s`; `fw.Fw` has it. */
export interface ViewHelper {
  /** The nonce of this response's policy; made when first read. Empty when the response carries no policy. */
  readonly cspNonce: string
}

/** One `<%@val%>` of a template, as the run-time check sees it. */
export interface DeclaredValue {
  readonly name: string
  /** The TypeScript type, as written. */
  readonly type: string
  /** True when the template gives a default. */
  readonly optional: boolean
}

/** Values that a page hands to its layout by `set(name, value)` and `#set (name)`. */
export type PageValues = Record<string, unknown>

/** What is known of a template that is ready to run. */
export interface ViewFacts {
  /** The template's path below `WEB-INF/`, such as `views/members/index.html.ssp`. */
  readonly file: string
  /** Of its text and of the compiler; another text has another one. */
  readonly version: string
  readonly declared: readonly DeclaredValue[]
  /** True when the template, or a partial it includes, puts a nonce on an inline script or style. */
  readonly usesNonce: boolean
  /** The files that went into the module besides the template; absent when there are none. */
  readonly dependencies?: readonly string[]
}

/** A template that is ready to run. `render` does not check its values; `renderView` does. */
export interface CompiledView extends ViewFacts {
  render(values: object, helper: ViewHelper, page: PageValues): string | Promise<string>
}

/** A page that comes in parts, each made when the one before it is taken. */
export interface StreamedView extends ViewFacts {
  render(values: object, helper: ViewHelper, page: PageValues): AsyncIterator<string, string>
}

/** Finds views and layouts. Answers at once when the template is loaded, with a promise when it must be read first. */
export interface ViewEngine {
  /** Loads everything. In production it must be awaited before the first `find`; in development it does nothing. */
  load(): Promise<void>
  /** `undefined` when there is no such template. A name with a segment that begins with `_` or `.` is never found. */
  find(
    view: string,
    format: ViewFormat,
  ): CompiledView | undefined | Promise<CompiledView | undefined>
  findLayout(layout: string): CompiledView | undefined | Promise<CompiledView | undefined>
  /** The same page as by `find`, in parts; a template of another language comes in one. */
  findStreamed(view: string, format: ViewFormat): Promise<StreamedView | undefined>
  /** The names of all views of one format, sorted, for messages. */
  names(format: ViewFormat): readonly string[]
  /** The file that a view would be in, as the error about a missing view names it. */
  expectedFile(view: string, format: ViewFormat): string
}
