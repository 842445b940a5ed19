/** What the compiler must be told besides the template itself. */
import type { TemplateModules } from './project.ts'

/** What a template needs to know of another that it includes. */
export interface IncludedTemplate {
  readonly isAsync: boolean
  readonly usesNonce: boolean
}

/** How a template is compiled; all of it may be left out. */
export interface CompileOptions {
  readonly modules?: Partial<TemplateModules>
  /** The path of `WEB-INF` relative to the folder of generated modules, for relative imports in templates. */
  readonly webInf?: string
  /** Answers for an included file, below `WEB-INF/`; without it no partial is asynchronous or uses a nonce. */
  readonly included?: (file: string) => IncludedTemplate
  /** The specifier by which the module of an included file is imported; relative, ending in `.ts`, by default. */
  readonly specifier?: (file: string) => string | undefined
  /** The module's `render` gives the page in parts, as an asynchronous generator; its partials are the ordinary ones. */
  readonly inParts?: boolean
}
