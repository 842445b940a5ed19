/** app: life cycle, mount table, static files, assets, session initialiser. */
export type { Application } from './app/application.ts'
export { openApplicationDatabase } from './app/application-database.ts'
export { FwLifeCycle } from './app/life-cycle.ts'
export { ServletContext } from './app/servlet-context.ts'
export type { MountedController } from './app/servlet-context.ts'
export type { MountedRoute } from './app/mount-table.ts'
export { startApplication } from './app/start-application.ts'
export type { ApplicationOptions } from './app/start-application.ts'
