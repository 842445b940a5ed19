/** The messages of the running application, for code without a request. */
import { FwError } from '../base.ts'
import { ApplicationScope } from '../config.ts'
import type { MessageCatalog } from './catalog.ts'

const catalogs = new Map<ApplicationScope, MessageCatalog>()

/** Registers the messages of an application. Returns a function that removes them. */
export function openMessages(scope: ApplicationScope, catalog: MessageCatalog): () => void {
  catalogs.set(scope, catalog)
  return () => void catalogs.delete(scope)
}

/** Returns the messages of the running application. @throws FwError `i18n.no-application` */
export function currentMessages(): MessageCatalog {
  const scope = ApplicationScope.current
  const catalog = scope === undefined ? [...catalogs.values()].at(-1) : catalogs.get(scope)
  if (catalog !== undefined) return catalog
  throw new FwError('i18n.no-application', 'No application runs: I18n.for reads its messages.')
}
