/** `accountLink`: mailed links for one account, which end when the account changes. */
import { Temporal, type Duration } from '../base.ts'
import { currentDatabase, isUniqueViolation } from '../db.ts'
import type { FwModel } from '../model.ts'
import { permitValues, type OptionalParamType, type ParamType } from '../params.ts'
import { accountTable, bindingOf, lockUnchanged, type Bind, type ModelOf } from './account-table.ts'
import { signToken, verifyToken } from './signed-token.ts'

/** What a link allows, how long, and which change of the account ends it. */
interface AccountLinkOptions<A> {
  /** What the link allows, such as `reset`: a constant of the application. */
  readonly purpose: string
  readonly expires: Duration
  /** The model of the accounts, or another object that finds them. */
  readonly accounts: { findById(id: number): PromiseLike<A | undefined> }
  /** Returns the values that end the link when one changes. If the use of the link changes one of them, the link works once. */
  readonly bind: Bind<A>
}

/** Also which field makes a link work once. */
interface OnceOptions<A> extends AccountLinkOptions<A> {
  readonly accounts: ModelOf<A>
  /** The optional field with the time when a link was last used, such as `linkUsedAt`. */
  readonly usedAt: keyof A & string
}

/** The account of a valid link, and the text that the link contains. */
interface FoundLink<A> {
  readonly account: A
  readonly text: string
}

/** Links of one purpose. */
export interface AccountLink<A> {
  /**
   * Returns a token for the address of a mailed link. Whoever reads the link can read `text`.
   * @throws FwError `accounts.no-application`, `accounts.token-too-long` if `text` makes the token longer than 4096 characters;
   * TypeError for an invalid `expires`
   */
  sign(account: A, text?: string): string
  /**
   * Finds the account of a token; undefined if the token is invalid, too old, or its account has changed.
   * @throws FwError `accounts.no-application`
   */
  find(token: string): Promise<FoundLink<A> | undefined>
}

/** Links of one purpose that work once, even if all values of `bind` return to what they were. */
export interface SingleUseLink<A> extends AccountLink<A> {
  /**
   * Marks all links of the account with the same `usedAt` as used, and stores `changes`. Returns false if a value of `bind` has changed
   * meanwhile, if another request has used a link, or if another account has a value that must be unique.
   * @throws QueryError
   */
  use(account: A, changes?: Partial<A>): Promise<boolean>
}

/** TypeScript knows the field as `usedAt`; the application chooses its name. */
type UsedValues = { readonly usedAt: Temporal.Instant }

type UsedTable = FwModel<
  string,
  { readonly id: ParamType<number>; readonly usedAt: OptionalParamType<Temporal.Instant> },
  'id'
>

/**
 * Creates links of one purpose, such as to reset a password. The database stores nothing of them. With the option `usedAt`, a link
 * works once. The methods of the result throw `accounts.no-application` outside a running application, and `sign` throws
 * `accounts.token-too-long`.
 */
export function accountLink<A extends { readonly id: number }>(
  options: OnceOptions<A>,
): SingleUseLink<A>
/** Creates links that work until they expire or a value of `bind` changes. */
export function accountLink<A extends { readonly id: number }>(
  options: AccountLinkOptions<A>,
): AccountLink<A>
export function accountLink<A extends { readonly id: number }>(
  options: AccountLinkOptions<A> | OnceOptions<A>,
): AccountLink<A> | SingleUseLink<A> {
  if (!('usedAt' in options)) return createLink(options)
  const { accounts, usedAt } = options
  const bind = (account: A) => [...options.bind(account), account[usedAt]]
  const use = (account: A, changes = {}) => markUsed({ accounts, usedAt, bind }, account, changes)
  return { ...createLink({ ...options, bind }), use }
}

async function markUsed<A extends { readonly id: number }>(
  { accounts, usedAt, bind }: Pick<OnceOptions<A>, 'accounts' | 'usedAt' | 'bind'>,
  account: A,
  changes: Partial<A>,
): Promise<boolean> {
  const model = accounts as unknown as UsedTable
  const values = { ...changes, [usedAt]: Temporal.Now.instant() }
  const update = async (): Promise<number> => {
    if (!(await lockUnchanged(accountTable(accounts), account, bind))) return 0
    return model.where({ id: account.id }).updateAll(permitValues(values as unknown as UsedValues))
  }
  try {
    // A savepoint: a refused value must not end the transaction of the request.
    return (await currentDatabase().transaction(update)) === 1
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw error
  }
}

function createLink<A extends { readonly id: number }>({
  purpose,
  expires,
  accounts,
  bind,
}: AccountLinkOptions<A>): AccountLink<A> {
  return {
    sign: (account, text = '') =>
      signToken({
        purpose,
        subject: JSON.stringify([account.id, text]),
        expires,
        bind: bindingOf(bind, account),
      }),
    find: async (token) => {
      let found: FoundLink<A> | undefined
      const { status } = await verifyToken(token, {
        purpose,
        bind: async (subject) => {
          const [id, text] = JSON.parse(subject) as [id: number, text: string]
          const account = await accounts.findById(id)
          found = account && { account, text }
          return account && bindingOf(bind, account)
        },
      })
      return status === 'valid' ? found : undefined
    },
  }
}
