/** Gives a program a token for an address and a password. Needs no token. */
import {
  FwApiController,
  intMinMaxValue,
  JsonParamsFeature,
  maxLength,
  mix,
  paramKey,
  ParamType,
  required,
  routes,
  TxPerRequestFilter,
} from 'fwjs'
import { findByPassword } from '#model/account'
import { apiScopes, createApiToken, findScopeErrors } from '#model/api-token'
import { forgetAttempts, limitLogins } from './login-limits.ts'

export class LoginController extends mix(
  FwApiController,
  JsonParamsFeature,
  TxPerRequestFilter,
  ...limitLogins(['create']),
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
      paramKey('days').is(intMinMaxValue(1, 365)),
    ).withPrefix('login')
  }

  /** Responds the same, after the same work, to a wrong password and to an unknown address. */
  async create() {
    const form = this.createForm()
    if (!form.validate()) return { errors: form.keyAndErrorMessages }
    const { email, password, name, scopes: chosen, days = 30 } = form.permitted
    const errors = findScopeErrors(chosen)
    if (errors !== undefined) {
      form.addErrors(errors)
      return { errors: form.keyAndErrorMessages }
    }
    const {{user}} = await findByPassword(email, password)
    if ({{user}} === undefined) return this.haltWithBody(401)
    await forgetAttempts(this.ctx)
    const scopes = apiScopes.filter((scope) => chosen.length === 0 || chosen.includes(scope))
    const token = await createApiToken({{user}}, { name, scopes, days })
    this.status = 201
    return { token, scopes, days }
  }
}

export const login = routes(LoginController, (r) => ({
  createUrl: r.post('/login', 'create').as('create'),
}))
