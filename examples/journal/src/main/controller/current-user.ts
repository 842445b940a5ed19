/** Finds the user who is logged in. */
import { type ControllerClass, type Ctor, ParamType, type Session } from 'fwjs'
import { User } from '#model/user'

interface HasUser {
  /** The user who is logged in. */
  user: User | undefined
}

/** A mixin that sets the member `user` of a controller before its other filters run. */
export const CurrentUser = <B extends ControllerClass>(Base: B): B & Ctor<HasUser> => {
  abstract class CurrentUser extends Base implements HasUser {
    user: User | undefined

    static {
      this.before(async function findUser(controller, { session }) {
        controller.user = await userOf(session)
      })
    }
  }
  return CurrentUser
}

async function userOf(session: Session): Promise<User | undefined> {
  // A new session has no user. Do not read it: that would prevent browsers from caching the page.
  const id = session.isNew ? undefined : session.getAs('userId', ParamType.Long)
  return id === undefined ? undefined : User.findById(id)
}
