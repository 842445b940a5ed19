/** `accountLogins`: the devices on which users are logged in, as rows of the application, and traits for its controllers. */
import { slot, type FwContext } from '../action.ts'
import { Temporal } from '../base.ts'
import { outsideReadOnly } from '../db.ts'
import { LoginRedirects } from '../feature.ts'
import { hasHooks, hasMany, insertOwned } from '../model.ts'
import { ParamType, permitValues, type OptionalParamType } from '../params.ts'
import { AccountPasskeys, type EndOthers, type PasskeyRow } from './account-passkeys.ts'
import {
  AccountSecondFactors,
  type CodeRow,
  type FactorRow,
  type SecondFactorOptions,
  type WithSecondFactors,
} from './account-second-factors.ts'
import {
  accountChanged,
  AccountStore,
  ownedTable,
  type Account,
  type Bind,
  type ModelOf,
  type Owned,
  type OwnedTable,
} from './account-table.ts'
import {
  refuse,
  requireBefore,
  type Ask,
  type CurrentUserTrait,
  type HasCurrentUser,
  type LoginTrait,
} from './login-traits.ts'
import {
  rememberedDevices,
  type RememberedDevices,
  type StoredLogin,
  type TokenColumns,
} from './remembered-devices.ts'

/** The columns of a login, besides the reference to its account. */
interface LoginRow extends StoredLogin {
  /** The header `User-Agent` of the device, at most 512 characters. */
  readonly userAgent: string
  /** The time of the last change, such as of the remembered token. */
  readonly updatedAt: Temporal.Instant
}

/** Where the logins are stored, and how long they last. */
interface AccountLoginOptions<A extends Account, L extends LoginRow, O extends string> {
  /** The model of the logins. */
  readonly logins: ModelOf<L>
  readonly accounts: ModelOf<A>
  /** The field of a login that references its account, such as `userId`. Passkeys and second factors have it too. */
  readonly owner: O
  /**
   * Returns the values that a login verifies, such as the address and the hash of the password. A login that has verified one of
   * them does not begin once it has another value.
   */
  readonly bind: Bind<A>
  /** For how many days a remembered device stays logged in without being used. */
  readonly rememberedDays: number
  /** For how many minutes after it began a login is fresh. */
  readonly freshMinutes: number
  /**
   * The tables of the second factors, with the package `otpauth`: {@link AccountSecondFactors}. The table of the factors has the columns
   * of `owner`, `sealed_secret` (512 characters), `last_step` and `created_at`; that of the recovery codes `id`, that of `owner` and
   * `code_hash` (64), unique together.
   */
  readonly secondFactors?: SecondFactorOptions<FactorRow & Owned<O>, CodeRow & Owned<O>>
}

/** The login of a request. */
interface CurrentLogin<A> {
  readonly id: number
  readonly account: A
}

/** A login as `rememberedDevices` passes it on. */
type OwnedLogin = StoredLogin & { readonly owner?: number }

/** What a session contains of a login. */
type SessionOfLogin = {
  readonly loginId: number
  /** The table of the login, because accounts of another table have the same ids. */
  readonly loginTable: string
  /** When the user has proved who they are, in milliseconds since 1970. A login that a remembered token resumes has none. */
  readonly freshAt?: number
}

type LoginColumns = {
  readonly id: ParamType<number>
  readonly userAgent: ParamType<string>
  readonly rememberHash: OptionalParamType<string>
  readonly previousHash: OptionalParamType<string>
  readonly rotatedAt: OptionalParamType<Temporal.Instant>
  readonly updatedAt: ParamType<Temporal.Instant>
}

/** The logins of an application; {@link accountLogins} creates them. */
export class AccountLogins<A extends Account, L extends LoginRow & Owned<O>, O extends string> {
  readonly #accounts: AccountStore<A>
  readonly #logins: OwnedTable<LoginColumns>
  readonly #accountLogins
  /** The second factors of the accounts; undefined without the option. */
  readonly secondFactors: AccountSecondFactors<A> | undefined
  readonly #factors: object | undefined
  readonly #freshMillis: number
  readonly #current = slot<CurrentLogin<A> | undefined>('attempt')
  readonly #remembered: RememberedDevices<StoredLogin & { readonly owner: number }>

