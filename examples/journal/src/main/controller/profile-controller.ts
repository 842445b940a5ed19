/** Lets users change their name, their description and their password. */
import { maxLength, minMaxLength, paramKey, ParamType, permitValues, required, routes } from 'fwjs'
import { hashPassword } from 'fwjs/accounts'
import { findByPassword } from '#model/password'
import { User } from '#model/user'
import { MemberController } from './member-controller.ts'

export class ProfileController extends MemberController {
  private updateForm() {
    return this.validation(
      this.params,
      User.pick('name', 'bio'),
      paramKey('name').is(required, maxLength(80)),
      paramKey('bio').is(maxLength(500)),
    ).withPrefix('user')
  }

  private changePasswordForm() {
    return this.validation(
      this.params,
      { currentPassword: ParamType.String, password: ParamType.String },
      paramKey('currentPassword').is(required),
      paramKey('password').is(required, minMaxLength(10, 200)),
    ).withPrefix('user')
  }

  edit() {
    this.view.setAsParams(this.member)
    return this.render('/profile/edit')
  }

  async update() {
    const form = this.updateForm()
    if (!form.validate()) return this.render('/profile/edit')
    await User.updateById(this.member.id).withPermittedAttributes(form.permitted)
    this.flash.set('notice', this.i18n.get('user.flash.updated'))
    return this.redirect303(this.url(profile.editUrl))
  }

  /** Changes the password, and ends the user's sessions on other devices. */
  async changePassword() {
    const form = this.changePasswordForm()
    if (!form.validate()) return this.renderAgain()
    const { currentPassword, password } = form.permitted
    if ((await findByPassword(this.member.email, currentPassword)) === undefined) {
      form.addErrors({ currentPassword: [{ name: 'wrongPassword', messageParams: [] }] })
      return this.renderAgain()
    }
    const values = { passwordHash: await hashPassword(password) }
    await User.updateById(this.member.id).withPermittedAttributes(
      permitValues(values, 'passwordHash'),
    )
    await this.session.endSessionsOf(`user:${this.member.id}`, { exceptThis: true })
    this.session.renewSession()
    this.flash.set('notice', this.i18n.get('user.flash.passwordChanged'))
    return this.redirect303(this.url(profile.editUrl))
  }

  /** Renders the page after invalid input. Fills the page's other form with the stored values. */
  private renderAgain() {
    this.view.setAsParams(this.member)
    return this.render('/profile/edit')
  }
}

export const profile = routes(ProfileController, (r) => ({
  editUrl: r.get('/profile', 'edit').as('edit'),
  updateUrl: r.post('/profile', 'update').as('update'),
  passwordUrl: r.post('/profile/password', 'changePassword'),
}))
