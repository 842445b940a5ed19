/** Starts an application: configuration, database, messages, views, controllers; in that order, each failing loudly. */
import { join } from 'node:path'
import type { FaultDesk, FwContext, Services } from '../action.ts'
import { jsonLogger, LogSink, type Logger } from '../base.ts'
import {
  FwConfig,
  type FwEnv,
  loadConfiguration,
  readSettings,
  type Configuration,
} from '../config.ts'
import { Fw } from '../controller.ts'
import { migrate, usedDatabase, useDatabase, type Database } from '../db.ts'
import { MessageCatalog } from '../i18n.ts'
import { normalPrefix, urlFor } from '../routing.ts'
import { trustedOrigins, type SecretKeys, type SessionManager } from '../session.ts'
import { createViewEngine, type ViewEngine } from '../view.ts'
import type { Application } from './application.ts'
import { openSessions, secretKeys } from './application-sessions.ts'
import { AssetManifest } from './assets-manifest.ts'
import { uploadsOf } from './body-settings.ts'
import { contextOf, dispatcher, type Dispatch } from './dispatch.ts'
import type { FwLifeCycle } from './life-cycle.ts'
import { LiveRoutes } from './live-routes.ts'
import { Openings } from './openings.ts'
import {
  openApplicationDatabase,
  openFurtherDatabases,
  usesDatabase,
} from './application-database.ts'
import { SecurityHeaders } from './security-headers.ts'
import { ServletContext } from './servlet-context.ts'
import { applicationSettings, type ApplicationSettings } from './settings.ts'
import { StaticFiles } from './static-files.ts'

/** What a start may be told; everything but the root has a default. */
export interface ApplicationOptions {
  /** The folder of the application's package.json. */
  readonly root: string
  readonly configuration?: Configuration
  readonly logger?: Logger
  /** An open database to be the default one, which stays open when the application ends; false for none at all, when no request will be sent. */
  readonly database?: Database | false
  /** Applies pending migrations before the life cycle begins; for development. */
  readonly migrate?: boolean
  /** Keeps in `tmp/errors` what a test needs to send a failed request again; in development only. */
  readonly keepFaults?: boolean
  /** Stands for a missing `secretKeyBase`, but in production; at least 32 random bytes in base64. */
  readonly secret?: string
  /** Told of each request whose path and method can be read, before its route is taken up; it must not throw. */
  readonly onRequest?: (ctx: FwContext) => void
  /** Told of each fault as it was thrown; for tests. */
  readonly onFault?: (fault: unknown) => void
}

interface Surroundings {
  readonly root: string
  readonly configuration: Configuration
  readonly settings: ApplicationSettings
  readonly logger: Logger
  readonly views: ViewEngine
  readonly sessions: SessionManager
  readonly keys: SecretKeys
  readonly faults: FaultDesk | undefined
}

function servicesOf(around: Surroundings, live: LiveRoutes, contextPath: string): Services {
  const { configuration, settings, logger, root, views, sessions, keys, faults } = around
  const production = configuration.env.isProduction()
  const assets = AssetManifest.load(join(root, 'src/main/webapp'))
  return {
    logger,
    production,
    faults,
    contextPath,
    limits: settings.limits,
    uploads: uploadsOf(settings),
    compression: settings.compression.enabled ? settings.compression : undefined,
    views,
    messages: MessageCatalog.load(join(root, 'src/main/resources'), settings.i18n),
    sessions,
    keys,
    securityHeaders: new SecurityHeaders(settings.security, production),
    trustedOrigins: trustedOrigins(settings.csrf.trustedOrigins),
    redirectHosts: settings.redirect.allowedHosts,
    mountPathOf(route, here) {
      const paths = live.current.mountPaths.get(route) ?? []
      return paths.find((path) => path === here) ?? paths[0] ?? ''
    },
    assetOf: (name) => assets.find(name),
    viewHelper: (ctx: FwContext) => new Fw(ctx),
  }
}

