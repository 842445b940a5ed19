/** Lets users change their name and their description. */
import { maxLength, mix, paramKey, required, routes } from 'fwjs'
import { User } from '#model/user'
import { ApplicationController } from './application-controller.ts'
import { requireLogin } from './require-login.ts'

export class ProfileController extends mix(ApplicationController, requireLogin) {
  private updateForm() {
    return this.validation(
      this.params,
      User.pick('name', 'bio'),
      paramKey('name').is(required, maxLength(80)),
      paramKey('bio').is(maxLength(500)),
    ).withPrefix('user')
  }

  edit() {
    this.view.setAsParams(this.currentUser)
    return this.show()
  }

  async update() {
    const form = this.updateForm()
    if (!form.validate()) return this.show()
    await User.updateById(this.currentUser.id).withPermittedAttributes(form.permitted)
    this.flash.set('notice', this.i18n.get('user.flash.updated'))
    return this.redirect303(this.url(profile.editUrl))
  }

  private show() {
    return this.render('/profile/edit', { currentUser: this.currentUser })
  }
}

export const profile = routes(ProfileController, (r) => ({
  editUrl: r.get('/profile', 'edit').as('edit'),
  updateUrl: r.post('/profile', 'update').as('update'),
}))
