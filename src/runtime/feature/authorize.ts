/** `authorize`: controllers ask a policy before they act, and a route that asks no policy sends no response. */
import {
  registrationsOf,
  slot,
  type ControllerClass,
  type Ctor,
  type FilterOptions,
  type FwContext,
  type FwControllerBase,
} from '../action.ts'
import { FwError, HttpError } from '../base.ts'
import type { Policy } from './policy.ts'

/** The members of any policy that this file calls. */
interface AnyPolicy {
  decide(user: never, action: never, ...record: never): true | 403 | 404
}

/** The arguments of a policy's method without the user. */
type ActionArgs<P> =
  P extends Policy<infer R>
    ? { [A in keyof R & string]: Tail<A, Parameters<R[A]>> }[keyof R & string]
    : never
type Tail<A, Args> = Args extends readonly [user: unknown, ...record: infer Record]
  ? readonly [action: A, ...record: Record]
  : readonly [action: A]

export interface Authorizes<P> {
  /** Whether the current user may do the action with the record. */
  can(...args: ActionArgs<P>): boolean
  /**
   * Ends the request unless the current user may do the action with the record: with 403, or with 404 if the rule returns 404. A
   * route that responds without a call of this method fails, and its transaction is rolled back.
   * @throws HttpError 403 `feature.forbidden`
   */
  authorize(...args: ActionArgs<P>): void
}

/** The options of `authorize`. `only` and `except` choose the routes that must ask the policy. */
export interface AuthorizeOptions<C> extends FilterOptions {
  /** Returns the user of a request; by default the member `currentUser` of the controller. */
  readonly user?: (controller: C) => unknown
}

/** The policy of a route and the function that returns its user. */
interface RoutePolicy {
  readonly policy: AnyPolicy
  readonly readUser: (controller: object) => unknown
}

const policyOfRoute = Symbol('policy of the route')
/** Whether a request has asked its policy, or must ask it before the action responds. */
const authorization = slot<'asked' | 'expected'>('attempt')

const findPolicy = (ctx: FwContext): RoutePolicy | undefined =>
  ctx.plan?.settings.get(policyOfRoute) as RoutePolicy | undefined

function policyOf(ctx: FwContext): RoutePolicy {
  const found = findPolicy(ctx)
  if (found !== undefined) return found
  throw new FwError(
    'feature.policy-missing',
    `The route '${ctx.routeName}' of ${ctx.plan?.controllerName} has no policy: do not exclude it by only or except of authorize.`,
  )
}

type AnyArgs = readonly [action: unknown, ...record: readonly unknown[]]

const decide = (controller: FwControllerBase, args: AnyArgs): true | 403 | 404 => {
  const { policy, readUser } = policyOf(controller.ctx)
  const [action, ...record] = args
  return policy.decide(readUser(controller) as never, action as never, ...(record as never))
}

function authorizeOr(controller: FwControllerBase, args: AnyArgs): void {
  authorization.set(controller.ctx, 'asked')
  const decision = decide(controller, args)
  if (decision === 404) controller.haltWithBody(404)
  if (decision === 403)
    throw new HttpError(403, 'feature.forbidden', 'You may not do this with your account.')
}

/** Asks the policy of a route, if it has one. A resource calls it for each of its actions. */
export function authorizeAction(
  controller: FwControllerBase,
  action: string,
  ...record: readonly object[]
): void {
  if (findPolicy(controller.ctx) !== undefined) authorizeOr(controller, [action, ...record])
}

/** Whether the policy of a route, if it has one, allows an action that the request did not ask for. */
export const mayAct = (
  controller: FwControllerBase,
  action: string,
  ...record: readonly object[]
): boolean =>
  findPolicy(controller.ctx) === undefined || decide(controller, [action, ...record]) === true

/** Runs before the action, so that the response of an earlier filter, such as a redirect to the login, need not ask. */
function expectAuthorization(_controller: object, ctx: FwContext): void {
  if (authorization.get(ctx) === undefined) authorization.set(ctx, 'expected')
}

/** @throws FwError `feature.not-authorized` */
function requireAuthorization(_controller: object, ctx: FwContext): void {
  if (authorization.get(ctx) !== 'expected' || ctx.response.status >= 400) return
  throw new FwError(
    'feature.not-authorized',
    `The route '${ctx.routeName}' of ${ctx.plan?.controllerName} has asked no policy. Call this.authorize(action, record) before ` +
      'it acts, or exclude the route by only or except of authorize.',
  )
}

function readCurrentUser(controller: object): unknown {
  if ('currentUser' in controller) return controller.currentUser
  throw new FwError(
    'feature.policy-missing',
    `${controller.constructor.name} has no member 'currentUser': define it, or pass authorize(policy, { user: (c) => … }).`,
  )
}

/**
 * Requires that each route asks the policy by `this.authorize('publish', article)`: `mix(ApplicationController,
 * authorize(articlePolicy))`. The actions of a resource ask the rules `index`, `show`, `create`, `update` and `destroy` themselves.
 */
export function authorize<P extends AnyPolicy, C extends object = FwControllerBase>(
  policy: P,
  { user, ...routes }: AuthorizeOptions<C> = {},
) {
  const readUser = (user ?? readCurrentUser) as RoutePolicy['readUser']
  return <B extends ControllerClass>(Base: B): B & Ctor<Authorizes<P>> => {
    abstract class Authorize extends Base implements Authorizes<P> {
      can(...args: ActionArgs<P>): boolean {
        return decide(this, args) === true
      }
      authorize(...args: ActionArgs<P>): void {
        authorizeOr(this, args)
      }
    }
    Object.defineProperty(Authorize, 'name', { value: 'authorize' })
    const own = registrationsOf(Authorize)
    own.configure(policyOfRoute, { policy, readUser } satisfies RoutePolicy, routes)
    own.add('beforeAction', expectAuthorization, routes)
    own.add('afterAction', requireAuthorization, routes)
    return Authorize
  }
}
