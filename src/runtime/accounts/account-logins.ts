/** `accountLogins`: the devices on which users are logged in, as rows of the application, and traits for its controllers. */
import { slot, type ControllerClass, type Ctor, type FwContext } from '../action.ts'
import { HttpError, Temporal } from '../base.ts'
import { LoginRedirects, type HasLoginRedirects } from '../feature.ts'
import { hasMany } from '../model.ts'
import { ParamType, permitValues, type OptionalParamType } from '../params.ts'
import { AccountPasskeys, type EndOthers, type PasskeyRow } from './account-passkeys.ts'
import {
  AccountSecondFactors,
  type CodeRow,
  type FactorRow,
  type SecondFactorOptions,
} from './account-second-factors.ts'
import {
  AccountStore,
  ownedTable,
  type Account,
  type Bind,
  type ModelOf,
  type Owned,
  type OwnedTable,
} from './account-table.ts'
import {
  rememberedDevices,
  type RememberedDevices,
  type StoredLogin,
} from './remembered-devices.ts'

/** The columns of a login, besides the reference to its account. */
interface LoginRow extends StoredLogin {
  /** The header `User-Agent` of the device, at most 512 characters. */
  readonly userAgent: string
  /** The time of the last change, such as of the remembered token. */
  readonly updatedAt: Temporal.Instant
}

/** Where the logins are stored, and how long they last. */
interface AccountLoginOptions<A extends Account, L extends LoginRow, O> {
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
}

interface HasCurrentUser<A> {
  /** The user who is logged in; null for other visitors. Views declare it: `<%@val currentUser: User | null %>`. */
  readonly currentUser: A | null
}

interface HasLogin<A> {
  /** The user who is logged in. */
  readonly currentUser: A
}

type CurrentUserTrait<A> = <B extends ControllerClass>(
  Base: B,
) => B & Ctor<HasLoginRedirects & HasCurrentUser<A>>

/** Redirects a visitor to the login by throwing, such as with `redirectToLogin`; may be asynchronous. It never returns. */
type Ask<C> = (controller: C) => Promise<never>

/** A trait for controllers with the members of `C`. */
type LoginTrait<A, C> = <B extends ControllerClass & Ctor<C>>(Base: B) => B & Ctor<HasLogin<A>>

