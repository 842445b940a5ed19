/** read: parses a template into nodes, and finds its nested blocks. */
export { analyzeBlocks } from './read/blocks.ts'
export type { Code } from './read/nodes.ts'
export { trimControlLines } from './read/control-lines.ts'
export type { Blocks, Flow } from './read/blocks.ts'
export { includedFile } from './read/include-path.ts'
export type {
  DirectiveNode,
  ImportNode,
  IncludeNode,
  OutputNode,
  TemplateNode,
  TextNode,
  ValueNode,
} from './read/nodes.ts'
export { parseTemplate } from './read/parser.ts'
export { importedNames, scanNames } from './read/declaration.ts'
export {
  lineStarts,
  positionIn,
  sourceFrame,
  TemplateError,
  TemplateSource,
} from './read/template-source.ts'
