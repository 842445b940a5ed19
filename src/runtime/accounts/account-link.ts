/** `accountLink`: mailed links for one account, which end when the account changes. */
import type { Duration } from '../base.ts'
import { signToken, verifyToken } from './signed-token.ts'

/** What a link allows, how long, and which change of the account ends it. */
interface AccountLinkOptions<A> {
  /** What the link allows, such as `reset`: a constant of the application. */
  readonly purpose: string
  readonly expires: Duration
  readonly find: (id: number) => PromiseLike<A | undefined>
  /** Returns the values that end the link when one changes. If the use of the link changes one of them, the link works once. */
  readonly bind: (account: A) => readonly unknown[]
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

/**
 * Creates links of one purpose, such as to reset a password. The database stores nothing of them. The methods of the result throw
 * `accounts.no-application` outside a running application, and `sign` throws `accounts.token-too-long`.
 */
export function accountLink<A extends { readonly id: number }>({
  purpose,
  expires,
  find,
  bind,
}: AccountLinkOptions<A>): AccountLink<A> {
  const bindingOf = (account: A): string => JSON.stringify(bind(account))
  return {
    sign: (account, text = '') =>
      signToken({
        purpose,
        subject: JSON.stringify([account.id, text]),
        expires,
        bind: bindingOf(account),
      }),
    find: async (token) => {
      let found: FoundLink<A> | undefined
      const { status } = await verifyToken(token, {
        purpose,
        bind: async (subject) => {
          const [id, text] = JSON.parse(subject) as [id: number, text: string]
          const account = await find(id)
          found = account && { account, text }
          return account && bindingOf(account)
        },
      })
      return status === 'valid' ? found : undefined
    },
  }
}
