/** emit: writes the TypeScript module of a template. */
export type { CompileOptions, IncludedTemplate } from './emit/module-frame.ts'
export type { Segment } from './emit/code-writer.ts'
export { maximumStyles } from './emit/module-frame.ts'
export { inlineSourceMap, templateOffset } from './emit/source-map.ts'
export { compileParsed, compileTemplate } from './emit/template.ts'
export type { CompiledTemplate } from './emit/template.ts'
