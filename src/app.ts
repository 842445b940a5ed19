/** app: life cycle, mount table, static files, assets, session initialiser. */
export type { Application } from './app/application.ts'
export {
  furtherNames,
  openApplicationDatabase,
  openFurtherDatabases,
  usesDatabase,
} from './app/application-database.ts'
export { generateKeys, generateSources } from './app/generated-sources.ts'
export { AssetsController } from './app/assets-controller.ts'
export type { AssetCompiler } from './app/assets-controller.ts'
export { FwLifeCycle } from './app/life-cycle.ts'
export { MethodOverride } from './app/method-override.ts'
export { ServletContext } from './app/servlet-context.ts'
export type { MountedController } from './app/servlet-context.ts'
export type { MountedRoute } from './app/mount-table.ts'
export { FwSessionInitializer } from './app/session-initializer.ts'
export type { SessionStoreMaker, SessionSurroundings } from './app/session-store-maker.ts'
export { applicationSettings } from './app/settings.ts'
export { startApplication } from './app/start-application.ts'
export type { ApplicationOptions } from './app/start-application.ts'
