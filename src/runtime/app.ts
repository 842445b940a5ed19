/** app: starts an application and its servers, mounts its controllers, dispatches requests, and serves public files and assets. */
export type { AppOptions, Mountable } from './app/create-app.ts'
export { App, applicationProbe, createApp, FwServer } from './app/create-app.ts'
export {
  additionalDatabaseNames,
  openAdditionalDatabases,
  openApplicationDatabase,
  openEmbeddedAhead,
  usesDatabase,
} from './app/application-database.ts'
export { importJobs, type JobsOfProcess } from './app/application-jobs.ts'
export { mailFolder } from './app/application-mail.ts'
export { AssetsController } from './app/assets-controller.ts'
export { finishResponse, responseFinisher } from './app/finish-response.ts'
export { Health } from './app/health.ts'
export type { MountedRoute } from './app/mount-table.ts'
export {
  FwLifeCycle,
  FwSessionInitializer,
  MethodOverride,
  ServletContext,
  type SessionStoreFactory,
} from './app/servlet-context.ts'
export {
  applicationSettings,
  findRiskySettings,
  hasSecureCookies,
  type ApplicationSettings,
} from './app/settings.ts'
export { policyDirectives } from './app/content-security-policy.ts'
export { SecurityHeaders } from './app/security-headers.ts'
export {
  type Application,
  type ApplicationOptions,
  createLogger,
  startApplication,
} from './app/start-application.ts'
export { StartingServer } from './app/starting-server.ts'
