/** Lists, creates and deletes a user's tokens for the API. */
import { maxLength, paramKey, required, routes } from 'fwjs'
import { ApiToken, createToken } from '#model/api-token'
import { MemberController } from './member-controller.ts'

export class TokensController extends MemberController {
  private createForm() {
    return this.validation(
      this.params,
      ApiToken.pick('name'),
      paramKey('name').is(required, maxLength(80)),
    ).withPrefix('token')
  }

  index() {
    return this.show()
  }

  /** Creates a token, and shows its text for the only time. */
  async create() {
    const form = this.createForm()
    if (!form.validate()) return this.show()
    return this.show(await createToken(this.member, form.permitted.name))
  }

  async destroy() {
    const id = this.idOf('id')
    const deleted = await ApiToken.where({ id, userId: this.member.id }).deleteAll()
    if (deleted === 0) return this.haltWithBody(404)
    this.flash.set('notice', this.i18n.get('token.flash.deleted'))
    return this.redirect303(this.url(tokens.indexUrl))
  }

  private async show(created?: string) {
    const own = await ApiToken.where({ userId: this.member.id }).orderBy('id').findAll()
    return this.render('/tokens/index', { tokens: own, created })
  }
}

export const tokens = routes(TokensController, (r) => ({
  indexUrl: r.get('/tokens', 'index').as('index'),
  createUrl: r.post('/tokens', 'create').as('create'),
  destroyUrl: r.delete('/tokens/:id', 'destroy').as('destroy'),
}))
