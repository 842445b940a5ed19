/** view: renders compiled templates with their layouts, streams pages, and escapes values. */

// `export *` is necessary: an application's `declare module 'fwjs/view'` merges only with names that are re-exported in
// this way.
export * from './view/views.ts'

export { SafeHtml, unescape } from './view/safe-html.ts'
export { logReplacedValues } from './view/replaced-values.ts'
export { SafeUrl } from './view/printable.ts'
export type { Printable } from './view/printable.ts'
export { safeUrl } from './view/safe-url.ts'

export type {
  CompiledView,
  DeclaredValue,
  MailSetter,
  PageSetter,
  PageValues,
  StreamedView,
  ViewEngine,
  ViewFormat,
  ViewHelper,
  ViewLoader,
} from './view/engine.ts'
export { createViewEngine, registerDevelopmentLoader } from './view/view-engine.ts'
export {
  hasPartial,
  renderFragment,
  renderLayout,
  renderView,
  viewChannel,
} from './view/render-view.ts'
export type { FragmentName, RenderRequest, ViewEvent } from './view/render-view.ts'
export { renderMail } from './view/render-mail.ts'
export type { MailBodies, MailRequest } from './view/render-mail.ts'
export { streamView } from './view/stream-view.ts'
export type { StreamedPage } from './view/stream-view.ts'
export { closestNames } from './view/missing-view.ts'
export { addTemplateFrame, inlineMapPrefix, mapTemplateError } from './view/map-template-error.ts'
export { defaultModules, projectPaths } from './view/project.ts'
export type { ProjectPaths, TemplateModules, ViewProject } from './view/project.ts'
export {
  readText,
  removeOthers,
  templateEndings,
  templateFolders,
  templatesOf,
  versionOf,
  writeIfChanged,
} from './view/template-files.ts'
export { isJade, streamedFile, templateName } from './view/template-name.ts'
export type { TemplateName } from './view/template-name.ts'

// The exports that generated modules import.
export {
  attributeName,
  attributeNamePart,
  booleanAttribute,
  documentText,
  escapeAmpersand,
  escapeAttribute,
  escapeComment,
  escapeText,
  escapeUnquoted,
  escapeXml,
  nonceAttribute,
  optionalAttribute,
} from './view/escape-html.ts'
export {
  sourceSet,
  sourceSetNumber,
  sourceSetPart,
  sourceSetRoot,
  sourceSetStart,
  urlBase,
  urlComponent,
  urlPart,
  urlRoot,
  urlRootSegment,
  urlSegment,
  urlStart,
  urlTail,
  urlTailBase,
} from './view/escape-url.ts'
export { jsonValue, scriptRegExp, scriptString, scriptValue } from './view/escape-script.ts'
export {
  styleDeclarations,
  stylePart,
  styleString,
  styleUrl,
  styleValue,
} from './view/escape-style.ts'
export { plainText } from './view/printable.ts'
export { ownValues } from './view/value-check.ts'
