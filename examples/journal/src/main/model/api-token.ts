/** A token with which a program uses the API on behalf of a user. */
import { createHash, randomBytes } from 'node:crypto'
import { belongsTo, model, ParamType, permitValues, type RowOf } from 'fwjs'
import { User } from '#model/user'

export const ApiToken = model(
  'api_tokens',
  {
    id: ParamType.Long,
    userId: ParamType.Long,
    name: ParamType.String,
    tokenHash: ParamType.String,
    createdAt: ParamType.DateTime,
  },
  { hidden: ['tokenHash'] },
)

export type ApiToken = RowOf<typeof ApiToken>

const tokenUser = belongsTo(ApiToken, 'userId', User)

/** Creates a token and returns its text. The database stores only the text's hash. */
export async function createToken(user: User, name: string): Promise<string> {
  const text = randomBytes(32).toString('base64url')
  const tokenHash = createHash('sha256').update(text).digest('hex')
  await ApiToken.create(
    permitValues({ userId: user.id, name, tokenHash }, 'userId', 'name', 'tokenHash'),
  )
  return text
}

/** Finds the user whose token has this hash. */
export async function findTokenUser(tokenHash: string): Promise<User | undefined> {
  const token = await ApiToken.where({ tokenHash }).include({ user: tokenUser }).findFirst()
  return token?.user
}
