/** `requireLogin` and `requireFresh`: traits of controllers that need a login, as in `mix(ApplicationController, requireLogin)`. */
import { ParamType, type ControllerClass, type Ctor } from 'fwjs'
import type { ApplicationController } from '#controller/application-controller'
import type { {{User}} } from '#model/{{file}}'

type Application = ControllerClass & Ctor<ApplicationController>

interface HasLogin {
  /** The {{words}} who is logged in. */
  readonly currentUser: {{User}}
}

/** Leads other visitors to the login, and then back to the page or form; programs get a 401. */
export const requireLogin = <B extends Application>(Base: B): B & Ctor<HasLogin> => {
  abstract class RequireLogin extends Base {
    static {
      this.before(function requireLogin(controller) {
        if (controller.currentUser === null) askForLogin(controller, 'account.loginFirst')
      })
    }
  }
  return RequireLogin as B & Ctor<HasLogin>
}

const freshMillis = 10 * 60 * 1000

/** Leads users whose last login is ten minutes old to the login again, before acts that others at an open device must not do. */
export const requireFresh = <B extends Application>(Base: B): B & Ctor<HasLogin> => {
  abstract class RequireFresh extends requireLogin(Base) {
    static {
      this.before(function requireFresh(controller) {
        const freshAt = controller.session.getAs('freshAt', ParamType.Long) ?? 0
        if (Date.now() - freshAt > freshMillis) askForLogin(controller, 'account.loginAgain')
      })
    }
  }
  return RequireFresh as unknown as B & Ctor<HasLogin>
}

function askForLogin(
  controller: ApplicationController,
  reason: 'account.loginFirst' | 'account.loginAgain',
): never {
  if (controller.ctx.format !== 'html') controller.haltWithBody(401)
  controller.flash.set('notice', controller.i18n.get(reason))
  return controller.redirectToLogin(controller.url(controller.routes.sessions.newUrl))
}
