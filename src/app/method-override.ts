/** Lets a plain HTML form update and delete: the query parameter `_method` of a POST. */
import type { FwRequest } from '../action.ts'
import type { ServletContext } from './servlet-context.ts'

const offered: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE'])

/**
 * `<form method="post" action="/members/1?_method=delete">` is a DELETE for every route of the application that mounts
 * it: `new MethodOverride().mount(ctx)`. Only POST is overridden, only by PUT, PATCH and DELETE, only in the query.
 */
export class MethodOverride {
  /** For the whole application, wherever in `initFwApp` it stands. */
  mount(ctx: ServletContext, _path?: '/*'): void {
    ctx.useMethodOverride()
  }
}

/** The method that the request means. @throws HttpError 400 `http.query-invalid` */
export function meantMethod(request: FwRequest): string {
  if (request.method !== 'POST' || !request.queryString.includes('_method=')) return request.method
  const wanted = request.query.get('_method')?.[0]?.toUpperCase()
  return wanted !== undefined && offered.has(wanted) ? wanted : request.method
}
