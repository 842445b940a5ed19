/** The passkeys of accounts (WebAuthn), as rows of the application. */
import type { FwContext } from '../action.ts'
import { permitValues, type ParamType } from '../params.ts'
import {
  ownedTable,
  type Account,
  type ModelOf,
  type OwnedTable,
  type OwnerField,
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

/** The passkeys of an application. The method `passkeys` of its logins creates them. */
export class AccountPasskeys<A extends Account> {
  readonly #passkeys: OwnedTable<PasskeyColumns>
  readonly #accounts: ModelOf<A>
  readonly #owner: OwnerField
  readonly #accountTable: string

  /** @param accountTable the table of the accounts: two accounts with the same id on one site must not share a handle */
  constructor(
    passkeys: ModelOf<PasskeyRow, string>,
    accounts: ModelOf<A>,
    owner: OwnerField,
    accountTable: string,
  ) {
    this.#passkeys = ownedTable(passkeys)
    this.#accounts = accounts
    this.#owner = owner
    this.#accountTable = accountTable
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
    const known = await this.#passkeys.where(this.#owner, '=', id).findAll()
    return createOptions(ctx, { handle: `${id}:${this.#accountTable}`, name, site }, known)
  }

  /** Stores the passkey that a browser has created. Returns false if it does not answer the challenge of the session. */
  async add(ctx: FwContext, { id }: Account, name: string, credential: string): Promise<boolean> {
    const created = await verifyCreation(ctx, credential)
    if (created === undefined) return false
    const values = { ...created, [this.#owner]: id, name }
    const { isNew } = await this.#passkeys.createUnlessThere(permitValues(values), { by: 'id' })
    return isNew
  }

  /** Returns the options by which the script of a page asks for any passkey of this site. Stores a challenge in the session. */
  loginOptions(ctx: FwContext): Promise<BrowserOptions> {
    return loginOptions(ctx)
  }

  /** Returns the account whose passkey answers the challenge of the session; undefined for any other text. */
  async findAccount(ctx: FwContext, credential: string): Promise<A | undefined> {
    const find = (id: string) => this.#passkeys.findById(id)
    const found = await verifyLogin(ctx, credential, find)
    if (found === undefined) return undefined
    const { passkey, counter } = found
    await this.#passkeys.where({ id: passkey.id }).updateAll(permitValues({ counter }))
    return this.#accounts.findById(passkey[this.#owner])
  }
}
