/** The traits that give controllers `currentUser` and require a login. */
import type { ControllerClass, Ctor, FwContext } from '../action.ts'
import { HttpError } from '../base.ts'
import type { HasLoginRedirects } from '../feature.ts'

export interface HasCurrentUser<A> {
  /** The user who is logged in; null for other visitors. Views declare it: `<%@val currentUser: User | null %>`. */
  readonly currentUser: A | null
}

export interface HasLogin<A> {
  /** The user who is logged in. */
  readonly currentUser: A
}

export type CurrentUserTrait<A> = <B extends ControllerClass>(
  Base: B,
) => B & Ctor<HasLoginRedirects & HasCurrentUser<A>>

/** Redirects a visitor to the login by throwing, such as with `redirectToLogin`; may be asynchronous. It never returns. */
export type Ask<C> = (controller: C) => Promise<never>

/** A trait for controllers with the members of `C`. */
export type LoginTrait<A, C> = <B extends ControllerClass & Ctor<C>>(
  Base: B,
) => B & Ctor<HasLogin<A>>

/** Creates a trait that calls `check` before the actions of a controller. */
export function requireBefore<A, C extends HasCurrentUser<A>>(
  check: (controller: HasCurrentUser<A>, ctx: FwContext) => Promise<never> | undefined,
): LoginTrait<A, C> {
  return (Base) => {
    abstract class RequireLogin extends Base {
      static {
        this.before(check)
      }
    }
    return RequireLogin as never
  }
}

/**
 * Waits for the promise of a function that asks for the login, which should reject with a redirect.
 * @throws HttpError 401 `accounts.login-required` if it resolves in spite of its type
 */
export async function refuse(asked: Promise<never>): Promise<never> {
  await asked
  throw new HttpError(401, 'accounts.login-required', 'The page needs a login.')
}
