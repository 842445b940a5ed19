/** The public interface `fwjs/view`: templates without a controller, and the types of an application's views. */
import { registerDevelopmentLoader } from './runtime/view.ts'

// `export *`, because `declare module 'fwjs/view'` of an application only merges with names that are exported so.
export * from './runtime/view/views.ts'
export { createViewEngine, renderView, SafeHtml, streamView, unescape } from './runtime/view.ts'
export type { Printable, ViewEngine } from './runtime/view.ts'

// Development compiles templates on demand; production never calls this, and so never loads the compiler.
registerDevelopmentLoader(async (paths) => {
  const { DevelopmentLoader } = await import('./templates/compile.ts')
  return new DevelopmentLoader(paths)
})
