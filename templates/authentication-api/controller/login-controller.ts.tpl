/** Gives a program a token for an address and a password, and changes the password. Needs no token. */
import {
  FwApiController,
  intMinMaxValue,
  JsonParamsFeature,
  maxLength,
  minMaxLength,
  mix,
  param,
  paramKey,
  ParamType,
  required,
  routes,
  TxPerRequestFilter,
} from 'fwjs'
import { changePassword, findByPassword } from '#model/account'
import { apiScopes, ApiToken, tokenStore } from '#model/api-token'
import { forgetAttempts, limitLogins } from './login-limits.ts'

export class LoginController extends mix(
  FwApiController,
  JsonParamsFeature,
  TxPerRequestFilter,
  ...limitLogins(['create', 'changePassword']),
) {
  private createForm() {
    return this.validation(
      this.params,
      {
        email: ParamType.String,
        password: ParamType.String,
        name: ParamType.String,
        scopes: ParamType.array(ParamType.String),
        days: ParamType.optional(ParamType.Int),
      },
      paramKey('email').is(required),
      paramKey('password').is(required),
      paramKey('name').is(required, maxLength(80)),
      param('scopes', this.multiParams.get('scopes') ?? []).is(tokenStore.knownScopes),
      paramKey('days').is(intMinMaxValue(1, 365)),
    ).withPrefix('login')
  }

  /** Responds the same, after the same work, to a wrong password and to an unknown address. */
  async create() {
    const form = this.createForm()
    if (!form.validate()) return { errors: form.keyAndErrorMessages }
    const { email, password, name, scopes: chosen, days = 30 } = form.permitted
    const {{user}} = await findByPassword(email, password)
    if ({{user}} === undefined) return this.haltWithBody(401)
    await forgetAttempts(this.ctx)
    const scopes = apiScopes.filter((scope) => chosen.length === 0 || chosen.includes(scope))
    const token = await tokenStore.create({{user}}, { name, scopes, days })
    this.status = 201
    return { token, scopes, days }
  }

  /** Changes the password, and ends all tokens of the account: one of them may be a thief's. */
  async changePassword() {
    const form = this.validation(
      this.params,
      { email: ParamType.String, password: ParamType.String, newPassword: ParamType.String },
      paramKey('email').is(required),
      paramKey('password').is(required),
      paramKey('newPassword').is(required, minMaxLength(15, 200)),
    ).withPrefix('login')
    if (!form.validate()) return { errors: form.keyAndErrorMessages }
    const { email, password, newPassword } = form.permitted
    const {{user}} = await findByPassword(email, password)
    if ({{user}} === undefined) return this.haltWithBody(401)
    await forgetAttempts(this.ctx)
    if (!(await changePassword({{user}}, newPassword))) return this.haltWithBody(409)
    await ApiToken.where({ {{userId}}: {{user}}.id }).deleteAll()
    return 204
  }
}

export const login = routes(LoginController, (r) => ({
  createUrl: r.post('/login', 'create').as('create'),
  passwordUrl: r.put('/login/password', 'changePassword').as('changePassword'),
}))
