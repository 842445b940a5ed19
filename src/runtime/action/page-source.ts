/** The contexts in which the running application renders pages that no visitor has requested. */
import { FwError } from '../base.ts'
import { PerApplication, type ApplicationScope } from '../config.ts'
import type { FwContext } from './context.ts'

/** Creates the context of a visitor without a session, who reads the language `locale`, or by default that of the configuration. */
type CreateContext = (locale: string | undefined) => FwContext

const sources = new PerApplication<CreateContext>()

/** Lets `FwView.render` render the views of an application. Returns a function that ends this. */
export const openPages = (scope: ApplicationScope, createContext: CreateContext): (() => void) =>
  sources.open(scope, createContext)

/** Creates a context of the running application. @throws FwError `view.no-application` */
export function createPageContext(locale: string | undefined): FwContext {
  const create = sources.current
  if (create !== undefined) return create(locale)
  throw new FwError('view.no-application', 'No application runs: FwView.render renders its views.')
}