  constructor(options: AccountLoginOptions<A, L, O>) {
    const { logins, rememberedDays, freshMinutes, secondFactors } = options
    this.#logins = ownedTable<LoginColumns>(logins)
    this.#accounts = new AccountStore(options)
    const { table, owner } = this.#accounts
    this.#accountLogins = hasMany(table, this.#logins, owner)
    this.#factors = secondFactors?.factors
    this.secondFactors =
      secondFactors && new AccountSecondFactors(secondFactors, this.#accounts, this.#endOthers)
    this.#freshMillis = freshMinutes * 60_000
    this.#remembered = rememberedDevices({
      days: rememberedDays,
      find: (id) => this.#logins.findById(id),
      replace: (login, columns) => this.#replaceToken(login, columns),
      remove: (id) => this.#logins.deleteById(id),
      cookie: `remember_${this.#logins.table.replace(/\W/g, '_')}`,
    })
  }

  /**
   * A trait for the base of all controllers: finds the user who is logged in, before other filters run. Logs a remembered device in
   * again whose session has ended, and ends the session of a device that another one has logged out.
   */
  readonly currentUser: CurrentUserTrait<A> = (Base) => {
    const find = (ctx: FwContext) => this.#find(ctx)
    const current = (ctx: FwContext) => this.current(ctx)
    abstract class CurrentUser extends LoginRedirects(Base) implements HasCurrentUser<A> {
      static {
        this.before(async function showCurrentUser(_controller, ctx) {
          await find(ctx)
        })
      }
      get currentUser(): A | null {
        return current(this.ctx)
      }
    }
    return CurrentUser
  }

  /** Creates a trait for controllers that need a login. `ask` leads other visitors to it; if it returns, they get 401. */
  requireLogin<C extends HasCurrentUser<A>>(ask: Ask<C>): LoginTrait<A, C> {
    return requireBefore(function requireLogin(controller) {
      if (controller.currentUser === null) return refuse(ask(controller as C))
    })
  }

  /**
   * Creates a trait for controllers with acts that others at an open device must not do. `ask` leads visitors to the login whose
   * last one is not fresh, or who have none; if it returns, they get 401.
   */
  requireFresh<C extends HasCurrentUser<A>>(ask: Ask<C>): LoginTrait<A, C> {
    const freshMillis = this.#freshMillis
    return requireBefore(function requireFresh(controller, { session }) {
      const freshAt = session.getAs('freshAt', ParamType.Long) ?? 0
      const isFresh = Date.now() - freshAt <= freshMillis
      if (controller.currentUser === null || !isFresh) return refuse(ask(controller as C))
    })
  }

  /** Returns the user who is logged in; null for other visitors, and before the filter of `currentUser`. */
  current(ctx: FwContext): A | null {
    return this.#current.get(ctx)?.account ?? null
  }

  /** Returns the key of the visitor's login; undefined if no user is logged in. */
  currentId(ctx: FwContext): number | undefined {
    return this.#current.get(ctx)?.id
  }

  /**
   * Logs a user in: with a new session id, and as a new login. With `remember`, the login outlives its session. Returns false if the
   * account has a second factor that the request has not proved: the login then waits for its code. Locks the account: a change of its
   * password at the same time waits, and can then end the login.
   * @throws HttpError 409 `accounts.account-changed` if a value of `bind` has changed since `account` was read
   */
  begin(ctx: FwContext, account: A, remember: boolean): Promise<boolean> {
    return this.#accounts.table.inTransaction(async () => {
      const id = await this.#store(ctx, account)
      if (id === undefined) {
        this.secondFactors?.ask(ctx, account, remember)
        return false
      }
      await this.end(ctx, account)
      ctx.session.renewSession()
      this.#enter(ctx, { ...this.#attributes(id), freshAt: Date.now() }, account)
      if (remember) await this.#remembered.remember(ctx, { id })
      return true
    })
  }

  /** Logs this device out. Ends its session too, unless `next`, the user who logs in now, is the one who was logged in. */
  async end(ctx: FwContext, next?: A): Promise<void> {
    const id = this.currentId(ctx) ?? this.#readId(ctx)
    if (id === undefined) return
    const login = next && (await this.#logins.findById(id))
    await this.#logins.deleteById(id)
    if (next === undefined || login?.[this.#accounts.owner] !== next.id) ctx.session.endSession()
    this.#forget(ctx)
  }

  #forget(ctx: FwContext): void {
    this.#show(ctx, undefined)
    this.#remembered.forget(ctx)
  }

  /** Returns the account of a login; undefined once it has ended. */
  findAccount(id: number): Promise<A | undefined> {
    const account = this.#accounts.table.where(this.#accountLogins, { id }).findFirst()
    return account as unknown as Promise<A | undefined>
  }

  /** Logs out one device of an account. Returns false if the account has no login with this key. */
  async endOne(account: Account, id: number): Promise<boolean> {
    return (await this.#ownLogins(account.id).where({ id }).deleteAll()) === 1
  }

  #ownLogins(id: number) {
    return this.#logins.where(this.#accounts.owner, '=', id)
  }

  /** Logs out all devices of an account. Returns their number. Locks the account. */
  endAll({ id }: Account): Promise<number> {
    return this.#accounts.table.inTransaction(async () => {
      await this.#accounts.lockById(id)
      return this.#ownLogins(id).deleteAll()
    })
  }

  /**
   * Logs out all devices of an account but that of the request, whose session gets a new id if it is logged in to the account:
   * after each change of what the owner logs in with. Returns their number. Locks the account.
   */
  endOthers(ctx: FwContext, account: Account): Promise<number> {
    const current = this.#current.get(ctx)
    if (current?.account.id !== account.id) return this.endAll(account)
    ctx.session.renewSession()
    return this.#accounts.table.inTransaction(async () => {
      await this.#accounts.lockById(account.id)
      return this.#ownLogins(account.id).where('id', '<>', current.id).deleteAll()
    })
  }

  /** Deletes an account with its logins, and ends the session. Rows of other tables end by their foreign keys. Locks the account. */
  deleteAccount(ctx: FwContext, account: Account): Promise<void> {
    return this.#accounts.table.inTransaction(async () => {
      await this.endAll(account)
      await this.#accounts.table.deleteById(account.id)
      ctx.session.endSession()
      this.#forget(ctx)
    })
  }

  /** Removes the logins that are too old to be resumed. Returns their number. */
  sweep(): Promise<number> {
    const oldest = Temporal.Now.instant().subtract({ hours: this.#remembered.days * 24 })
    return this.#logins.where('updatedAt', '<', oldest).deleteAll()
  }

  /**
   * Creates the passkeys of the same accounts, with the package `@simplewebauthn/server`. The table has the columns `id` (1400
   * characters), that of `owner`, `public_key` (`bytea`), `counter`, `transports` (`text[]`), `name` and `created_at`. The host of a
   * request is the site of a passkey; in production, the setting `server.hosts` determines the possible hosts. Methods of the result
   * reject with `accounts.package-missing`.
   */
  passkeys<P extends PasskeyRow & Owned<O>>(passkeys: ModelOf<P, string>): AccountPasskeys<A> {
    return new AccountPasskeys(passkeys, this.#accounts, this.#endOthers)
  }

  readonly #endOthers: EndOthers = (ctx, account) => this.endOthers(ctx, account)

  /** Begins a login for a test, and returns what its session contains. */
  async sessionOf(account: Account): Promise<SessionOfLogin> {
    return { ...this.#attributes(await this.#create(account, 'test')), freshAt: Date.now() }
  }

  /**
   * Locks an account and stores a login, whose key it returns; undefined if the account has a second factor that the request has not
   * proved. The statement that stores the login looks for the second factor, because its snapshot is newer than the lock.
   */
  async #store(ctx: FwContext, account: A): Promise<number | undefined> {
    const userAgent = (ctx.request.userAgent ?? '').slice(0, 512)
    const isProved = this.#accounts.hasTwoFactors(ctx, account)
    const unless = isProved ? undefined : this.#factors
    if (hasHooks(this.#logins)) {
      await this.#accounts.lock(account)
      const needsCode = unless !== undefined && (await this.secondFactors?.has(account)) === true
      return needsCode ? undefined : this.#create(account, userAgent)
    }
    const { table: owners, owner: field } = this.#accounts
    const text = { field: 'userAgent', value: userAgent }
    // Sent at once: a round trip costs more than the statement.
    const [isUnchanged, id] = await Promise.all([
      this.#accounts.lockUnchanged(account),
      insertOwned<number>(this.#logins, { owners, field, unless }, account.id, text),
    ])
    if (isUnchanged) return id
    if (id !== undefined) await this.#logins.deleteById(id)
    throw accountChanged()
  }

  /** Stores a login, and returns its key. */
  #create({ id }: Account, userAgent: string): Promise<number> {
    const { owner } = this.#accounts
    const values = { [owner]: id, userAgent }
    return this.#logins.createWithPermittedAttributes(permitValues(values, owner, 'userAgent'))
  }

  async #find(ctx: FwContext): Promise<void> {
    const id = this.#readId(ctx)
    if (id === undefined) return this.#resume(ctx)
    const account = await this.findAccount(id)
    // Another device has ended this login.
    if (account === undefined) ctx.session.endSession()
    this.#show(ctx, account && { id, account })
  }

  /** Returns the key of the session's login. Does not read a new session, so that pages of visitors without one can be cached. */
  #readId({ session }: FwContext): number | undefined {
    if (session.isNew || session.get('loginTable') !== this.#logins.table) return undefined
    return session.getAs('loginId', ParamType.Long)
  }

  /** Logs a device in whose session has ended but whose token remembers it. */
  async #resume(ctx: FwContext): Promise<void> {
    const login = await outsideReadOnly(() => this.#remembered.resume(ctx))
    const account = login && (await this.#accounts.model.findById(login[this.#accounts.owner]))
    if (login === undefined || account === undefined) return this.#show(ctx, undefined)
    ctx.session.renewSession()
    this.#enter(ctx, this.#attributes(login.id), account)
  }

  /** Replaces the token of a login. A login that begins has no owner here, because `begin` has locked the account. */
  #replaceToken(login: OwnedLogin, columns: TokenColumns): Promise<number> {
    return this.#accounts.table.inTransaction(async () => {
      const owner = login[this.#accounts.owner]
      if (owner !== undefined) await this.#accounts.lockById(owner)
      const { id, rememberHash = null } = login
      return this.#logins
        .where({ id, rememberHash })
        .updateAll(permitValues(columns, 'rememberHash', 'previousHash', 'rotatedAt'))
    })
  }

  #attributes(loginId: number): SessionOfLogin {
    return { loginId, loginTable: this.#logins.table }
  }

  #enter(ctx: FwContext, attributes: SessionOfLogin, account: A): void {
    for (const [name, value] of Object.entries(attributes)) ctx.session.set(name, value)
    this.#show(ctx, { id: attributes.loginId, account })
  }

  /** Makes a login that of the request, and its user that of the views. */
  #show(ctx: FwContext, login: CurrentLogin<A> | undefined): void {
    this.#current.set(ctx, login)
    ctx.requestScope().set(currentUserKey, login?.account ?? null)
  }
}

