/** Lists, creates and revokes the tokens of an account for programs. Requires a login of the last ten minutes. */
import { maxLength, mix, oneOf, param, paramKey, ParamType, required, routes } from 'fwjs'
import { apiScopes, ApiToken, tokenStore } from '#model/api-token'
import { limits } from './account-limits.ts'
import { ApplicationController } from './application-controller.ts'
import { requireFresh } from './require-login.ts'

/** After how many days a token can end. */
const lifetimes = ['30', '90', '365'] as const

export class ApiTokensController extends mix(
  ApplicationController,
  requireFresh,
  limits.requests(['create']),
) {
  index() {
    return this.showAll()
  }

  /** Creates a token, and shows its text for the only time. */
  async create() {
    const form = this.validation(
      this.params,
      { name: ParamType.String, scopes: ParamType.array(ParamType.String), days: ParamType.Int },
      paramKey('name').is(required, maxLength(80)),
      param('scopes', this.multiParams.get('scopes') ?? []).is(required, tokenStore.knownScopes),
      paramKey('days').is(required, oneOf(...lifetimes)),
    ).withPrefix('apiToken')
    if (!form.validate()) return this.showAll()
    const { name, days, scopes: chosen } = form.permitted
    const scopes = apiScopes.filter((scope) => chosen.includes(scope))
    const created = await tokenStore.create(this.currentUser, { name, scopes, days })
    if (created !== undefined) return this.showAll(created)
    this.status = 409
    this.flash.now.set('alert', this.i18n.get('apiToken.tooMany'))
    return this.showAll()
  }

  async destroy() {
    const id = this.params.getAs('id', ParamType.Long) ?? this.haltWithBody(404)
    if (!(await tokenStore.end(this.currentUser, id))) return this.haltWithBody(404)
    this.flash.set('notice', this.i18n.get('apiToken.revoked'))
    return this.redirect303(this.url(apiTokens.indexUrl))
  }

  private async showAll(created?: string) {
    const tokens = await ApiToken.where({ userId: this.currentUser.id }).orderBy('id').findAll()
    return this.render('/api_tokens/index', { tokens, created, scopes: apiScopes, lifetimes })
  }
}

export const apiTokens = routes(ApiTokensController, (r) => ({
  indexUrl: r.get('/account/tokens', 'index').as('index'),
  createUrl: r.post('/account/tokens', 'create').as('create'),
  destroyUrl: r.post('/account/tokens/:id/revoke', 'destroy').as('destroy'),
}))
