/** The interface of a view engine, which finds views by name. Rendering is the same for all engines. */

/** The format of a page: the part of the file name before `.ssp`. */
export type ViewFormat = 'html' | 'json' | 'xml' | 'txt'

/** The part of the view helper `s` that generated templates use; `fw.Fw` implements it. */
export interface ViewHelper {
  /**
   * The nonce of this response's Content-Security-Policy, created on first use. Empty if the response has no policy.
   */
  readonly cspNonce: string
}

/** One `<%@val%>` of a template, for the check at run time. */
export interface DeclaredValue {
  readonly name: string
  /** The TypeScript type, as written. */
  readonly type: string
  /** True when the value has a default. */
  readonly optional: boolean
}

/** Values that a page sets for its layout by `set(name, value)` and `#set (name)`. */
export type PageValues = Record<string, unknown>

/** The metadata of a compiled template. */
export interface ViewMetadata {
  /** The template's path below `WEB-INF/`, such as `views/members/index.html.ssp`. */
  readonly file: string
  /** A hash of its text and of the compiler's revision. */
  readonly version: string
  readonly declared: readonly DeclaredValue[]
  /** True when the template, or a partial it includes, puts a nonce on an inline script or style. */
  readonly usesNonce: boolean
  /** The other files that the module was compiled from; absent when there are none. */
  readonly dependencies?: readonly string[]
}

/** A compiled template. `render` does not check its values; `renderView` does. */
export interface CompiledView extends ViewMetadata {
  render(values: object, helper: ViewHelper, page: PageValues): string | Promise<string>
}

/** A page that is rendered in parts: each part when the reader requests it. */
export interface StreamedView extends ViewMetadata {
  render(values: object, helper: ViewHelper, page: PageValues): AsyncIterator<string, string>
}

/** Finds views and layouts. Returns a promise only if the template is not yet loaded. */
export interface ViewEngine {
  /** Loads everything. In production it must be awaited before the first `find`; in development it does nothing. */
  load(): Promise<void>
  /** The view; `undefined` if it does not exist. A name with a segment that begins with `_` or `.` is never found. */
  find(
    view: string,
    format: ViewFormat,
  ): CompiledView | undefined | Promise<CompiledView | undefined>
  /** A partial, or a view without its layout, in HTML; `undefined` if it does not exist. */
  findFragment(name: string): CompiledView | undefined | Promise<CompiledView | undefined>
  findLayout(layout: string): CompiledView | undefined | Promise<CompiledView | undefined>
  /** The view of `find`, rendered in parts; a `.jade` template is a single part. */
  findStreamed(view: string, format: ViewFormat): Promise<StreamedView | undefined>
  /** Whether `find` would return the view. */
  has(view: string, format: ViewFormat): boolean
  /** The names of all views of one format, sorted, for messages. */
  names(format: ViewFormat): readonly string[]
  /** The names of all views and partials in HTML, sorted. */
  fragmentNames(): readonly string[]
  /** The expected file of a missing view, for the error message. */
  expectedFile(view: string, format: ViewFormat): string
}

/** Loads templates by their file below `WEB-INF/`. */
export interface ViewLoader {
  load(): Promise<void>
  find(file: string): CompiledView | undefined | Promise<CompiledView | undefined>
  /** The module of a streamed page, loaded on first use. */
  findStreamed(file: string): Promise<StreamedView | undefined>
  files(): readonly string[]
  /** The views that are never loaded again: all in production, none in development. */
  loaded(): Iterable<readonly [file: string, view: CompiledView]>
}
