/** Creates the mail service of an application: its transport depends on the environment. */
import { join } from 'node:path'
import type { Services } from '../action.ts'
import type { Configuration } from '../config.ts'
import {
  checkMailPackage,
  FolderMailbox,
  MailService,
  MemoryMailbox,
  SmtpTransport,
  type MailSettings,
  type MailTransport,
  type MailUrls,
} from '../mail.ts'
import type { AnyUrlParams, Route, UrlQuery } from '../routing.ts'
import type { ApplicationSettings } from './settings.ts'

type FindUrl = (route: Route, params?: AnyUrlParams, query?: UrlQuery) => string

/** The origin of links in mails of development and test, where the setting `origin` has no value. */
const localOrigin = 'http://localhost:8080'

/** The folder of the mails that development keeps, and `fw run` shows at `/_fw/mail`. */
export const mailFolder = (root: string): string => join(root, 'tmp/mail')

/** @throws FwError `mail.package-missing` if `mail.url` is set, and the package that sends mails is not installed */
export function createMailService(
  root: string,
  { env }: Configuration,
  settings: ApplicationSettings,
  services: Pick<Services, 'views' | 'messages' | 'contextPath' | 'resolveAsset'>,
  path: FindUrl,
): MailService {
  const isLocal = env.isDevelopment() || env.isTest()
  const urls: MailUrls = {
    origin: settings.origin ?? (isLocal ? localOrigin : undefined),
    path,
    assetPath: (name) => `${services.contextPath}/assets/${services.resolveAsset(name).file}`,
  }
  const { views, messages } = services
  const mail = isLocal
    ? { ...settings.mail, from: settings.mail.from ?? 'from@localhost.test' }
    : settings.mail
  const transport = env.isTest()
    ? new MemoryMailbox()
    : env.isDevelopment()
      ? new FolderMailbox(mailFolder(root))
      : openSmtp(settings.mail)
  return new MailService({ settings: mail, views, messages, urls }, transport)
}

function openSmtp(settings: MailSettings): MailTransport | undefined {
  if (settings.url === undefined) return undefined
  checkMailPackage()
  return new SmtpTransport(settings.url, settings)
}