function defaultLogger(): Logger {
  return jsonLogger(new LogSink(process.stdout).write)
}

/**
 * @throws FwError whatever makes a start senseless, saying what, where and how to mend it: `config.invalid`,
 *   `db.folder-locked`, `action.unknown-route-name`, `controller.route-invalid`, …
 * @spec General rules › 1
 */
export async function startApplication(
  lifeCycle: FwLifeCycle,
  options: ApplicationOptions,
): Promise<Application> {
  const { root } = options
  const configuration = options.configuration ?? loadConfiguration({ root })
  const openings = new Openings()
  try {
    openings.add(FwConfig.use(configuration))
    const settings = readSettings(configuration, applicationSettings)
    const logger = options.logger ?? defaultLogger()
    const views = createViewEngine({
      root,
      mode: configuration.env.isDevelopment() ? 'development' : 'production',
    })
    await views.load()
    const { database = usesDatabase(root, configuration) } = options
    const opened =
      database === true ? await openApplicationDatabase(root, configuration, logger) : undefined
    if (opened !== undefined) {
      openings.add(() => opened.close())
      useDatabase(opened)
      openings.add(() => usedDatabase('default') === opened && useDatabase(undefined))
    }
    const context = new ServletContext(root, configuration, logger)
    const contextPath = normalPrefix(settings.contextPath)
    if (database !== false) {
      const further = await openFurtherDatabases(root, configuration, logger)
      openings.add(() => further.close())
    }
    if (opened !== undefined && options.migrate === true)
      await migrate(opened, join(root, 'db/migration'))
    await lifeCycle.initFwApp(context)
    openings.add(() => lifeCycle.destroyFwApp(context))
    const live = new LiveRoutes(context.controllers, contextPath, logger)
    openings.add(() => live.stop())
    const keys = secretKeys(settings, configuration.env.isProduction(), options.secret)
    const sessions = await openSessions(context, settings, keys, database !== false)
    openings.add(() => sessions.close())
    const faults = await faultDesk(configuration.env, options)
    const services = servicesOf(
      { root, configuration, settings, logger, views, sessions, keys, faults },
      live,
      contextPath,
    )
    openings.add(() => services.uploads.directory.close())
    await services.uploads.directory.sweep()
    openings.add(sessions.startSweeping(settings.session.sweepInterval / 1000))
    const dispatch: Dispatch = {
      live,
      overridesMethod: context.overridesMethod,
      services,
      files: new StaticFiles(join(root, 'src/main/webapp'), settings.staticFiles),
      onRequest: options.onRequest,
    }
    const using = opened ?? given(database)
    return {
      handle: faults?.watch?.(dispatcher(dispatch)) ?? dispatcher(dispatch),
      root,
      contextOf: (request) => contextOf(dispatch, request),
      configuration,
      settings,
      logger,
      database: using,
      sessions,
      get routes() {
        return live.current.routes
      },
      messages: services.messages,
      url: (route, params, query) =>
        contextPath + services.mountPathOf(route, undefined) + urlFor(route, params, query),
      close: () => openings.close(),
    }
  } catch (error) {
    // Why the start failed is the one to tell.
    await openings.close().catch(() => {})
    throw error
  }
}

/** What tells developers of faults is loaded in development only. */
async function faultDesk(
  env: FwEnv,
  { root, keepFaults = false, onFault }: ApplicationOptions,
): Promise<FaultDesk | undefined> {
  if (onFault !== undefined)
    return { noted: (_ctx, fault) => onFault(fault), shown: () => undefined }
  if (!env.isDevelopment()) return undefined
  const { DevelopmentFaults } = await import('../dev.ts')
  return new DevelopmentFaults(root, keepFaults)
}

const given = (database: Database | boolean): Database | undefined =>
  typeof database === 'boolean' ? undefined : database
