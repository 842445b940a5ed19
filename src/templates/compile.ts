/** compile: compiles the templates of an application to modules, all at once or on demand. */
export { DevelopmentLoader } from './compile/development-loader.ts'
export {
  brokenModule,
  configModule,
  generateKeys,
  generateSources,
  generateViews,
  messagesModule,
  moduleText,
  registryModule,
} from './compile/generate-views.ts'
export { compilePug } from './compile/pug-template.ts'
export { resultOrError, TemplateSet } from './compile/template-set.ts'