/** The login of a request. */
interface CurrentLogin<A> {
  readonly id: number
  readonly account: A
}

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
  #secondFactors: AccountSecondFactors<A> | undefined
  readonly #freshMillis: number
  readonly #current = slot<CurrentLogin<A> | undefined>('attempt')
  readonly #remembered: RememberedDevices<StoredLogin & { readonly owner: number }>

  constructor(options: AccountLoginOptions<A, L, O>) {
    const { logins, rememberedDays, freshMinutes } = options
    this.#logins = ownedTable<LoginColumns>(logins)
    this.#accounts = new AccountStore(options)
    const { table, owner } = this.#accounts
    this.#accountLogins = hasMany(table, this.#logins, owner)
    this.#freshMillis = freshMinutes * 60_000
    this.#remembered = rememberedDevices({
      days: rememberedDays,
      find: (id) => this.#logins.findById(id),
      replace: ({ id, rememberHash }, columns) =>
        this.#logins
          .where({ id, rememberHash: rememberHash ?? null })
          .updateAll(permitValues(columns, 'rememberHash', 'previousHash', 'rotatedAt')),
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
    return this.#require(function requireLogin(controller) {
      if (controller.currentUser === null) return refuse(ask(controller as C))
    })
  }

  /**
   * Creates a trait for controllers with acts that others at an open device must not do. `ask` leads visitors to the login whose
   * last one is not fresh, or who have none; if it returns, they get 401.
   */
  requireFresh<C extends HasCurrentUser<A>>(ask: Ask<C>): LoginTrait<A, C> {
    const freshMillis = this.#freshMillis
    return this.#require(function requireFresh(controller, { session }) {
      const freshAt = session.getAs('freshAt', ParamType.Long) ?? 0
      const isFresh = Date.now() - freshAt <= freshMillis
      if (controller.currentUser === null || !isFresh) return refuse(ask(controller as C))
    })
  }

  #require<C extends HasCurrentUser<A>>(
    check: (controller: HasCurrentUser<A>, ctx: FwContext) => Promise<never> | undefined,
  ): LoginTrait<A, C> {
    return (Base) => {
      abstract class RequireLogin extends Base {
        static {
          this.before(check)
        }
      }
      return RequireLogin as never
    }
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
      // Sent at once: the database finds the second factor after it has locked the account.
      const [, needsCode] = await Promise.all([
        this.#accounts.lock(account),
        this.#secondFactors?.isMissing(ctx, account),
      ])
      if (needsCode === true) {
        this.#secondFactors?.ask(ctx, account, remember)
        return false
      }
      await this.end(ctx, account)
      const id = await this.#create(account, ctx.request.userAgent ?? '')
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
    const login = await this.#logins.findById(id)
    await this.#logins.deleteById(id)
    if (login?.[this.#accounts.owner] !== next?.id) ctx.session.endSession()
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
    const own = this.#logins.where(this.#accounts.owner, '=', account.id)
    return (await own.where({ id }).deleteAll()) === 1
  }

  /** Logs out all devices of an account. Returns their number. */
  endAll({ id }: Account): Promise<number> {
    return this.#logins.where(this.#accounts.owner, '=', id).deleteAll()
  }

  /**
   * Logs out all devices of an account but that of the request, whose session gets a new id if it is logged in to the account:
   * after each change of what the owner logs in with. Returns their number.
   */
  endOthers(ctx: FwContext, { id }: Account): Promise<number> {
    const current = this.#current.get(ctx)
    const all = this.#logins.where(this.#accounts.owner, '=', id)
    if (current?.account.id !== id) return all.deleteAll()
    ctx.session.renewSession()
    return all.where('id', '<>', current.id).deleteAll()
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

  /**
   * Creates the second factors of the same accounts, with the package `otpauth`; `begin` then asks for the codes. The table of the
   * factors has the columns of `owner`, `sealed_secret` (512 characters), `last_step` and `created_at`; that of the recovery codes
   * `id`, that of `owner` and `code_hash` (64), unique together. Methods of the result reject with `accounts.package-missing` and
   * `accounts.no-application`.
   */
  secondFactors<F extends FactorRow & Owned<O>, R extends CodeRow & Owned<O>>(
    options: SecondFactorOptions<F, R>,
  ): AccountSecondFactors<A> {
    this.#secondFactors = new AccountSecondFactors(options, this.#accounts, this.#endOthers)
    return this.#secondFactors
  }

  readonly #endOthers: EndOthers = (ctx, account) => this.endOthers(ctx, account)

  /** Begins a login for a test, and returns what its session contains. */
  async sessionOf(account: Account): Promise<SessionOfLogin> {
    return { ...this.#attributes(await this.#create(account, 'test')), freshAt: Date.now() }
  }

  /** Stores a login, and returns its key. */
  #create({ id }: Account, userAgent: string): Promise<number> {
    const { owner } = this.#accounts
    const values = { [owner]: id, userAgent: userAgent.slice(0, 512) }
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
    const login = await this.#remembered.resume(ctx)
    const account = login && (await this.#accounts.model.findById(login[this.#accounts.owner]))
    if (login === undefined || account === undefined) return this.#show(ctx, undefined)
    ctx.session.renewSession()
    this.#enter(ctx, this.#attributes(login.id), account)
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

/** Responds 401 if `ask` returns in spite of its type. */
async function refuse(asked: Promise<never>): Promise<never> {
  await asked
  throw new HttpError(401, 'accounts.login-required', 'The page needs a login.')
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
 * logins of several tables.
 */
export const accountLogins = <
  A extends Account,
  const O extends string,
  L extends LoginRow & Owned<O>,
>(
  options: AccountLoginOptions<A, L, O>,
): AccountLogins<A, L, O> => new AccountLogins(options)
