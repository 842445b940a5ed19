/** The interface of a view engine, which finds views by name. All engines share the same rendering. */
import type { Layouts, Mails } from './views.ts'

/** The format of a page: the extension before `.ssp` in the file name. */
export type ViewFormat = 'html' | 'json' | 'xml' | 'txt'

/** The members of the view helper `s` that generated templates use. `fw.Fw` implements this interface. */
export interface ViewHelper {
  /** The nonce of this response's Content-Security-Policy, created on first use; empty if the response has no policy. */
  readonly cspNonce: string
  /** Permits the style attributes with these hashes in the response's policy. */
  allowStyles?(hashes: string): void
}

/** A value that a template declares by `<%@val%>`. It is checked at run time. */
export interface DeclaredValue {
  readonly name: string
  /** The TypeScript type, as written in the template. */
  readonly type: string
  /** True when the value has a default. */
  readonly optional: boolean
}

/** The values that a page sets for its layout with `set(name, value)` or `#set (name)`. */
export type PageValues = Record<string, unknown>

type KeysOf<L> = L extends unknown ? keyof L & string : never
type ValueOf<L, N extends string> = L extends unknown ? (N extends keyof L ? L[N] : never) : never

/** The names that at least one layout declares. Any string is accepted while no layout is known. */
type Settable<L> = [keyof L] extends [never]
  ? string
  : Exclude<KeysOf<L[keyof L]>, 'body'> | 'layout'

type Value<L, N extends string> = [keyof L] extends [never]
  ? unknown
  : N extends 'layout'
    ? (keyof L & string) | '' | false
    : ValueOf<L[keyof L], N>

/** The function `set` of templates. The compiler checks name and value against the layouts' declarations. */
export type PageSetter<L = Layouts> = <N extends Settable<L>>(name: N, value: Value<L, N>) => void

/** The function `set` of templates of mails. */
export type MailSetter = PageSetter<MailLayouts>

type MailLayouts = {
  [Name in keyof Mails as Name extends `layouts/${infer Layout}` ? Layout : never]: Mails[Name]
}

/** The metadata of a compiled template. */
export interface ViewMetadata {
  /** The path of the template below `WEB-INF/`, such as `views/members/index.html.ssp`. */
  readonly file: string
  /** A hash of the template's text and of the compiler's revision. */
  readonly version: string
  readonly declared: readonly DeclaredValue[]
  /** True when the template, or a partial that it includes, adds a nonce to an inline script or style. */
  readonly usesNonce: boolean
  /** The hashes of its style attributes, as sources of a Content-Security-Policy; undefined without any. */
  readonly styles?: string
  /** The other files from which the module was compiled; undefined without such files. */
  readonly dependencies?: readonly string[]
}

/** A compiled template. Its `render` does not check the values; `renderView` does. */
export interface CompiledView extends ViewMetadata {
  render(values: object, helper: ViewHelper, page: PageValues): string | Promise<string>
}

/** A page that is rendered in parts. Each part is rendered when the consumer requests it. */
export interface StreamedView extends ViewMetadata {
  render(values: object, helper: ViewHelper, page: PageValues): AsyncIterator<string, string>
}

/** Finds views and layouts. A method returns a promise only if the template is not loaded yet. */
export interface ViewEngine {
  /** Loads all views. In production it must be awaited before the first `find`; in development it loads no view. */
  load(): Promise<void>
  /** Returns a view; `undefined` if it does not exist. Never finds a name with a segment that begins with `_` or `.`. */
  find(
    view: string,
    format: ViewFormat,
  ): CompiledView | undefined | Promise<CompiledView | undefined>
  /** Returns a partial, or a view without its layout, in HTML; `undefined` if it does not exist. */
  findFragment(name: string): CompiledView | undefined | Promise<CompiledView | undefined>
  findLayout(layout: string): CompiledView | undefined | Promise<CompiledView | undefined>
  /** Returns a body of a mail; `undefined` if it does not exist. */
  findMail(
    mail: string,
    format: ViewFormat,
  ): CompiledView | undefined | Promise<CompiledView | undefined>
  /** Returns the layout of a body of mails; `undefined` if it does not exist. */
  findMailLayout(
    layout: string,
    format: ViewFormat,
  ): CompiledView | undefined | Promise<CompiledView | undefined>
  /** Returns a view that is rendered in parts. A `.jade` template has a single part. */
  findStreamed(view: string, format: ViewFormat): Promise<StreamedView | undefined>
  /** Returns true if `find` would return a view. */
  has(view: string, format: ViewFormat): boolean
  /** Returns the sorted names of all views of a format, for error messages. */
  names(format: ViewFormat): readonly string[]
  /** Returns the sorted names of all views and partials in HTML. */
  fragmentNames(): readonly string[]
  /** Returns the sorted names of all mails. */
  mailNames(): readonly string[]
  /** Returns the expected file of a missing view, for an error message. */
  expectedFile(view: string, format: ViewFormat): string
}

/** Loads templates by their file path below `WEB-INF/`. */
export interface ViewLoader {
  load(): Promise<void>
  find(file: string): CompiledView | undefined | Promise<CompiledView | undefined>
  /** Returns the module of a streamed page, which is loaded on first use. */
  findStreamed(file: string): Promise<StreamedView | undefined>
  files(): readonly string[]
  /** Returns the views that stay loaded for good: in production all views, in development none. */
  loaded(): Iterable<readonly [file: string, view: CompiledView]>
}
