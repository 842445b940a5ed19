/** Logs in by a mailed link, without a password. */
import { mix, routes } from 'fwjs'
import { magicLink } from '#model/mailed-link'
import { mailLink, readLink, refuseLink } from './account-forms.ts'
import { limits } from './account-limits.ts'
import { ApplicationController } from './application-controller.ts'
import { completeLogin } from './sessions-controller.ts'

export class MagicLinksController extends mix(
  ApplicationController,
  limits.mails('magic', ['create']),
) {
  newInput() {
    return this.render('/magic_links/new')
  }

  create() {
    return mailLink(this, 'magic', () => this.newInput())
  }

  /** A page with a button: programs that follow the links of mails must not use them up. */
  async edit() {
    await readLink(this, magicLink, this.url(magicLinks.newUrl))
    return this.render('/magic_links/edit')
  }

  async update() {
    const { account } = await readLink(this, magicLink, this.url(magicLinks.newUrl))
    if (!(await magicLink.use(account))) return refuseLink(this, this.url(magicLinks.newUrl))
    return completeLogin(this, account, false)
  }
}

export const magicLinks = routes(MagicLinksController, (r) => ({
  newUrl: r.get('/login/link', 'newInput').as('new'),
  createUrl: r.post('/login/link', 'create').as('create'),
  editUrl: r.get('/login/link/enter', 'edit').as('edit'),
  updateUrl: r.post('/login/link/enter', 'update').as('update'),
}))
