/** compile: compiles the templates of an application to modules, all at once or on demand. */
export { DevelopmentLoader } from './compile/development-loader.ts'
export { generateKeys, generateSources, generateViews } from './compile/generate-views.ts'
