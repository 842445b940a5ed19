/** Creates the services of requests as the settings of the application require. */
import { join } from 'node:path'
import { RecentWrites, type Services } from '../action.ts'
import type { Configuration } from '../config.ts'
import { Fw } from '../controller.ts'
import type { Database } from '../db.ts'
import { UploadDirectory } from '../http.ts'
import { MessageCatalog, reportMissing } from '../i18n.ts'
import { normalizePrefix } from '../routing.ts'
import { parseTrustedOrigins } from '../session.ts'
import type { LiveRoutes } from './mount-table.ts'
import { SecurityHeaders } from './security-headers.ts'
import type { ServletContext } from './servlet-context.ts'
import { hasSecureCookies, type ApplicationSettings } from './settings.ts'

/** Creates the services that depend only on settings and routes. */
export function createServices(
  { root, configuration, logger }: ServletContext,
  settings: ApplicationSettings,
  live: LiveRoutes,
  assetServer: string | undefined,
) {
  const { upload, compression } = settings
  const production = configuration.env.isProduction()
  const prefetches = { seen: settings.security.speculationRules === true }
  return {
    logger,
    secureCookies: hasSecureCookies(settings, configuration.env),
    prefetches,
    contextPath: normalizePrefix(settings.contextPath),
    limits: settings.limits,
    uploads: {
      directory: new UploadDirectory(upload.location),
      limits: {
        totalBytes: upload.maxRequestSize,
        fileBytes: upload.maxFileSize,
        files: upload.maxFiles,
        fields: upload.maxFields,
        parts: upload.maxParts,
        fieldBytes: upload.maxFieldSize,
        memoryBytes: upload.maxMemory,
        fileMemoryBytes: upload.fileSizeThreshold,
      },
    },
    compression: compression.enabled ? compression : undefined,
    messages: MessageCatalog.load(join(root, 'src/main/resources'), {
      ...settings.i18n,
      onMissing: configuration.env.isDevelopment() ? reportMissing(logger) : undefined,
    }),
    securityHeaders: new SecurityHeaders(settings.security, production, prefetches, {
      assetServer,
      redirectHosts: settings.redirect.allowedHosts,
      reportPath: policyReportPath(settings),
    }),
    trustedOrigins: parseTrustedOrigins(settings.csrf.trustedOrigins),
    redirectHosts: settings.redirect.allowedHosts,
    invalidStatus: settings.validation.status,
    apiPaths: settings.errors.apiPaths,
    findMountPath(route, here) {
      const paths = live.current.mountPaths.get(route) ?? []
      return paths.find((path) => path === here) ?? paths[0] ?? ''
    },
    createViewHelper: (ctx) => new Fw(ctx),
  } satisfies Partial<Services>
}

/** Creates the record of recent writes; undefined without a database, and for a database without replicas. */
export const createRecentWrites = (
  database: Database | undefined,
  { env }: Configuration,
  settings: ApplicationSettings,
): RecentWrites | undefined =>
  database?.replicas &&
  new RecentWrites(
    database.replicas.primaryAfterWrite,
    hasSecureCookies(settings, env),
    settings.session.cookiePath,
  )

/** Returns the path that receives reports about the policies; undefined if none does. */
export const policyReportPath = ({
  contextPath,
  security,
}: ApplicationSettings): string | undefined =>
  security.policyReportPath === 'off'
    ? undefined
    : normalizePrefix(contextPath) + security.policyReportPath
