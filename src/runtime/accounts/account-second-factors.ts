/** The second factors of accounts: codes of an app that shares a secret (TOTP, RFC 6238), and recovery codes for its loss. */
import { hash } from 'node:crypto'
import type { TOTP } from 'otpauth'
import type { FwContext } from '../action.ts'
import { FwError } from '../base.ts'
import { rateLimit } from '../feature.ts'
import { permitValues, type ParamType } from '../params.ts'
import { accountLink, type AccountLink } from './account-link.ts'
import type { EndOthers } from './account-passkeys.ts'
import {
  ownedTable,
  type Account,
  type AccountStore,
  type ModelOf,
  type OwnedTable,
  type OwnerField,
} from './account-table.ts'
import { sealText, unsealText } from './application-keys.ts'
import { attemptLimiter } from './attempt-limiter.ts'

/** The columns of a second factor, besides the reference to its account, which is its primary key. */
export interface FactorRow {
  /** The encrypted secret, at most 512 characters. */
  readonly sealedSecret: string
  /** The last half minute whose code was used, counted since 1970. */
  readonly lastStep: number
}

export interface CodeRow {
  readonly id: number
  /** 64 characters. */
  readonly codeHash: string
}

/** Where the second factors are stored. */
export interface SecondFactorOptions<F extends FactorRow, R extends CodeRow> {
  /** The model of the secrets. Its primary key is the field that references the account. */
  readonly factors: ModelOf<F>
  /** The model of the recovery codes. */
  readonly codes: ModelOf<R>
}

/** An object whose second factors are present. */
export type WithSecondFactors<T extends { readonly secondFactors?: unknown }> = T & {
  readonly secondFactors: NonNullable<T['secondFactors']>
}

/** A new secret, as an app reads it. */
interface NewSecret {
  /** In base32, to type it. */
  readonly secret: string
  /** The content of the QR code. */
  readonly uri: string
}

/** A login that waits for its code. */
interface PendingLogin<A> {
  readonly account: A
  /** Whether the device stays logged in. */
  readonly remember: boolean
}

/** The attribute of the session with the login that waits for its code. Its proof has the table of the account as purpose. */
const pendingKey = 'pendingLogin'
/** The attribute of the session with the sealed secret, until a code shows that the app has it. */
const secretKey = 'newSecret'
const recoveryCount = 10

interface StoredLogin {
  readonly id: number
  readonly remember: boolean
  /** Proves that the password was right. */
  readonly proof: string
}

const readStored = ({ session }: FwContext): StoredLogin | undefined =>
  session.get(pendingKey) as StoredLogin | undefined

async function loadPackage() {
  try {
    return await import('otpauth')
  } catch (cause) {
    throw new FwError(
      'accounts.package-missing',
      'A second factor needs the package otpauth: npm install otpauth@9',
      { cause },
    )
  }
}

/** The codes of a secret. */
async function createTotp(secret: string, label = '', issuer = ''): Promise<TOTP> {
  const { Secret, TOTP } = await loadPackage()
  return new TOTP({ secret: Secret.fromBase32(secret), label, issuer })
}

/** Returns the time step of 30 seconds to which a code belongs. Accepts the steps before and after too, because clocks differ. */
async function findStep(secret: string, code: string): Promise<number | undefined> {
  const totp = await createTotp(secret)
  const delta = totp.validate({ token: code.replace(/\s/g, ''), window: 1 })
  return delta === null ? undefined : totp.counter() + delta
}

/** Returns codes of 80 random bits, such as `ABCD-EFGH-…`. */
async function createRecoveryCodes(): Promise<readonly string[]> {
  const { Secret } = await loadPackage()
  const create = () => new Secret({ size: 10 }).base32.replace(/.{4}(?=.)/g, '$&-')
  return Array.from({ length: recoveryCount }, create)
}

const hashCode = (code: string): string =>
  hash('sha256', code.toUpperCase().replace(/[^A-Z2-7]/g, ''))

/** The second factors of an application, as `logins.secondFactors` of the option `secondFactors`. */
export class AccountSecondFactors<A extends Account> {
  readonly #factors: OwnedTable<
    { readonly sealedSecret: ParamType<string>; readonly lastStep: ParamType<number> },
    OwnerField
  >
  readonly #codes: OwnedTable<{ readonly codeHash: ParamType<string> }>
  readonly #accounts: AccountStore<A>
  readonly #endOthers: EndOthers
  readonly #proof: AccountLink<A>
  readonly #limiter = attemptLimiter({ name: 'account-code', attempts: 5 })

  constructor(
    { factors, codes }: SecondFactorOptions<FactorRow, CodeRow>,
    accounts: AccountStore<A>,
    endOthers: EndOthers,
  ) {
    this.#factors = ownedTable(factors)
    this.#codes = ownedTable(codes)
    this.#accounts = accounts
    this.#endOthers = endOthers
    const { model, bind, table } = accounts
    const purpose = `login-code ${table.table}`
    this.#proof = accountLink({ purpose, expires: '10m', accounts: model, bind })
  }

