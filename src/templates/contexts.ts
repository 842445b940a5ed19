/** contexts: finds the context (HTML, script, style or URL) of each expression, with parse5, acorn and css-tree. */
export { attributeKind, scriptKind } from './contexts/attribute-kinds.ts'
export type { AttributeKind } from './contexts/attribute-kinds.ts'
export { JsonText } from './contexts/json-contexts.ts'
export { MarkerError, Markers } from './contexts/markers.ts'
export { Page } from './contexts/page.ts'
export { PageError } from './contexts/page-listener.ts'
export type { PageListener } from './contexts/page-listener.ts'
export { joinUrlEscapers } from './contexts/url-contexts.ts'
