/** Starts an application. In order: configuration, views, databases, life cycle, routes, sessions. */
import { join } from 'node:path'
import { openKeys } from '../accounts.ts'
import { openPages, type ErrorReporter, type FwContext, type Services } from '../action.ts'
import { jsonLogger, LogSink, prettyLogger, withRequestIds, type Logger } from '../base.ts'
import {
  ApplicationScope,
  FwConfig,
  loadConfiguration,
  readSettings,
  type Configuration,
} from '../config.ts'
import {
  migrateNonEmpty,
  migrationFolder,
  registeredDatabase,
  useDatabase,
  type Database,
} from '../db.ts'
import type { Handler, HttpRequest, HttpResponse } from '../http.ts'
import { openMessages, type MessageCatalog } from '../i18n.ts'
import type { JobRunner } from '../jobs.ts'
import { openMailService } from '../mail.ts'
import {
  normalizePrefix,
  urlFor,
  type AnyUrlParams,
  type Route,
  type UrlQuery,
} from '../routing.ts'
import type { SessionManager, SessionStore } from '../session.ts'
import { startTelemetry, type Metrics } from '../telemetry.ts'
import { createViewEngine, logReplacedValues } from '../view.ts'
import {
  additionalDatabaseNames,
  checkMigrations,
  unregisterDatabase,
  openAdditionalDatabases,
  openApplicationDatabase,
  usesDatabase,
  waitForDatabases,
} from './application-database.ts'
import { importJobs, startJobs, type JobsOfProcess } from './application-jobs.ts'
import { createMailService } from './application-mail.ts'
import { createRecentWrites, createServices, policyReportPath } from './application-services.ts'
import { createSecretKeys, openSessions } from './application-sessions.ts'
import { assetsOnServer, loadManifest } from './assets-manifest.ts'
import { closeOnFailure, type Closers } from './closers.ts'
import type { DispatchParts } from './dispatch-parts.ts'
import { createContext, createHandler } from './dispatch.ts'
import { responseFinisher } from './finish-response.ts'
import { mountDeviceSessions } from './device-sessions.ts'
import { Health, readinessChecks } from './health.ts'
import { LiveRoutes, type MountedRoute } from './mount-table.ts'
import { frameworkVersion, readManifest } from './manifest.ts'
import { OverloadPages } from './overload-pages.ts'
import { withPolicyReports } from './policy-reports.ts'
import { neutralRequest } from './neutral-request.ts'
import { ServletContext, type FwLifeCycle } from './servlet-context.ts'
import { applicationSettings, findRiskySettings, type ApplicationSettings } from './settings.ts'
import { StaticFiles } from './static-files.ts'

/** The options of `startApplication`; only `root` is required. */
export interface ApplicationOptions {
  /** The folder that contains the application's package.json. */
  readonly root: string
  readonly configuration?: Configuration
  readonly logger?: Logger
  /**
   * An open default database, which the application does not close; false for none. `on-demand` is for tools that handle no
   * requests: the databases are opened at the first query, for example in `initFwApp`.
   */
  readonly database?: Database | false | 'on-demand'
  /** True applies pending migrations before `initFwApp`; for development. */
  readonly migrate?: boolean
  /** Ends the wait for databases that the setting `health.waitForDatabase` enables; the start then rejects. */
  readonly signal?: AbortSignal
  /** The key that replaces a missing `secretKeyBase`, except in production; at least 32 random bytes in base64. */
  readonly secret?: string
  /**
   * The origin of Vite's development server. `assetTags` refers to it, and the `Content-Security-Policy` permits it.
   * @default the files that Vite built
   */
  readonly assetServer?: string | undefined
  /** The number of processes of this machine that serve the application and share the memory of the container; default 1. */
  readonly processes?: number
  /** Called for each request with a valid path and method, before its route is looked up. It must not throw. */
  readonly onRequest?: (ctx: FwContext) => void
  /** Runs the jobs of the application. By default, the setting `jobs.run` decides; false: never. */
  readonly jobs?: JobsOfProcess | false | undefined
  /** Receives each failed request: `fw run` renders and records it, and tests throw its error again. */
  readonly errorReporter?: ErrorReporter | undefined
}

