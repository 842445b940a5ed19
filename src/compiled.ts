/**
 * `fwjs/compiled`: the functions and types that compiled templates and the generated types of messages import. It is not
 * part of the public interface, because it changes with the compiler.
 */
export type { MessageDate, MessageNumber, MessageText, MessageValue } from './runtime/i18n.ts'
export type { PageSetter, PageValues } from './runtime/view.ts'
export {
  addTemplateFrame,
  attributeName,
  attributeNamePart,
  documentText,
  escapeAmpersand,
  escapeAttribute,
  escapeComment,
  escapeText,
  escapeUnquoted,
  escapeXml,
  jsonValue,
  nonceAttribute,
  ownValues,
  plainText,
  SafeHtml,
  scriptRegExp,
  scriptString,
  scriptValue,
  sourceSet,
  sourceSetNumber,
  sourceSetPart,
  sourceSetRoot,
  sourceSetStart,
  styleString,
  styleUrl,
  styleValue,
  unescape,
  urlBase,
  urlComponent,
  urlPart,
  urlRoot,
  urlRootSegment,
  urlSegment,
  urlStart,
  urlTail,
  urlTailBase,
} from './runtime/view.ts'
