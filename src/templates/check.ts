/** check: type-checks an application's code and templates with one run of the TypeScript compiler. */
export { checkProject } from './check/check-project.ts'
export { formatDiagnostic, readFrame } from './check/diagnostics.ts'
export type { ViewDiagnostic } from './check/diagnostics.ts'
export { applyFixes } from './read.ts'
