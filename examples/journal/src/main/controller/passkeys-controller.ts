/** Lists, adds and removes the passkeys of an account. Requires a login of the last ten minutes. */
import { maxLength, mix, paramKey, ParamType, required, routes } from 'fwjs'
import { Passkey, passkeyStore } from '#model/passkey'
import { ApplicationController } from './application-controller.ts'
import { requireFresh } from './require-login.ts'

export class PasskeysController extends mix(ApplicationController, requireFresh) {
  async index() {
    const own = Passkey.where({ userId: this.currentUser.id })
    return this.render('/passkeys/index', { passkeys: await own.orderBy('createdAt').findAll() })
  }

  /** The options by which the script creates a passkey. */
  options() {
    const { email } = this.currentUser
    const site = this.i18n.get('site.title')
    return passkeyStore.creationOptions(this.ctx, this.currentUser, email, site)
  }

  async create() {
    const form = this.validation(
      this.params,
      { name: ParamType.String, credential: ParamType.String },
      paramKey('name').is(required, maxLength(80)),
    ).withPrefix('passkey')
    if (!form.validate()) return this.index()
    const { name, credential } = form.permitted
    const isAdded = await passkeyStore.add(this.ctx, this.currentUser, name, credential)
    this.flash.set('notice', this.i18n.get(isAdded ? 'passkey.added' : 'passkey.refused'))
    return this.redirect303(this.url(passkeys.indexUrl))
  }

  /** Removes a passkey, and logs out the other devices. */
  async destroy() {
    const id = this.params.get('id') ?? ''
    if (!(await passkeyStore.remove(this.ctx, this.currentUser, id))) return this.haltWithBody(404)
    this.flash.set('notice', this.i18n.get('passkey.removed'))
    return this.redirect303(this.url(passkeys.indexUrl))
  }
}

export const passkeys = routes(PasskeysController, (r) => ({
  indexUrl: r.get('/account/passkeys', 'index').as('index'),
  optionsUrl: r.post('/account/passkeys/options', 'options').as('options'),
  createUrl: r.post('/account/passkeys', 'create').as('create'),
  destroyUrl: r.post('/account/passkeys/delete', 'destroy').as('destroy'),
}))
