/** A token by which a program acts for a {{words}}. The database stores only its hash. */
import { belongsTo, model, ParamType, permitValues, Temporal, type RowOf } from 'fwjs'
import { randomToken } from 'fwjs/accounts'
import { currentDatabase, outsideTransaction } from 'fwjs/db'
import { {{User}} } from '#model/{{file}}'

/** What a token can allow: `read` and `write` by the method of the request, others where controllers call `requireScopes`. */
export const apiScopes = ['read', 'write'] as const
export type ApiScope = (typeof apiScopes)[number]

/** Returns the errors of a form whose scopes contain a name that `apiScopes` does not; undefined if all are known. */
export function findScopeErrors(scopes: readonly string[]) {
  const isKnown = scopes.every((name) => apiScopes.some((scope) => scope === name))
  return isKnown
    ? undefined
    : { scopes: [{ name: 'oneOf', messageParams: [apiScopes.join(', ')] }] }
}

export const ApiToken = model(
  'api_tokens',
  {
    id: ParamType.Long,
    {{userId}}: ParamType.Long,
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

const apiToken{{User}} = belongsTo(ApiToken, '{{userId}}', {{User}})

/** The beginning of each token, by which tools find published tokens. */
const tokenStart = 'api_'
const mostTokens = 50

interface NewToken {
  readonly name: string
  readonly scopes: readonly ApiScope[]
  readonly days: number
}

/**
 * Creates a token and returns its text, which cannot be read again. Removes the expired tokens of the account. {{roomText}}
 */
export const createApiToken = ({ id }: Pick<{{User}}, 'id'>, values: NewToken) =>
  currentDatabase().transaction(() => insertToken(id, values))

async function insertToken({{userId}}: number, { name, scopes, days }: NewToken) {
  // Requests at the same time count one after the other.
  await {{User}}.findByIdForUpdate({{userId}})
  const own = ApiToken.where({ {{userId}} })
  await own.where('expiresAt', '<=', Temporal.Now.instant()).deleteAll()
  {{makeRoom}}
  const { token, hash: tokenHash } = randomToken(tokenStart)
  const expiresAt = Temporal.Now.instant().add({ hours: days * 24 })
  const prefix = token.slice(0, 12)
  const values = { {{userId}}, name, prefix, tokenHash, scopes: [...scopes], expiresAt }
  await ApiToken.create(
    permitValues(values, '{{userId}}', 'name', 'prefix', 'tokenHash', 'scopes', 'expiresAt'),
  )
  return token
}

/**
 * Finds the token with this hash, unless it has expired, and the {{words}} for whom it acts. Records its use. Runs outside the
 * transaction of the request, which may only read.
 */
export const findApiToken = (tokenHash: string) => outsideTransaction(() => findValid(tokenHash))

async function findValid(tokenHash: string) {
  const valid = ApiToken.where({ tokenHash }).where('expiresAt', '>', Temporal.Now.instant())
  const token = await valid.include({ {{user}}: apiToken{{User}} }).findFirst()
  if (token?.{{user}} === undefined) return undefined
  await recordUse(token)
  return { token, scopes: token.scopes, {{user}}: token.{{user}} }
}

/** Stores the time at most once a minute. */
async function recordUse({ id, lastUsedAt }: ApiToken): Promise<void> {
  const now = Temporal.Now.instant()
  if (lastUsedAt !== undefined && lastUsedAt.until(now).total('seconds') < 60) return
  await ApiToken.where({ id }).updateAll(permitValues({ lastUsedAt: now }, 'lastUsedAt'))
}