/** A started application. */
export interface Application {
  /** Responds to a request; servers and tests call it. */
  readonly handle: Handler
  readonly configuration: Configuration
  readonly settings: ApplicationSettings
  readonly logger: Logger
  /** The default database; undefined if the application has none. */
  readonly database: Database | undefined
  readonly sessions: SessionManager
  /** Responds to health probes; servers call it before their other checks. */
  readonly health: Health
  /** Completes a response that a server or a tool creates without the handler, such as that of a health probe. */
  readonly finish: (response: HttpResponse) => HttpResponse
  readonly root: string
  /** The number of processes that serve the application. */
  readonly processes: number
  /** Returns the 503 for a request that the server refuses under overload; undefined until its page has been rendered. */
  readonly refuse: (request: HttpRequest) => HttpResponse | undefined
  /** Creates the context of a request without running the filters of its route, for tools that inspect an application. */
  createContext(request: HttpRequest): FwContext
  /** The current routes, grouped by controller, in order of precedence. */
  readonly routes: readonly MountedRoute[]
  /** The metrics; undefined if the setting `metrics.enabled` is false. */
  readonly metrics: Metrics | undefined
  /** Runs the jobs of the application in this process; undefined if it does not, or if no jobs are defined. */
  readonly jobs: JobRunner | undefined
  readonly messages: MessageCatalog
  /** Returns the path of a route, by the first mount path of its controller. @throws FwError `routing.*` */
  readonly url: (route: Route, params?: AnyUrlParams, query?: UrlQuery) => string
  /** Closes the resources of the application; a second call does nothing more. Stop sending requests first. */
  close(): Promise<void>
}

/**
 * @throws FwError for every error that can be detected before the first request: `config.invalid`, `db.folder-locked`,
 * `action.unknown-route-name`, `controller.route-invalid`, …
 * @spec General rules › 1
 */
export const startApplication = (
  lifeCycle: FwLifeCycle,
  options: ApplicationOptions,
): Promise<Application> => closeOnFailure((closers) => start(lifeCycle, options, closers))

async function start(
  lifeCycle: FwLifeCycle,
  options: ApplicationOptions,
  closers: Closers,
): Promise<Application> {
  const { root, errorReporter } = options
  const configuration = options.configuration ?? loadConfiguration({ root })
  closers.add(FwConfig.use(configuration))
  const scope = new ApplicationScope(configuration)
  closers.add(scope.open())
  const settings = readSettings(configuration, applicationSettings)
  const own = lifeCycle.createLogger?.(configuration) ?? options.logger
  const logger = withRequestIds(own ?? createLogger(settings, new LogSink(process.stdout).write))
  for (const risk of findRiskySettings(settings)) logger.warn({}, risk)
  const mode = configuration.env.isDevelopment() ? 'development' : 'production'
  const views = createViewEngine({ root, mode })
  await views.load()
  if (mode === 'development') closers.add(logReplacedValues(root, logger))
  const context = new ServletContext(root, configuration, logger)
  const { database, opened } = await openDatabases(context, options, closers)
  const databases = databasesByName(configuration, database)
  scope.databases = opened
  if (settings.health.waitForDatabase) await waitForDatabases(databases, logger, options.signal)
  if (database !== undefined && options.database === undefined && options.migrate !== true)
    await checkMigrations(context, databases)
  const inScope = <T>(work: () => T): T =>
    opened.size > 0 ? scope.run(work) : scope.enter(work, undefined)
  await inScope(() => lifeCycle.initFwApp(context))
  closers.add(() => inScope(() => lifeCycle.destroyFwApp(context)))
  if (settings.session.deviceBound) mountDeviceSessions(context, settings.session.cookiePath)
  const live = new LiveRoutes(context.controllers, normalizePrefix(settings.contextPath))
  closers.add(() => live.stop())
  const keys = createSecretKeys(configuration, settings, options.secret)
  closers.add(openKeys(scope, keys))
  const sessions = await inScope(() => openSessions(context, settings, keys))
  closers.add(() => sessions.close())
  // Without a database no request uses the store, so the store is not checked.
  if (options.database !== false && options.database !== 'on-demand')
    await inScope(() => sessions.store.check?.())
  const webapp = join(root, 'src/main/webapp')
  const { assetServer } = options
  const assets =
    assetServer === undefined ? loadManifest(webapp) : assetsOnServer(webapp, assetServer)
  const services: Services = {
    ...createServices(context, settings, live, assetServer),
    resolveAsset: assets.find,
    recentWrites: createRecentWrites(database, configuration, settings),
    views,
    sessions,
    keys,
    errorReporter,
    controllers: lifeCycle.controllers,
  }
  const url: Application['url'] = (route, params, query) =>
    services.contextPath + services.findMountPath(route) + urlFor(route, params, query)
  const mail = createMailService(root, configuration, settings, services, url)
  closers.add(openMailService(scope, mail))
  closers.add(openMessages(scope, services.messages))
  const runsJobs = database !== undefined && (options.jobs ?? (settings.jobs.run ? {} : false))
  if (runsJobs !== false) await inScope(() => importJobs(root))
  const { name: application = '', version = '' } = readManifest(root)
  const build = { fwjs: frameworkVersion(), application, version }
  const telemetry = await startTelemetry({ settings, configuration, services, build })
  closers.add(() => telemetry.stop())
  closers.add(() => services.uploads.directory.close())
  await services.uploads.directory.sweep()
  const sweepSeconds = settings.session.sweepInterval / 1000
  closers.add(inScope(() => sessions.startSweeping(sweepSeconds)))
  const parts: DispatchParts = {
    live,
    overridesMethod: context.overridesMethod,
    services,
    files: new StaticFiles(webapp, settings.staticFiles, assets.hashed),
    onRequest: options.onRequest,
  }
  const handler = createHandler(parts)
  closers.add(
    openPages(scope, (locale) => createContext(parts, neutralRequest(settings.origin, locale))),
  )
  const jobs =
    database === undefined || runsJobs === false
      ? undefined
      : await inScope(() => startJobs({ database, logger, settings, enter: inScope }, runsJobs))
  closers.add(() => jobs?.close())
  const overloadPages = new OverloadPages(parts, inScope)
  const handleRoutes: Handler = (http) => scope.enter(handler, http)
  const reportPath = policyReportPath(settings)
  const finish = responseFinisher(services)
  const handle =
    reportPath === undefined
      ? handleRoutes
      : withPolicyReports(handleRoutes, reportPath, { logger, live, finish })
  return {
    handle: errorReporter?.wrap?.(handle) ?? handle,
    root,
    processes: options.processes ?? 1,
    configuration,
    settings,
    logger,
    database,
    sessions,
    finish,
    health: createHealth(context, settings, live, { databases, store: sessions.store, jobs }),
    metrics: telemetry.metrics,
    jobs,
    messages: services.messages,
    get routes() {
      return live.current.routes
    },
    refuse: overloadPages.find,
    createContext: (request) => createContext(parts, request),
    url,
    close: () => closers.close(),
  }
}

