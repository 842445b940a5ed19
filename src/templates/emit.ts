/** emit: writes the TypeScript module of a template. */
export { templateOffset } from './emit/code-writer.ts'
export type { CompileOptions, IncludedTemplate } from './emit/module-frame.ts'
export { registryModule } from './emit/registry.ts'
export { inlineSourceMap } from './emit/source-map.ts'
export { compileParsed, compileTemplate } from './emit/template.ts'
export type { CompiledTemplate } from './emit/template.ts'
