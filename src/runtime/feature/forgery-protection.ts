/** `forgeryProtection` and `XsrfCookie`: protect against forged requests by a token that only pages of the same site have. */
import {
  formFields,
  Halt,
  isFromOwnOrigin,
  isPageRequest,
  Registrations,
  registrationsOf,
  renderRepeatedForm,
  repeatableTarget,
  type Ctor,
  type FilterOptions,
  type FwContext,
} from '../action.ts'
import { HttpError } from '../base.ts'
import { isMultipart } from '../http.ts'
import { csrfHeader, csrfKey } from '../session.ts'
import { uploadedFields } from './file-upload-feature.ts'
import { useSession } from './session-access.ts'
import { filterTrait, type FilterTrait } from './trait.ts'

const xsrfCookie = 'XSRF-TOKEN'
/** The header in which Angular, axios and similar clients send the forgery token. */
const xsrfHeader = 'x-xsrf-token'

/**
 * True if the browser proves that a page of the same origin sent the request: scripts cannot set `Sec-Fetch-Site`. Without that
 * header, `Origin` proves it for htmx, whose header `HX-Request` a page of another origin can send only after a preflight.
 */
function isProvenSameOrigin({ request: { http } }: FwContext): boolean {
  const site = http.header('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  return http.header('hx-request') === 'true' && isFromOwnOrigin(http)
}

/** True if a page of the application sent the form, according to a browser whose headers are no proof against an attacker. */
function isOwnForm(ctx: FwContext): boolean {
  const { request } = ctx
  const { http } = request
  if (!request.isFormRead || request.parsedBody !== undefined || !isPageRequest(http)) return false
  if (ctx.errorFormat !== 'html') return false
  const site = http.header('sec-fetch-site')
  if (site !== undefined) return site === 'none'
  return isFromOwnOrigin(http, http.header('origin') ?? http.header('referer'))
}

/** True if the client does not show pages: its `Accept` does not name HTML. htmx, which sends the same one, shows them. */
function isProgram({ request: { http } }: FwContext): boolean {
  return http.header('accept')?.includes('html') !== true && http.header('hx-request') === undefined
}

const advice =
  'This request needs the forgery token of a session. Send the cookies of a page, and the text of its meta tag csrf-token in the header X-CSRF-Token.'
const cookieAdvice =
  'This request needs a forgery token: send the value of the cookie XSRF-TOKEN in the header X-XSRF-TOKEN.'

/** Returns the refusal of a request, with advice for the author of a program. */
function forgedRequest(ctx: FwContext, sendsCookie: boolean): HttpError {
  let message = 'The form is too old or came from another site: reload the page and try again.'
  if (isProgram(ctx)) {
    if (ctx.errorFormat === 'html') ctx.format = 'txt'
    message = sendsCookie ? cookieAdvice : advice
  }
  return new HttpError(403, 'feature.forged-request', message)
}

/** Refuses a request without a valid token. A form of the application comes back with its values and a new token. */
async function refuse(controller: object, ctx: FwContext): Promise<never> {
  const { http, isFormRead } = ctx.request
  if (isMultipart(http) && !isFormRead && !http.body.isEmpty)
    throw new HttpError(
      415,
      'http.content-type-invalid',
      'The form contains files, which cannot be read here: mix FileUploadFeature into the controller.',
    )
  const target = repeatableTarget(ctx.request)
  if (target !== undefined && isOwnForm(ctx)) {
    const fields = formFields(ctx)
    const form = { reason: 'tooOld', target, fields, fileFields: uploadedFields(ctx) } as const
    throw new Halt({ status: 422, body: await renderRepeatedForm(ctx, form) })
  }
  const sendsCookie = Registrations.has(controller.constructor, sendToken)
  // `sendToken` then has a token, so that a client whose first request is a POST can repeat it.
  if (sendsCookie && ctx.session.isNew) ctx.sessionScope.maskToken()
  ctx.sessionScope.ignore()
  throw forgedRequest(ctx, sendsCookie)
}

function checkToken(controller: object, ctx: FwContext): Promise<never> | undefined {
  const { request } = ctx
  if (request.isSafe || ctx.refusesSession || isProvenSameOrigin(ctx)) return undefined
  const token = ctx.sessionScope.forgeryToken
  if (token.verify(request.http.header(csrfHeader))) return undefined
  if (token.verify(request.http.header(xsrfHeader))) return undefined
  if (token.verify(ctx.params.get(csrfKey))) return undefined
  return refuse(controller, ctx)
}

/** Checks the forgery token, unless the controller already has this check, whose `only` and `except` then apply. */
function checkUnprotected(controller: object, ctx: FwContext): Promise<never> | undefined {
  const isChecked = Registrations.has(controller.constructor, checkToken)
  return isChecked ? undefined : checkToken(controller, ctx)
}

const scriptType = /^(?:text|application)\/(?:x-)?(?:java|ecma)script\b/i

/**
 * Rejects JavaScript for a page of another site. Browsers send cookies with the request of a script tag, so that page could
 * read the visitor's data. Old browsers send no `Sec-Fetch-Site`; there, `Cross-Origin-Resource-Policy` prevents this.
 */
function checkScript(_controller: object, { request, response }: FwContext): void {
  if (!request.isSafe) return
  const site = request.http.header('sec-fetch-site')
  if (site === undefined || site === 'same-origin' || site === 'none') return
  if (!scriptType.test(response.headers.get('content-type') ?? '')) return
  throw new HttpError(
    403,
    'feature.cross-origin-script',
    'This script is for pages of its own site.',
  )
}

/** Registers the steps that protect against forged requests; see `forgeryProtection`. @spec Authentication › 2 */
export function protectFromForgery(controllerClass: Ctor, options: FilterOptions = {}): void {
  useSession(controllerClass)
  const own = registrationsOf(controllerClass)
  own.add('token', checkToken, options)
  own.add('after', checkScript, options)
}

/**
 * Requires a forgery token in unsafe requests to the chosen routes: as parameter `csrf-token`, or as header `X-CSRF-Token`
 * (`X-XSRF-TOKEN` with `XsrfCookie`). No token is necessary if the browser's header `Sec-Fetch-Site` proves that a page of the
 * same origin sent the request. Without a valid token, a form of the application comes back with its values and status 422; every
 * other request gets 403. Pages of other sites cannot load scripts from these routes.
 * @spec Authentication › 2
 */
export const forgeryProtection = (options: FilterOptions = {}): FilterTrait =>
  filterTrait('forgeryProtection', (_own, controllerClass) =>
    protectFromForgery(controllerClass, options),
  )

/**
 * Sends the session's forgery token in the cookie `XSRF-TOKEN` with every response, for single-page clients. Their script
 * copies the token into the header `X-XSRF-TOKEN`. Only that header is compared with the session's token, so an attacker who
 * can only make the browser send cookies gains nothing.
 * If the controller has no forgery protection, for example an API controller, this trait adds the check to all of its routes.
 * @spec Authentication › 2
 */
export const XsrfCookie: FilterTrait = filterTrait('XsrfCookie', (own, controllerClass) => {
  useSession(controllerClass)
  own.add('token', checkUnprotected)
  own.add('after', sendToken)
})

function sendToken(_controller: object, ctx: FwContext): void {
  const token = ctx.sessionScope.maskToken()
  if (token === undefined || ctx.sessionScope.forgeryToken.verify(ctx.cookies.get(xsrfCookie)))
    return
  ctx.cookies.set(xsrfCookie, token, { httpOnly: false, sameSite: 'strict' })
}
