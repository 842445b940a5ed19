/** The base class of controllers for logged-in users. Other visitors are redirected to the login page. */
import type { User } from '#model/user'
import { ApplicationController } from './application-controller.ts'

export class MemberController extends ApplicationController {
  static {
    this.before(function requireUser(controller) {
      if (controller.user === undefined) controller.requireLogin()
    })
  }

  /** The logged-in user. It is always defined after the filter `requireUser`. */
  protected get member(): User {
    return this.user ?? this.haltWithBody(401)
  }
}
