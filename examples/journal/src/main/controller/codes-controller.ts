/** Asks for the code of the second factor, between the password and the login. */
import { mix, paramKey, ParamType, required, routes } from 'fwjs'
import { logins } from '#model/login'
import { ApplicationController } from './application-controller.ts'
import { completeLogin } from './sessions-controller.ts'

const { secondFactors } = logins

export class CodesController extends mix(ApplicationController, secondFactors.limit(['create'])) {
  async newInput() {
    const pending = await secondFactors.findPending(this.ctx)
    if (pending === undefined) return this.redirect303(this.url(this.routes.sessions.newUrl))
    return this.render('/codes/new')
  }

  async create() {
    const pending = await secondFactors.findPending(this.ctx)
    if (pending === undefined) return this.redirect303(this.url(this.routes.sessions.newUrl))
    const form = this.validation(
      this.params,
      { code: ParamType.String },
      paramKey('code').is(required),
    ).withPrefix('secondFactor')
    if (!form.validate()) return this.render('/codes/new')
    if (!(await secondFactors.accept(this.ctx, pending.account, form.permitted.code))) {
      this.status = 401
      this.flash.now.set('alert', this.i18n.get('secondFactor.refused'))
      return this.render('/codes/new')
    }
    return completeLogin(this, pending.account, pending.remember)
  }
}

export const codes = routes(CodesController, (r) => ({
  newUrl: r.get('/login/code', 'newInput').as('new'),
  createUrl: r.post('/login/code', 'create').as('create'),
}))
