/** `accountTokens`: tokens by which programs act for users, as rows of the application that contain only hashes. */
import type { ControllerClass, Ctor } from '../action.ts'
import { Temporal } from '../base.ts'
import { outsideTransaction } from '../db.ts'
import { authenticateBearer, type HasBearer } from '../feature.ts'
import { belongsTo } from '../model.ts'
import { permitValues, type OptionalParamType, type ParamType } from '../params.ts'
import { rule, type Rule } from '../validation.ts'
import {
  AccountStore,
  ownedTable,
  type Account,
  type Bind,
  type ModelOf,
  type Owned,
  type OwnedTable,
} from './account-table.ts'
import { randomToken } from './random-token.ts'

/** The columns of a token, besides the reference to its account. */
interface TokenRow {
  readonly id: number
  readonly name: string
  /** The first 12 characters, by which the owner recognizes the token. */
  readonly prefix: string
  /** 64 characters. */
  readonly tokenHash: string
  readonly scopes: readonly string[]
  /** The last use, to the minute. */
  readonly lastUsedAt?: Temporal.Instant | undefined
  readonly expiresAt: Temporal.Instant
}

/** Where the tokens are stored, and what they look like. */
interface AccountTokenOptions<
  A extends Account,
  K extends TokenRow & Owned<O>,
  O extends string,
  S extends string,
  Full,
> {
  /** The model of the tokens. */
  readonly tokens: ModelOf<K>
  readonly accounts: ModelOf<A>
  /** The field of a token that references its account, such as `userId`. */
  readonly owner: O
  /**
   * Returns the values that were verified before a token is created, such as the hash of the password: none is created once one has
   * changed.
   */
  readonly bind: Bind<A>
  /** What a token can allow. */
  readonly scopes: readonly S[]
  /** The beginning of each token, such as `shop_`, by which tools find published tokens. */
  readonly prefix: string
  /** How many tokens an account can have that have not expired. */
  readonly most: number
  /** What happens to one more: it is refused, or replaces the oldest. */
  readonly more: Full
}

interface NewToken<S> {
  readonly name: string
  readonly scopes: readonly S[]
  /** After how many days the token expires. */
  readonly days: number
}

/** A valid token, and the account for which it acts. */
interface FoundToken<A, K, S> {
  readonly token: K
  readonly scopes: readonly S[]
  readonly account: A
}

interface HasTokenUser<A> {
  /** The user for whom the token acts. The member `bearer` has the token too. */
  readonly currentUser: A
}

type TokenTrait<A, K, S> = <B extends ControllerClass>(
  Base: B,
) => B & Ctor<HasBearer<FoundToken<A, K, S>> & HasTokenUser<A>>

type TokenColumns = {
  readonly id: ParamType<number>
  readonly name: ParamType<string>
  readonly prefix: ParamType<string>
  readonly tokenHash: ParamType<string>
  readonly scopes: ParamType<readonly string[]>
  readonly lastUsedAt: OptionalParamType<Temporal.Instant>
  readonly expiresAt: ParamType<Temporal.Instant>
}

/** The result of `create`: the text of the token, or undefined where more tokens are refused. */
type Created<Full> = 'refuse' extends Full ? string | undefined : string

/** The tokens of an application; {@link accountTokens} creates them. */
export class AccountTokens<
  A extends Account,
  K extends TokenRow & Owned<O>,
  O extends string,
  S extends string,
  Full,
