/** What a browser gets of a resource: its views, and what happened, for the next page. */
import type { FwController } from '../controller.ts'
import type { ResourceHost } from './resource-actions.ts'
import type { ResolvedOptions } from './resource-options.ts'

// Only a resource with pages gets here, and its base is a controller with pages.
const pagesOf = (c: ResourceHost): FwController => c as unknown as FwController

/** The view of that name among the resource's own. */
export function renderOwn(c: ResourceHost, options: ResolvedOptions, view: string): unknown {
  const folders = options.resourcesBasePathPrefix.replace(/\/:\w+/g, '')
  return pagesOf(c).render(`${folders}/${options.resourcesName}/${view}` as never)
}

/**
 * What happened, for the next page: `<messageResourceName>.flash.created` of the messages, else `The member was created.`
 */
export function setCompletionFlash(
  c: ResourceHost,
  { resourceName, messageResourceName }: ResolvedOptions,
  done: 'created' | 'updated' | 'deleted',
): void {
  const text = c.i18n.message(`${messageResourceName}.flash.${done}`)
  pagesOf(c).flash.set('notice', text ?? `The ${resourceName} was ${done}.`)
}
