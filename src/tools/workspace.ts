/** workspace: templates that are compiled again when they change, and a running TypeScript that checks their modules. */
export { ProjectCheck } from './workspace/project-check.ts'
export { TemplateWorkspace, type TemplateState } from './workspace/template-workspace.ts'
export { type Encoding, TextLines } from './workspace/text-lines.ts'
export { Twin } from './workspace/twin.ts'
export {
  codeFile,
  type Draft,
  findTypeScript,
  TypeScriptServer,
  withWholeTypes,
} from './workspace/typescript-server.ts'
export { RequestError, requestErrors } from './workspace/rpc-client.ts'