> {
  readonly #options: AccountTokenOptions<A, K, O, S, Full>
  readonly #accounts: AccountStore<A>
  readonly #tokens: OwnedTable<TokenColumns>
  readonly #tokenAccount
  /** A rule for the names of scopes: a token can allow each of them. */
  readonly knownScopes: Rule<readonly string[]>

  constructor(options: AccountTokenOptions<A, K, O, S, Full>) {
    this.#options = options
    this.#accounts = new AccountStore(options)
    this.#tokens = ownedTable<TokenColumns>(options.tokens)
    const { owner, table } = this.#accounts
    this.#tokenAccount = belongsTo(this.#tokens, owner, table)
    const known = new Set<string>(options.scopes)
    const areKnown = (names: readonly string[]) => names.every((name) => known.has(name))
    this.knownScopes = rule('oneOf', areKnown, options.scopes.join(', '))
  }

  /**
   * A trait for controllers of programs: requests need a token, which acts for the user `currentUser`. Mix in `requireScopes` for what the
   * token must allow.
   */
  readonly currentUser: TokenTrait<A, K, S> = (Base) => {
    const authenticate = authenticateBearer({ find: (hash: string) => this.find(hash) })
    abstract class CurrentUserByToken extends authenticate(Base) implements HasTokenUser<A> {
      get currentUser(): A {
        return this.bearer.account
      }
    }
    return CurrentUserByToken
  }

  /**
   * Creates a token and returns its text, which cannot be read again. Removes the expired tokens of the account. If it has too many,
   * the result is undefined, or the oldest token is removed, as the option `more` says.
   * @throws HttpError 409 `accounts.account-changed` if a value of `bind` has changed since `account` was read
   */
  create(account: A, token: NewToken<S>): Promise<Created<Full>> {
    return this.#accounts.table.inTransaction(async () => {
      // Requests at the same time count one after the other.
      await this.#accounts.lock(account)
      return this.#insert(account.id, token)
    }) as Promise<Created<Full>>
  }

  async #insert(id: number, { name, scopes, days }: NewToken<S>): Promise<string | undefined> {
    const { most, more, prefix: start } = this.#options
    const own = this.#tokens.where(this.#accounts.owner, '=', id)
    await own.where('expiresAt', '<=', Temporal.Now.instant()).deleteAll()
    if (more === 'refuse' && (await own.count()) >= most) return undefined
    if (more === 'replace') await this.#keepNewest(id, most - 1)
    const { token, hash: tokenHash } = randomToken(start)
    const expiresAt = Temporal.Now.instant().add({ hours: days * 24 })
    const values = { name, prefix: token.slice(0, 12), tokenHash, scopes: [...scopes], expiresAt }
    await this.#tokens.create(permitValues({ ...values, [this.#accounts.owner]: id }))
    return token
  }

  /** Ends a token of an account. Returns false if the account has no token with this key. */
  async end(account: Account, id: number): Promise<boolean> {
    const own = this.#tokens.where(this.#accounts.owner, '=', account.id)
    return (await own.where({ id }).deleteAll()) === 1
  }

  async #keepNewest(id: number, count: number): Promise<void> {
    const own = this.#tokens.where(this.#accounts.owner, '=', id)
    const newest = own.orderBy('id', 'desc').limit(count)
    const kept = await newest.pluck('id')
    const oldest = kept.at(-1)
    await (oldest === undefined ? own : own.where('id', '<', oldest)).deleteAll()
  }

  /**
   * Finds the token with this hash, unless it has expired, and the user for whom it acts. Stores the time of its use at most once a
   * minute. Runs outside the transaction of the request, which may only read.
   */
  find(tokenHash: string): Promise<FoundToken<A, K, S> | undefined> {
    return outsideTransaction(() => this.#findValid(tokenHash))
  }

  async #findValid(tokenHash: string): Promise<FoundToken<A, K, S> | undefined> {
    const valid = this.#tokens.where({ tokenHash }).where('expiresAt', '>', Temporal.Now.instant())
    const token = await valid.include({ account: this.#tokenAccount }).findFirst()
    if (token?.account === undefined) return undefined
    await this.#recordUse(token)
    const scopes = token.scopes as readonly S[]
    return { token: token as unknown as K, scopes, account: token.account as A }
  }

  async #recordUse({ id, lastUsedAt }: Pick<TokenRow, 'id' | 'lastUsedAt'>): Promise<void> {
    const now = Temporal.Now.instant()
    if (lastUsedAt !== undefined && lastUsedAt.until(now).total('seconds') < 60) return
    await this.#tokens.where({ id }).updateAll(permitValues({ lastUsedAt: now }))
  }

  /** Creates a token with all scopes for a test, and returns the headers of the program that has it. */
  async headersOf({ id }: Account): Promise<{ readonly authorization: string }> {
    const { scopes } = this.#options
    const token = await this.#insert(id, { name: 'test', scopes, days: 1 })
    return { authorization: `Bearer ${token}` }
  }
}

/**
 * Creates the tokens by which programs act for the accounts of an application:
 *
 *     const apiTokens = accountTokens({
 *       tokens: ApiToken, accounts: User, owner: 'userId', bind: ({ email, passwordHash }) => [email, passwordHash],
 *       scopes: ['read', 'write'], prefix: 'shop_', most: 50, more: 'refuse',
 *     })
 *
 * The table has the columns `id`, that of `owner`, `name`, `prefix`, `token_hash`, `scopes` (`text[]`), `last_used_at`, `expires_at`
 * and `created_at`. Methods reject with the errors of the database.
 */
export const accountTokens = <
  A extends Account,
  const O extends string,
  K extends TokenRow & Owned<O>,
  const S extends string,
  const Full extends 'refuse' | 'replace',
>(
  options: AccountTokenOptions<A, K, O, S, Full>,
): AccountTokens<A, K, O, S, Full> => new AccountTokens(options)
