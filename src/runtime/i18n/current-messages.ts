/** The messages of the running application, for code without a request. */
import { FwError } from '../base.ts'
import { PerApplication, type ApplicationScope } from '../config.ts'
import type { MessageCatalog } from './catalog.ts'

const catalogs = new PerApplication<MessageCatalog>()

/** Registers the messages of an application. Returns a function that removes them. */
export const openMessages = (scope: ApplicationScope, catalog: MessageCatalog): (() => void) =>
  catalogs.open(scope, catalog)

/** Returns the messages of the running application. @throws FwError `i18n.no-application` */
export function currentMessages(): MessageCatalog {
  const catalog = catalogs.current
  if (catalog !== undefined) return catalog
  throw new FwError('i18n.no-application', 'No application runs: I18n.for reads its messages.')
}
