/** `LoginRedirects`: leads visitors to the login and back to what they requested, without losing a form. */
import {
  formFields,
  Halt,
  isCrossSite,
  isFromOwnOrigin,
  isPageRequest,
  recordRedirect,
  redirectLocation,
  renderRepeatedForm,
  renderRepeatedFormAlone,
  renderSameSiteForm,
  repeatableTarget,
  type ControllerClass,
  type Ctor,
  type FormFields,
  type FwContext,
} from '../action.ts'
import type { ActionResult } from '../http.ts'
import type { SafeHtml } from '../view.ts'
import { uploadedFields } from './file-upload-feature.ts'
import { useSession } from './session-access.ts'

const attribute = 'return-to'
/** The time in milliseconds for which a pending request is stored. */
const maxAge = 30 * 60 * 1000
/** The maximum length of the sealed request. A session value has at most 64 KiB, a session in a cookie 3.9 KB. */
const maxLength = 48 * 1024
const maxLengthInCookie = 2000

/** A request that a visitor sent before the login. */
interface PendingRequest {
  readonly at: number
  /** The path with the query. */
  readonly target: string
  /** The fields of a form that was sent by POST; undefined for a page. */
  readonly fields?: FormFields
  readonly fileFields?: readonly string[]
}

/** The members that `LoginRedirects` adds. */
export interface HasLoginRedirects {
  /**
   * Ends the request with a redirect to the login, and keeps the requested page, or the form with its values, in the session for
   * 30 minutes. A form that is too large for the session, and a second form while one is kept, are shown again with a link to the
   * login.
   * @throws FwError `action.redirect-refused` for another host
   */
  redirectToLogin(loginPath: string): never
  /**
   * Returns the response to a login: a redirect to the page that `redirectToLogin` kept, a page with the values of the form to
   * send again, or a redirect to `defaultPath`. Call `renewSession` before.
   * @throws FwError `action.redirect-refused` for another host
   */
  redirectAfterLogin(defaultPath: string): ActionResult | SafeHtml | Promise<SafeHtml>
  /**
   * Responds to a form of another site, such as a login or payment provider, by a page that sends the same fields to `path`. That
   * request comes from the application's own site, so it has the visitor's session and passes the protection from forgery.
   * Any site can choose the fields: the action of `path` must verify them, for example by the provider's signature or by a `state`
   * in the session.
   * @throws FwError `action.redirect-refused` for another host
   */
  returnSameSite(path: string): SafeHtml
}

/** Returns true if the browser shows that a page of the application sent the request. */
function isOwnRequest(http: FwContext['request']['http']): boolean {
  const site = http.header('sec-fetch-site')
  return site === undefined ? isFromOwnOrigin(http) : site === 'same-origin' || site === 'none'
}

/** Returns the request to keep; undefined for a request that is neither a page nor a form of the application. */
function readPendingRequest(ctx: FwContext): PendingRequest | undefined {
  const { request } = ctx
  const { http } = request
  const target = repeatableTarget(request)
  if (target === undefined || !isPageRequest(http)) return undefined
  const at = Date.now()
  if (request.method === 'GET') return { at, target }
  const isForm = request.isFormRead && request.parsedBody === undefined
  if (request.isSafe || !isForm || !isOwnRequest(http)) return undefined
  return { at, target, fields: formFields(ctx), fileFields: uploadedFields(ctx) }
}

function redirectToLogin(ctx: FwContext, loginPath: string): never {
  const pending = readPendingRequest(ctx)
  const location = redirectLocation(ctx, loginPath, {})
  if (pending !== undefined && !keep(ctx, pending) && pending.fields !== undefined) {
    const { target, fields, fileFields = [] } = pending
    const form = { reason: 'logIn', target, fields, fileFields, loginPath: location } as const
    throw new Halt({ status: 422, body: renderRepeatedFormAlone(ctx, form) })
  }
  throw new Halt({ status: 303, headers: { Location: location } })
}

/** Stores the request in the session unless it is too large or would replace a form that another tab has sent. */
function keep(ctx: FwContext, pending: PendingRequest): boolean {
  const { keys, sessions } = ctx.services
  const sealed = keys.seal(attribute, JSON.stringify(pending))
  const limit = sessions.store.storesInCookie === true ? maxLengthInCookie : maxLength
  if (sealed.length > limit || findPendingRequest(ctx)?.fields !== undefined) return false
  ctx.session.set(attribute, sealed)
  return true
}

function takePendingRequest(ctx: FwContext): PendingRequest | undefined {
  const pending = findPendingRequest(ctx)
  if (ctx.session.has(attribute)) ctx.session.delete(attribute)
  return pending
}

function findPendingRequest(ctx: FwContext): PendingRequest | undefined {
  const { session, services } = ctx
  const sealed = session.get(attribute)
  if (typeof sealed !== 'string') return undefined
  const text = services.keys.unseal(attribute, sealed)
  const pending = text === undefined ? undefined : (JSON.parse(text) as PendingRequest)
  return pending !== undefined &&
    Date.now() - pending.at <= maxAge &&
    isOwnTarget(ctx, pending.target)
    ? pending
    : undefined
}

/** Returns false for a target that a redirect refuses, such as one that another version of the application has stored. */
function isOwnTarget(ctx: FwContext, target: string): boolean {
  try {
    redirectLocation(ctx, target, {})
    return true
  } catch {
    return false
  }
}

function redirectAfterLogin(
  ctx: FwContext,
  defaultPath: string,
): ActionResult | SafeHtml | Promise<SafeHtml> {
  const pending = takePendingRequest(ctx)
  if (pending?.fields === undefined) return recordRedirect(ctx, 303, pending?.target ?? defaultPath)
  const { target, fields, fileFields = [] } = pending
  ctx.response.status = 422
  return renderRepeatedForm(ctx, { reason: 'loggedIn', target, fields, fileFields })
}

function returnSameSite(ctx: FwContext, path: string): SafeHtml {
  const location = redirectLocation(ctx, path, {})
  if (isCrossSite(ctx.request.http)) ctx.sessionScope.ignore()
  return renderSameSiteForm(ctx, location, formFields(ctx))
}

/**
 * Adds `redirectToLogin` and `redirectAfterLogin` for an application with its own login, and `returnSameSite` for the response to
 * a form of another site.
 */
export const LoginRedirects = <B extends ControllerClass>(Base: B): B & Ctor<HasLoginRedirects> => {
  abstract class LoginRedirects extends Base implements HasLoginRedirects {
    static {
      useSession(this)
    }
    redirectToLogin(loginPath: string): never {
      return redirectToLogin(this.ctx, loginPath)
    }
    redirectAfterLogin(defaultPath: string): ActionResult | SafeHtml | Promise<SafeHtml> {
      return redirectAfterLogin(this.ctx, defaultPath)
    }
    returnSameSite(path: string): SafeHtml {
      return returnSameSite(this.ctx, path)
    }
  }
  return LoginRedirects
}
