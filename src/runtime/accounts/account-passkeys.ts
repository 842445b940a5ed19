/** The passkeys of accounts (WebAuthn), as rows of the application. */
import type { FwContext } from '../action.ts'
import { packageFile } from '../base.ts'
import type { HttpResponse } from '../http.ts'
import { permitValues, type ParamType } from '../params.ts'
import {
  ownedTable,
  type Account,
  type AccountStore,
  type ModelOf,
  type OwnedTable,
} from './account-table.ts'
import {
  createOptions,
  loginOptions,
  verifyCreation,
  verifyLogin,
  type BrowserOptions,
  type StoredPasskey,
} from './passkey-ceremonies.ts'

/** The columns of a passkey, besides the reference to its account. */
export interface PasskeyRow extends StoredPasskey {
  /** The name that the owner has chosen. */
  readonly name: string
}

type PasskeyColumns = {
  readonly id: ParamType<string>
  readonly publicKey: ParamType<Uint8Array>
  readonly counter: ParamType<number>
  readonly transports: ParamType<readonly string[]>
  readonly name: ParamType<string>
}

/** Logs out all devices of an account but that of the request. */
export type EndOthers = (ctx: FwContext, account: Account) => Promise<unknown>

/** The passkeys of an application. The method `passkeys` of its logins creates them. */
export class AccountPasskeys<A extends Account> {
  readonly #passkeys: OwnedTable<PasskeyColumns>
  readonly #accounts: AccountStore<A>
  readonly #endOthers: EndOthers

  constructor(
    passkeys: ModelOf<PasskeyRow, string>,
    accounts: AccountStore<A>,
    endOthers: EndOthers,
  ) {
    this.#passkeys = ownedTable(passkeys)
    this.#accounts = accounts
    this.#endOthers = endOthers
  }

  /**
   * Returns the options by which the script of a page creates a passkey, except on devices that have one of the account. Devices show
   * `name` and the name of the site. Stores a challenge in the session.
   */
  async creationOptions(
    ctx: FwContext,
    { id }: Account,
    name: string,
    site: string,
  ): Promise<BrowserOptions> {
    const { owner, table } = this.#accounts
    const known = await this.#passkeys.where(owner, '=', id).findAll()
    // Two accounts of one site with the same id, in different tables, must not share a handle.
    return createOptions(ctx, { handle: `${id}:${table.table}`, name, site }, known)
  }

  /**
   * Stores the passkey that a browser has created. Returns false if it does not answer the challenge of the session. Does not log
   * out other devices, because none of them used this passkey.
   * @throws HttpError 409 `accounts.account-changed`
   */
  async add(ctx: FwContext, account: A, name: string, credential: string): Promise<boolean> {
    const created = await verifyCreation(ctx, credential)
    if (created === undefined) return false
    const { table, owner } = this.#accounts
    const values = permitValues({ ...created, [owner]: account.id, name })
    return table.inTransaction(async () => {
      await this.#accounts.lock(account)
      const { isNew } = await this.#passkeys.createUnlessThere(values, { by: 'id' })
      return isNew
    })
  }

  /** Removes a passkey of an account, and logs out the other devices. Returns false if the account has no passkey with this id. */
  remove(ctx: FwContext, account: A, id: string): Promise<boolean> {
    const { table, owner } = this.#accounts
    return table.inTransaction(async () => {
      await this.#accounts.lockById(account.id)
      const own = this.#passkeys.where(owner, '=', account.id).where({ id })
      if ((await own.deleteAll()) === 0) return false
      await this.#endOthers(ctx, account)
      return true
    })
  }

  /**
   * Responds with the script of the forms that have the attributes `data-passkey` and `data-options`, as `fw g authentication`
   * writes them.
   */
  sendScript({ response }: FwContext): Promise<HttpResponse> {
    return response.sendFile(packageFile('templates/authentication-passkeys/passkeys.js'))
  }

  /** Returns the options by which the script of a page asks for any passkey of this site. Stores a challenge in the session. */
  loginOptions(ctx: FwContext): Promise<BrowserOptions> {
    return loginOptions(ctx)
  }

  /**
   * Returns the account whose passkey answers the challenge of the session; undefined for any other text. Its login needs no second
   * factor. Locks the account until the current transaction ends: a concurrent removal waits, and then ends the login.
   */
  async findAccount(ctx: FwContext, credential: string): Promise<A | undefined> {
    const found = await verifyLogin(ctx, credential, (id) => this.#passkeys.findById(id))
    if (found === undefined) return undefined
    const { passkey, counter } = found
    const { table, owner } = this.#accounts
    return table.inTransaction(async () => {
      const account = await this.#accounts.lockById(passkey[owner])
      const own = this.#passkeys.where({ id: passkey.id })
      const count = await own.updateAll(permitValues({ counter }))
      // It was removed meanwhile.
      if (account === undefined || count === 0) return undefined
      this.#accounts.acceptTwoFactors(ctx, account)
      return account
    })
  }
}
