/** view: .ssp pages, layouts and partials to HTML; .jade through pug. */

// `export *`, because `declare module 'fwjs/view'` of an application only merges with names that come so.
export * from './view/views.ts'

export { SafeHtml, unescape } from './view/safe-html.ts'
export type { Printable, TemporalValue } from './view/printable.ts'

export type {
  CompiledView,
  DeclaredValue,
  PageValues,
  StreamedView,
  ViewEngine,
  ViewFacts,
  ViewFormat,
  ViewHelper,
} from './view/engine.ts'
export { createViewEngine } from './view/view-engine.ts'
export type { ViewEngineOptions } from './view/view-engine.ts'
export { renderView } from './view/render-view.ts'
export type { RenderRequest } from './view/render-view.ts'
export { streamView } from './view/stream-view.ts'
export type { StreamedPage } from './view/stream-view.ts'
export { mapTemplateError } from './view/map-template-error.ts'
export type { TemplatePosition } from './view/map-template-error.ts'
export type { TemplateModules, ViewProject } from './view/project.ts'

export { compileTemplate } from './view/template.ts'
export type { CompiledTemplate } from './view/template.ts'
export type { CompileOptions, IncludedTemplate } from './view/compile-options.ts'
export { TemplateError } from './view/template-source.ts'
export { templateFault } from './view/template-fault.ts'
export type { TemplateFault } from './view/template-fault.ts'
export { generateViews } from './view/generate-views.ts'
export { writeIfChanged } from './view/template-files.ts'
export type { GeneratedViews } from './view/generate-views.ts'
export { checkProject } from './view/check-project.ts'
export type { CheckOptions, CheckResult } from './view/check-project.ts'
export { formatDiagnostic } from './view/diagnostics.ts'
export type { ViewDiagnostic } from './view/diagnostics.ts'

// What generated modules import.
export { atTemplateLine } from './view/template-line.ts'
export {
  attributeName,
  attributeNamePart,
  documentText,
  escapeAmpersand,
  escapeAttribute,
  escapeComment,
  escapeText,
  escapeUnquoted,
  escapeXml,
  nonceAttribute,
} from './view/escape-html.ts'
export {
  sourceSet,
  sourceSetNumber,
  sourceSetPart,
  sourceSetStart,
  urlComponent,
  urlPart,
  urlRoot,
  urlStart,
  urlTail,
} from './view/escape-url.ts'
export { jsonValue, scriptRegExp, scriptString, scriptValue } from './view/escape-script.ts'
export { styleString, styleUrl, styleValue } from './view/escape-style.ts'
export { plain } from './view/printable.ts'
