/** Asks for the code of the second factor, between the password and the login. */
import { mix, paramKey, ParamType, rateLimit, required, routes, type FwContext } from 'fwjs'
import { accountLink, attemptLimiter } from 'fwjs/accounts'
import { useCode } from '#model/second-factor'
import { {{User}} } from '#model/{{file}}'
import { ApplicationController } from './application-controller.ts'
import { beginLogin } from './current-user.ts'

const limiter = attemptLimiter({ name: 'account-code', attempts: 5 })
const pendingKey = 'pendingLogin'

/** Proves that the password was right, for ten minutes. A new password ends it. */
const passwordProof = accountLink({
  purpose: 'login-code',
  expires: '10m',
  find: (id) => {{User}}.findById(id),
  bind: ({ email, passwordHash }: {{User}}) => [email, passwordHash],
})

/** A login that waits for its code. */
interface PendingLogin {
  readonly {{userId}}: number
  readonly remember: boolean
  readonly proof: string
}

const readPending = ({ session }: FwContext): PendingLogin | undefined =>
  session.get(pendingKey) as PendingLogin | undefined

const limitKey = (ctx: FwContext): string => String(readPending(ctx)?.{{userId}})

export class CodesController extends mix(
  ApplicationController,
  rateLimit({ limiter, key: limitKey, only: ['create'] }),
) {
  private createForm() {
    return this.validation(
      this.params,
      { code: ParamType.String },
      paramKey('code').is(required),
    ).withPrefix('secondFactor')
  }

  async newInput() {
    return (await this.findPending()) ? this.render('/codes/new') : this.startAgain()
  }

  async create() {
    const pending = await this.findPending()
    if (pending === undefined) return this.startAgain()
    const { {{user}}, remember } = pending
    const form = this.createForm()
    if (!form.validate()) return this.render('/codes/new')
    if (!(await useCode({{user}}.id, form.permitted.code))) {
      this.status = 401
      this.flash.now.set('alert', this.i18n.get('secondFactor.refused'))
      return this.render('/codes/new')
    }
    this.session.delete(pendingKey)
    await limiter.reset(String({{user}}.id))
    await beginLogin(this.ctx, {{user}}, remember)
    return this.redirectAfterLogin(this.url(this.routes.account.showUrl))
  }

  /** Returns the {{words}} of the login that waits; undefined if there is none, or if its proof has ended. */
  private async findPending() {
    const pending = readPending(this.ctx)
    const found = pending && (await passwordProof.find(pending.proof))
    return found && { {{user}}: found.account, remember: pending.remember }
  }

  private startAgain() {
    return this.redirect303(this.url(this.routes.sessions.newUrl))
  }
}

/** Leads to the form of the code. The new session id protects from session fixation. */
export function askForCode(controller: ApplicationController, {{user}}: {{User}}, remember: boolean) {
  const pending: PendingLogin = { {{userId}}: {{user}}.id, remember, proof: passwordProof.sign({{user}}) }
  controller.session.renewSession()
  controller.session.set(pendingKey, pending)
  return controller.redirect303(controller.url(controller.routes.codes.newUrl))
}

export const codes = routes(CodesController, (r) => ({
  newUrl: r.get('/login/code', 'newInput').as('new'),
  createUrl: r.post('/login/code', 'create').as('create'),
}))
