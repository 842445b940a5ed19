/** The models of an application, as the functions of accounts use them. */
import { slot, type FwContext } from '../action.ts'
import { HttpError } from '../base.ts'
import { lockRow, type Columns, type FwModel, type ResourceModel } from '../model.ts'
import type { ParamType } from '../params.ts'

/** A row of the table of the accounts. */
export interface Account {
  readonly id: number
}

/** A model whose rows have at least the members of `Row`. */
export type ModelOf<Row, Id = number> = ResourceModel<Row, Id>

/** A row whose field `O` references its account. */
export type Owned<O extends string> = Readonly<Record<O, number>>

/** A table of rows that belong to accounts, with the columns that a function of accounts reads and writes. */
export type OwnedTable<C extends Columns, Key extends 'id' | OwnerField = 'id'> = FwModel<
  string,
  C & { readonly owner: ParamType<number> },
  Key
>

/** The name of the field that references the account. TypeScript knows it as `owner`; the application chooses it. */
export type OwnerField = 'owner'

export const ownedTable = <C extends Columns, Key extends 'id' | OwnerField = 'id'>(
  model: object,
): OwnedTable<C, Key> => model as OwnedTable<C, Key>

export type AccountTable = FwModel<string, { readonly id: ParamType<number> }, 'id'>

export const accountTable = (model: object): AccountTable => model as AccountTable

/** Returns the values of an account, such as the hash of its password, whose change ends what was verified with them. */
export type Bind<A> = (account: A) => readonly unknown[]

/** Returns the values of `bind` as a text. */
export const bindingOf = <A>(bind: Bind<A>, account: A): string => JSON.stringify(bind(account))

/** Locks an account until the current transaction ends. Returns false if a value of `bind` has changed since `account` was read. */
export async function lockUnchanged<A extends Account>(
  accounts: AccountTable,
  account: A,
  bind: Bind<A>,
): Promise<boolean> {
  const now = (await lockRow(accounts, account.id)) as A | undefined
  return now !== undefined && bindingOf(bind, now) === bindingOf(bind, account)
}

export const accountChanged = (): HttpError =>
  new HttpError(
    409,
    'accounts.account-changed',
    'The account has changed since it was read, for instance its password.',
  )

/** How the accounts of an application are stored. */
interface StoreOptions<A> {
  readonly accounts: ModelOf<A>
  readonly owner: string
  readonly bind: Bind<A>
}

/**
 * The accounts of an application, whose logins, passkeys, second factors and tokens are rows of other tables. A transaction locks the
 * account before it writes those rows, because two transactions with different orders could wait for each other.
 */
export class AccountStore<A extends Account> {
  readonly model: ModelOf<A>
  readonly table: AccountTable
  /** The field of the other tables that references the account. */
  readonly owner: OwnerField
  readonly bind: Bind<A>
  readonly #provedTwo = slot<number>('attempt')

  constructor({ accounts, owner, bind }: StoreOptions<A>) {
    this.model = accounts
    this.table = accountTable(accounts)
    this.owner = owner as OwnerField
    this.bind = bind
  }

  /**
   * Locks an account until the current transaction ends, so that a change of its password waits and then ends what this transaction
   * has created.
   * @throws HttpError 409 `accounts.account-changed` if a value of `bind` has changed since `account` was read
   */
  async lock(account: A): Promise<void> {
    if (!(await this.lockUnchanged(account))) throw accountChanged()
  }

  /** Locks an account as `lock`, but returns false if a value of `bind` has changed. */
  lockUnchanged(account: A): Promise<boolean> {
    return lockUnchanged(this.table, account, this.bind)
  }

  /** Locks an account, even if a value of `bind` has changed. Returns undefined if the account does not exist. */
  async lockById(id: number): Promise<A | undefined> {
    return (await lockRow(this.table, id)) as A | undefined
  }

  /** Remembers that the request has proved two factors of an account. */
  acceptTwoFactors(ctx: FwContext, { id }: Account): void {
    this.#provedTwo.set(ctx, id)
  }

  hasTwoFactors(ctx: FwContext, { id }: Account): boolean {
    return this.#provedTwo.get(ctx) === id
  }
}