/** Opens the databases that the options do not contain. `opened` are those that only this application uses. */
async function openDatabases(
  context: ServletContext,
  options: ApplicationOptions,
  closers: Closers,
): Promise<{ database: Database | undefined; opened: ReadonlyMap<string, Database> }> {
  const { root } = context
  const opened = new Map<string, Database>()
  const onDemand = options.database === 'on-demand'
  let database = onDemand ? undefined : options.database
  if (database === undefined && usesDatabase(root, context.configuration)) {
    const own = await openApplicationDatabase(context, onDemand)
    closers.add(() => own.close())
    useDatabase(own)
    opened.set('default', own)
    closers.add(() => unregisterDatabase(own, 'default'))
    database = own
  }
  if (!database) return { database: undefined, opened }
  const additional = await openAdditionalDatabases(context, onDemand)
  closers.add(() => additional.close())
  for (const name of additional.names) opened.set(name, registeredDatabase(name)!)
  if (options.migrate === true)
    for (const [name, each] of opened)
      for (const { file } of await migrateNonEmpty(each, migrationFolder(root, name)))
        context.logger.info({}, `applied ${file}`)
  return { database, opened }
}

/** Creates the logger that the settings `log.level` and `log.format` describe. */
export function createLogger(
  { log: { level, format } }: Pick<ApplicationSettings, 'log'>,
  write: (line: string) => void,
): Logger {
  return format === 'pretty' ? prettyLogger(write, { level }) : jsonLogger(write, level)
}

function databasesByName(
  configuration: Configuration,
  database: Database | undefined,
): ReadonlyMap<string, Database> {
  const databases = new Map<string, Database>()
  if (database !== undefined) databases.set('default', database)
  for (const name of additionalDatabaseNames(configuration)) {
    const additional = registeredDatabase(name)
    if (additional !== undefined) databases.set(name, additional)
  }
  return databases
}

/** Creates the health probes and their checks. A probe path is disabled if a route of the application has the same path. */
function createHealth(
  { root, logger, healthChecks }: ServletContext,
  { health }: ApplicationSettings,
  live: LiveRoutes,
  opened: {
    readonly databases: ReadonlyMap<string, Database>
    readonly store: SessionStore
    readonly jobs: JobRunner | undefined
  },
): Health {
  const probePath = (path: string): string | undefined =>
    path === 'off' || live.current.routes.some((route) => route.path === path) ? undefined : path
  const { databases, store, jobs } = opened
  const checks = readinessChecks(databases, store, health.migrations ? root : undefined)
  if (jobs !== undefined) checks.set('jobs', jobs.check)
  const { livePath, readyPath, timeout, interval } = health
  const paths = { livePath: probePath(livePath), readyPath: probePath(readyPath) }
  return new Health({ ...paths, timeout, interval }, new Map([...checks, ...healthChecks]), logger)
}
