/** A token by which a program acts for a user. The database stores only its hash. */
import { model, ParamType, type RowOf } from 'fwjs'
import { accountTokens } from 'fwjs/accounts'
import { credentials } from '#model/account'
import { User } from '#model/user'

/** What a token can allow: `read` and `write` by the method of the request, others where controllers call `requireScopes`. */
export const apiScopes = ['read', 'write'] as const
export type ApiScope = (typeof apiScopes)[number]

export const ApiToken = model(
  'api_tokens',
  {
    id: ParamType.Long,
    userId: ParamType.Long,
    name: ParamType.String,
    prefix: ParamType.String,
    tokenHash: ParamType.String,
    scopes: ParamType.array(ParamType.String),
    lastUsedAt: ParamType.optional(ParamType.DateTime),
    expiresAt: ParamType.DateTime,
    createdAt: ParamType.DateTime,
  },
  { hidden: ['tokenHash'] },
)
export type ApiToken = RowOf<typeof ApiToken>

/** Tokens begin with `api_`, by which tools find published ones. An account has at most 50. */
export const tokenStore = accountTokens({
  tokens: ApiToken,
  accounts: User,
  owner: 'userId',
  bind: credentials,
  scopes: apiScopes,
  prefix: 'api_',
  most: 50,
  more: 'refuse',
})
