/** `CurrentUser`: finds the {{words}} who is logged in, begins and ends logins, and remembers devices. */
import { LoginRedirects, ParamType, type ControllerClass, type Ctor, type FwContext } from 'fwjs'
import { createLogin, findLoggedIn, Login, remembered } from '#model/login'
import { {{User}} } from '#model/{{file}}'

interface HasCurrentUser {
  /** The {{words}} who is logged in; null for other visitors. Views declare it: `<%@val currentUser: {{User}} | null %>`. */
  readonly currentUser: {{User}} | null
}

export const CurrentUser = <B extends ControllerClass>(
  Base: B,
): ReturnType<typeof LoginRedirects<B>> & Ctor<HasCurrentUser> => {
  abstract class CurrentUser extends LoginRedirects(Base) implements HasCurrentUser {
    static {
      this.before(async function showCurrentUser(controller, ctx) {
        controller.set('currentUser', (await findCurrentUser(ctx)) ?? null)
      })
    }

    get currentUser(): {{User}} | null {
      return (this.requestScope().get('currentUser') ?? null) as {{User}} | null
    }
  }
  return CurrentUser
}

async function findCurrentUser(ctx: FwContext): Promise<{{User}} | undefined> {
  const { session } = ctx
  // A new session is not read, so that pages of visitors without one can be cached.
  const loginId = session.isNew ? undefined : session.getAs('loginId', ParamType.Long)
  if (loginId === undefined) return resumeLogin(ctx)
  const {{user}} = await findLoggedIn(loginId)
  // Another device has ended this login.
  if ({{user}} === undefined) session.endSession()
  else ctx.requestScope().set('loginId', loginId)
  return {{user}}
}

/** The key of the visitor's login; undefined if nobody is logged in. */
export const currentLoginId = (ctx: FwContext): number | undefined =>
  ctx.requestScope().get('loginId') as number | undefined

/** Logs a device in whose session has ended but whose token remembers it. */
async function resumeLogin(ctx: FwContext): Promise<{{User}} | undefined> {
  const login = await remembered.resume(ctx)
  if (login === undefined) return undefined
  ctx.session.renewSession()
  setLogin(ctx, { loginId: login.id })
  return {{User}}.findById(login.{{userId}})
}

function setLogin(ctx: FwContext, values: { readonly loginId: number; readonly freshAt?: number }) {
  for (const [name, value] of Object.entries(values)) ctx.session.set(name, value)
  ctx.requestScope().set('loginId', values.loginId)
}

/** Logs a {{words}} in: with a new session id, and as a new login. `remember` lets the login outlive its session. */
export async function beginLogin(ctx: FwContext, {{user}}: {{User}}, remember: boolean): Promise<void> {
  await endLogin(ctx, {{user}})
  const login = await createLogin({{user}}.id, ctx.request.userAgent ?? '')
  ctx.session.renewSession()
  setLogin(ctx, sessionValues(login))
  if (remember) await remembered.remember(ctx, login)
}

const sessionValues = ({ id }: Login) => ({ loginId: id, freshAt: Date.now() })

/** Begins a login for a test, and returns what its session contains. */
export const sessionOf = async ({{user}}: { readonly id: number }) =>
  sessionValues(await createLogin({{user}}.id, 'test'))

/** Logs this device out. Ends its session too, unless `next`, the {{words}} who logs in now, is the one who was logged in. */
export async function endLogin(ctx: FwContext, next?: {{User}}): Promise<void> {
  const loginId = currentLoginId(ctx)
  if (loginId === undefined) return
  const login = await Login.findById(loginId)
  await Login.deleteById(loginId)
  if (login?.{{userId}} !== next?.id) ctx.session.endSession()
  ctx.requestScope().delete('loginId')
  remembered.forget(ctx)
}
