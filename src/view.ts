/** The public interface `fwjs/view`: rendering of templates without a controller, and the types of an application's views. */
import { registerDevelopmentLoader } from './runtime/view.ts'

// Keep `export *`: an application's `declare module 'fwjs/view'` merges only with names that are exported in this way.
export * from './runtime/view/views.ts'
export {
  createViewEngine,
  renderView,
  SafeHtml,
  safeUrl,
  streamView,
  unescape,
} from './runtime/view.ts'
export type { Printable, ViewEngine } from './runtime/view.ts'

// In development, this function compiles templates on demand. Production never calls it, so it never loads the compiler.
registerDevelopmentLoader(async (paths) => {
  const { DevelopmentLoader } = await import('./templates/compile.ts')
  return new DevelopmentLoader(paths)
})
