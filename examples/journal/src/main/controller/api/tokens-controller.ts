/** Lists and revokes the tokens of the user whose token the request has. */
import { ParamType, routes } from 'fwjs'
import { ApiToken, tokenStore } from '#model/api-token'
import { TokenApiController } from './token-api-controller.ts'

export class TokensController extends TokenApiController {
  async index() {
    const own = ApiToken.where({ userId: this.currentUser.id })
    return { tokens: await own.orderBy('id').findAll() }
  }

  /** Revokes the token of the request, as a logout. Needs no scope. */
  async endCurrentToken() {
    await ApiToken.deleteById(this.bearer.token.id)
    return 204
  }

  async destroy() {
    const id = this.params.getAs('id', ParamType.Long) ?? this.haltWithBody(404)
    return (await tokenStore.end(this.currentUser, id)) ? 204 : this.haltWithBody(404)
  }
}

export const tokens = routes(TokensController, (r) => ({
  indexUrl: r.get('/api/tokens', 'index').as('index'),
  endCurrentTokenUrl: r.delete('/api/tokens/current', 'endCurrentToken').as('endCurrentToken'),
  destroyUrl: r.delete('/api/tokens/:id', 'destroy').as('destroy'),
}))