  /** Returns true if an account has a second factor. */
  async has({ id }: Account): Promise<boolean> {
    return (await this.#factors.findById(id)) !== undefined
  }

  /** Stores a new secret in the session. Only `add` makes it the second factor. */
  async start(ctx: FwContext): Promise<void> {
    const { Secret } = await loadPackage()
    ctx.session.set(secretKey, sealText('totp', new Secret({ size: 20 }).base32))
  }

  /** Returns the new secret of the session; undefined without one. The app shows `site` and `name` beside its codes. */
  async findNew(ctx: FwContext, name: string, site: string): Promise<NewSecret | undefined> {
    const secret = readSecret(ctx)
    if (secret === undefined) return undefined
    return { secret, uri: (await createTotp(secret, name, site)).toString() }
  }

  /**
   * Makes the new secret of the session the second factor of an account, if `code` is one of its codes, and logs out the other devices,
   * which have proved only one. Returns ten recovery codes, of which the database stores only hashes; undefined for a wrong code, and if
   * the account has a second factor.
   * @throws HttpError 409 `accounts.account-changed`
   */
  async add(ctx: FwContext, account: A, code: string): Promise<readonly string[] | undefined> {
    const secret = readSecret(ctx)
    const lastStep = secret === undefined ? undefined : await findStep(secret, code)
    if (secret === undefined || lastStep === undefined) return undefined
    const codes = await createRecoveryCodes()
    const owner = { [this.#accounts.owner]: account.id }
    const values = { ...owner, sealedSecret: sealText('totp', secret), lastStep }
    const isAdded = await this.#change(ctx, account, async () => {
      if (await this.has(account)) return false
      await this.#factors.create(permitValues(values))
      await this.#codes.where(this.#accounts.owner, '=', account.id).deleteAll()
      const hashes = codes.map((one) => permitValues({ ...owner, codeHash: hashCode(one) }))
      await this.#codes.createAll(hashes)
      return true
    })
    if (!isAdded) return undefined
    ctx.session.delete(secretKey)
    return codes
  }

  /**
   * Removes the second factor of an account with its recovery codes, and logs out the other devices.
   * @throws HttpError 409 `accounts.account-changed`
   */
  async remove(ctx: FwContext, account: A): Promise<void> {
    await this.#change(ctx, account, async () => {
      const { owner } = this.#accounts
      await this.#factors.where(owner, '=', account.id).deleteAll()
      await this.#codes.where(owner, '=', account.id).deleteAll()
      return true
    })
  }

  /** Locks the account, so that logins that begin at the same time either wait for the change or end with it. */
  #change(ctx: FwContext, account: A, work: () => Promise<boolean>): Promise<boolean> {
    return this.#accounts.table.inTransaction(async () => {
      await this.#accounts.lock(account)
      const isChanged = await work()
      if (isChanged) await this.#endOthers(ctx, account)
      return isChanged
    })
  }

  /** Lets a login wait for its code, for ten minutes. The new session id protects from session fixation. `begin` calls it. */
  ask(ctx: FwContext, account: A, remember: boolean): void {
    const stored: StoredLogin = { id: account.id, remember, proof: this.#proof.sign(account) }
    ctx.session.renewSession()
    ctx.session.set(pendingKey, stored)
  }

  /** Returns the login that waits for its code; undefined if there is none, or if it has ended. */
  async findPending(ctx: FwContext): Promise<PendingLogin<A> | undefined> {
    const stored = readStored(ctx)
    const found = stored && (await this.#proof.find(stored.proof))
    return found && { account: found.account, remember: stored.remember }
  }

  /** Returns a trait that limits codes for the account that waits: five without a delay, then growing ones. */
  limit(only: readonly string[]): ReturnType<typeof rateLimit> {
    const key = (ctx: FwContext): string => this.#limitKey(readStored(ctx)?.id)
    return rateLimit({ limiter: this.#limiter, key, only })
  }

  /**
   * Ends the wait of a login if `code` is right: a code of the app that is newer than the last one, or a recovery code. Each works
   * once. Begin the login then.
   * @throws HttpError 409 `accounts.account-changed`
   */
  async accept(ctx: FwContext, account: A, code: string): Promise<boolean> {
    const use = async () => {
      // Lock in the same order as `remove`, so that the two cannot deadlock.
      await this.#accounts.lock(account)
      return this.#use(account.id, code)
    }
    if (!(await this.#accounts.table.inTransaction(use))) return false
    this.#accounts.acceptTwoFactors(ctx, account)
    ctx.session.delete(pendingKey)
    await this.#limiter.reset(this.#limitKey(account.id))
    return true
  }

  #limitKey(id: number | undefined): string {
    return `${this.#accounts.table.table} ${id}`
  }

  async #use(id: number, code: string): Promise<boolean> {
    const { owner } = this.#accounts
    const factors = this.#factors.where(owner, '=', id)
    const factor = await factors.findFirst()
    const secret = factor && unsealText('totp', factor.sealedSecret)
    const step = secret === undefined ? undefined : await findStep(secret, code)
    if (step === undefined) {
      const codes = this.#codes.where(owner, '=', id).where({ codeHash: hashCode(code) })
      return (await codes.deleteAll()) === 1
    }
    const older = factors.where('lastStep', '<', step)
    return (await older.updateAll(permitValues({ lastStep: step }))) === 1
  }
}

function readSecret({ session }: FwContext): string | undefined {
  const sealed = session.get(secretKey)
  return typeof sealed === 'string' ? unsealText('totp', sealed) : undefined
}
