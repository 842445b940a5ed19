/** Logs in by a mailed link, without a password. */
import { mix, routes } from 'fwjs'
import { magicLink, useMagicLink } from '#model/mailed-link'
import type { {{User}} } from '#model/{{file}}'
import { mailLink, refuseLink } from './account-forms.ts'
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
    await this.readLink()
    return this.render('/magic_links/edit')
  }

  async update() {
    const {{user}} = await this.readLink()
    if (!(await useMagicLink({{user}}))) return this.refuse()
    return completeLogin(this, {{user}}, false)
  }

  /** Returns the account of the mailed link. */
  private async readLink(): Promise<{{User}}> {
    const found = await magicLink.find(this.params.get('token') ?? '')
    return found?.account ?? this.refuse()
  }

  private refuse(): never {
    return refuseLink(this, this.url(magicLinks.newUrl))
  }
}

export const magicLinks = routes(MagicLinksController, (r) => ({
  newUrl: r.get('/login/link', 'newInput').as('new'),
  createUrl: r.post('/login/link', 'create').as('create'),
  editUrl: r.get('/login/link/enter', 'edit').as('edit'),
  updateUrl: r.post('/login/link/enter', 'update').as('update'),
}))