/** The name of the user in the request scope, which views read. */
const currentUserKey = 'currentUser'

/**
 * Creates the logins of an application: a row for each device on which a user is logged in. Deleting the row logs the device out.
 *
 *     const bind = ({ email, passwordHash }: User) => [email, passwordHash]
 *     const logins = accountLogins({
 *       logins: Login, accounts: User, owner: 'userId', bind, rememberedDays: 60, freshMinutes: 10,
 *     })
 *
 * The table has the columns `id`, that of `owner`, `user_agent`, `remember_hash` and `previous_hash` (64 characters), `rotated_at`,
 * `created_at` and `updated_at`. Methods reject with the errors of the database. A session has one login, also if an application has
 * logins of several tables. With the option `secondFactors`, `begin` asks for the codes.
 */
export function accountLogins<
  A extends Account,
  const O extends string,
  L extends LoginRow & Owned<O>,
>(
  options: WithSecondFactors<AccountLoginOptions<A, L, O>>,
): WithSecondFactors<AccountLogins<A, L, O>>
/**
 * Creates logins without second factors. Keep this overload last: it also accepts the option `secondFactors`, and TypeScript uses
 * the first overload that matches.
 */
export function accountLogins<
  A extends Account,
  const O extends string,
  L extends LoginRow & Owned<O>,
>(options: AccountLoginOptions<A, L, O>): AccountLogins<A, L, O>
export function accountLogins<
  A extends Account,
  const O extends string,
  L extends LoginRow & Owned<O>,
>(options: AccountLoginOptions<A, L, O>): AccountLogins<A, L, O> {
  return new AccountLogins(options)
}
