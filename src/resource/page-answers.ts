/** What a browser gets of a resource: its views, and what happened, for the next page. */
import { FwError, type HttpError } from '../base.ts'
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
 * The text `<messageResourceName>.flash.<name>` of the messages, or what stands for it.
 */
export const flashText = (
  c: ResourceHost,
  { messageResourceName }: ResolvedOptions,
  name: string,
  otherwise: string,
): string => c.i18n.message(`${messageResourceName}.flash.${name}`) ?? otherwise

/** What happened, for the next page: such as `member.flash.created` of the messages, else `The member was created.` */
export function setCompletionFlash(
  c: ResourceHost,
  options: ResolvedOptions,
  done: 'created' | 'updated' | 'deleted',
): void {
  const text = flashText(c, options, done, `The ${options.resourceName} was ${done}.`)
  pagesOf(c).flash.set('notice', text)
}

/** The record's own page with what is in the way as its alert; where there is no such page, that is thrown. */
export async function showAgain(c: ResourceHost, conflict: HttpError): Promise<unknown> {
  c.response.status = conflict.status
  pagesOf(c).flash.now.set('alert', conflict.message)
  try {
    return await c.showResource()
  } catch (error) {
    throw error instanceof FwError && error.code === 'view.not-found' ? conflict : error
  }
}
