/** check: type-checks an application's code and templates with one run of the TypeScript compiler. */
export {
  checkProject,
  describeReport,
  listProjectFiles,
  type ProjectReport,
  reportProject,
} from './check/check-project.ts'
export {
  explainError,
  formatDiagnostic,
  ignoredInTemplates,
  readFrame,
} from './check/diagnostics.ts'
export type { ReportedError, ViewDiagnostic } from './check/diagnostics.ts'
export { policyWarnings } from './check/policy-warnings.ts'
export { applyFixes } from './read.ts'
