/** Adds and removes the second factor of an account. Requires a login of the last ten minutes. */
import { mix, paramKey, ParamType, required, routes } from 'fwjs'
import { sealText, unsealText } from 'fwjs/accounts'
import {
  addSecondFactor,
  createSecret,
  createTotp,
  hasSecondFactor,
  removeSecondFactor,
} from '#model/second-factor'
import { ApplicationController } from './application-controller.ts'
import { requireFresh } from './require-login.ts'

/** The session keeps the secret until a code shows that the app has it. */
const secretKey = 'newSecret'

export class SecondFactorController extends mix(ApplicationController, requireFresh) {
  private createForm() {
    return this.validation(
      this.params,
      { code: ParamType.String },
      paramKey('code').is(required),
    ).withPrefix('secondFactor')
  }

  async show() {
    if (await hasSecondFactor(this.currentUser)) return this.render('/second_factor/show')
    this.session.set(secretKey, sealText('totp', createSecret()))
    return this.showSecret()
  }

  async create() {
    const form = this.createForm()
    if (!form.validate()) return this.showSecret()
    if (await hasSecondFactor(this.currentUser))
      return this.redirect303(this.url(secondFactor.showUrl))
    const codes = await addSecondFactor(this.currentUser, this.readSecret(), form.permitted.code)
    if (codes === undefined) {
      this.status = 400
      this.flash.now.set('alert', this.i18n.get('secondFactor.refused'))
      return this.showSecret()
    }
    this.session.delete(secretKey)
    return this.render('/second_factor/codes', { codes })
  }

  async destroy() {
    await removeSecondFactor(this.currentUser)
    this.flash.set('notice', this.i18n.get('secondFactor.removed'))
    return this.redirect303(this.url(this.routes.account.showUrl))
  }

  private showSecret() {
    const secret = this.readSecret()
    const totp = createTotp(secret, this.currentUser.email, this.i18n.get('site.title'))
    return this.render('/second_factor/new', { secret, uri: totp.toString() })
  }

  private readSecret(): string {
    const sealed = this.session.get(secretKey)
    const secret = typeof sealed === 'string' ? unsealText('totp', sealed) : undefined
    return secret ?? this.haltWithBody(400)
  }
}

export const secondFactor = routes(SecondFactorController, (r) => ({
  showUrl: r.get('/account/second-factor', 'show').as('show'),
  createUrl: r.post('/account/second-factor', 'create').as('create'),
  destroyUrl: r.post('/account/second-factor/delete', 'destroy').as('destroy'),
}))
