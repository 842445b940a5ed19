/** read: parses a template into nodes, and finds its nested blocks. */
export { analyzeBlocks } from './read/blocks.ts'
export type { Code } from './read/nodes.ts'
export { blanksStart, trimControlLines } from './read/control-lines.ts'
export type { Blocks, BlockStep, Step } from './read/blocks.ts'
export type {
  CodeNode,
  DirectiveNode,
  ImportNode,
  IncludeNode,
  OutputNode,
  PrintingNode,
  TemplateNode,
  TextNode,
  ValueNode,
} from './read/nodes.ts'
export { parseTemplate } from './read/parser.ts'
export { importedNames, includedFile, scanNames } from './read/declaration.ts'
export { scanCode } from './read/code-scanner.ts'
export {
  applyFixes,
  type Edit,
  lineStarts,
  type Position,
  positionIn,
  type Problem,
  sourceFrame,
  TemplateError,
  TemplateSource,
} from './read/template-source.ts'
