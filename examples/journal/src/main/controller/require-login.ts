/** `requireLogin` and `requireFresh`: traits of controllers that need a login, as in `mix(ApplicationController, requireLogin)`. */
import type { ApplicationController } from '#controller/application-controller'
import { logins } from '#model/login'

/** Leads other visitors to the login. Then `currentUser` is never null. */
export const requireLogin = logins.requireLogin(askForLogin)

/** Also leads users to the login whose last one is ten minutes old, before acts that others at an open device must not do. */
export const requireFresh = logins.requireFresh(askForLogin)

/** Leads to the login, and then back to the page or form. Programs get a 401. */
export function askForLogin(controller: ApplicationController): never {
  if (controller.ctx.format !== 'html') controller.haltWithBody(401)
  const reason = controller.currentUser === null ? 'account.loginFirst' : 'account.loginAgain'
  controller.flash.set('notice', controller.i18n.get(reason))
  return controller.redirectToLogin(controller.url(controller.routes.sessions.newUrl))
}
