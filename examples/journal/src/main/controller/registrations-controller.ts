/** Creates an account. */
import {
  email,
  maxLength,
  minMaxLength,
  paramKey,
  ParamType,
  permitValues,
  required,
  routes,
  unique,
} from 'fwjs'
import { hashPassword } from 'fwjs/accounts'
import { User } from '#model/user'
import { ApplicationController } from './application-controller.ts'
import { beginSession } from './sessions-controller.ts'

export class RegistrationsController extends ApplicationController {
  private createForm() {
    return this.validation(
      this.params,
      { ...User.pick('name', 'email'), password: ParamType.String },
      paramKey('name').is(required, maxLength(80)),
      paramKey('email').is(required, email, unique(User, 'email')),
      paramKey('password').is(required, minMaxLength(10, 200)),
    ).withPrefix('user')
  }

  newInput() {
    return this.render('/registrations/new')
  }

  async create() {
    const form = this.createForm()
    const user = await form.save(async ({ name, email: address, password }) => {
      const values = { name, email: address, passwordHash: await hashPassword(password) }
      return User.create(permitValues(values, 'name', 'email', 'passwordHash'))
    })
    if (user === undefined) return this.render('/registrations/new')
    beginSession(this, user)
    this.flash.set('notice', this.i18n.get('user.flash.created', user.name))
    return this.redirectAfterLogin(this.url(this.routes.desk.indexUrl))
  }
}

export const registrations = routes(RegistrationsController, (r) => ({
  newUrl: r.get('/register', 'newInput').as('new'),
  createUrl: r.post('/register', 'create').as('create'),
}))
