/** Determines whether the visitor sees a response as a whole page, and with it the flash messages that the page has read. */
import {
  evaluatePreconditions,
  parseHttpDate,
  type HttpRequest,
  type HttpResponse,
} from '../http.ts'

/** The members of `FwContext` that are used here: importing the class would be an import cycle. */
export interface ShownPage {
  readonly request: { readonly http: HttpRequest }
  readonly response: HttpResponse
}

const framed: ReadonlySet<string> = new Set(['document', 'iframe', 'frame', 'embed', 'object'])
const pageType = /^(?:text\/html|application\/xhtml\+xml)\b/i
/** A selector of Unpoly for a part of the page that includes the messages. */
const mainTarget = /(?:^|[\s,])(?:html|body|main|:main|:layer|\[up-main|#flash|\[up-flashes)/

/** The ids of elements that include the messages; Alpine sends ids. */
const isMainId = (id: string): boolean => id === 'main' || id === 'body' || id === 'flash'

/** Returns true if the response is a page that the browser shows as a whole. */
export function isShownPage({ request: { http }, response }: ShownPage): boolean {
  const { status, headers, body } = response
  if (body === undefined || http.method === 'HEAD' || (status >= 300 && status < 400)) return false
  if (!pageType.test(headers.get('content-type') ?? '')) return false
  if (headers.get('content-disposition')?.startsWith('attachment') === true) return false
  return isPageRequest(http) && !isUnchanged(http, response)
}

/**
 * Returns true if the client shows the response in place of the page. Fetch metadata distinguishes navigations from scripts. Clients
 * without it and scripts that replace pages, such as Turbo Drive, are found by their own headers.
 */
export function isPageRequest(http: HttpRequest): boolean {
  const destination = http.header('sec-fetch-dest')
  if (destination !== undefined && framed.has(destination)) return true
  if (http.header('sec-fetch-mode') === 'navigate' || replacesPage(http)) return true
  if (destination !== undefined) return false
  return (
    http.header('x-requested-with') === undefined &&
    http.header('hx-request') === undefined &&
    http.header('turbo-frame') === undefined &&
    http.header('x-up-version') === undefined &&
    http.header('x-alpine-request') === undefined
  )
}

function replacesPage(http: HttpRequest): boolean {
  if (http.header('hx-request') === 'true') return isPageForHtmx(http)
  if (http.header('x-turbo-request-id') !== undefined) {
    const isFrame = http.header('turbo-frame') !== undefined
    return !isFrame && http.header('accept')?.includes('text/html') === true
  }
  if (http.header('x-up-version') !== undefined) {
    const target = http.header('x-up-target')
    return target === undefined || mainTarget.test(target)
  }
  return http.header('x-alpine-target')?.split(' ').some(isMainId) === true
}

/**
 * Names the method of the page to Unpoly, which otherwise takes a page that has the address of the submitted form for the
 * response to that form: it would update neither the address nor the title after a redirect.
 */
export function nameMethodForUnpoly({ request: { http }, response }: ShownPage): void {
  if (http.method === 'GET' && http.header('x-up-version') !== undefined)
    response.headers.set('X-Up-Method', 'GET')
}

/** Returns true if htmx requests a whole page, by a boosted link or because its history has no copy of the page. */
export const isPageForHtmx = (http: HttpRequest): boolean =>
  http.header('hx-request-type') === 'full' ||
  http.header('hx-boosted') === 'true' ||
  http.header('hx-history-restore-request') === 'true'

/** Returns true if the client has the current version of the page, so that the response becomes a 304. */
export function isUnchanged(http: HttpRequest, { status, headers }: HttpResponse): boolean {
  if (http.method !== 'GET' && http.method !== 'HEAD') return false
  const isConditional =
    http.header('if-none-match') !== undefined || http.header('if-modified-since') !== undefined
  if (status !== 200 || !isConditional) return false
  const lastModified = headers.get('last-modified')
  const validators = {
    etag: headers.get('etag'),
    lastModified: lastModified === undefined ? undefined : parseHttpDate(lastModified),
  }
  return evaluatePreconditions(http, validators) === 304
}
