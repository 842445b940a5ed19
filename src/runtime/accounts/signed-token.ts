/** `signToken` and `verifyToken`: tokens for links, which a client can neither change nor use for another purpose. */
import { FwError, Temporal, toMilliseconds, type Duration } from '../base.ts'
import { currentKeys } from './application-keys.ts'

/** The most characters of a token. `verifyToken` refuses a longer text before it decodes it. */
const maxLength = 4096
const signatureLength = 43

/** The content of a token. The holder of the token can read all of it except `bind`. */
interface TokenContent {
  /** What the token allows, such as `unsubscribe`: a constant of the application. */
  readonly purpose: string
  /** Whom or what the token concerns, such as the key of a user. */
  readonly subject: string | number | bigint
  /** How long the token is valid, or until when. */
  readonly expires: Duration | Temporal.Instant
  /** A text that ends the token when it changes, such as the hash of a password. The token contains only its keyed digest. */
  readonly bind?: string
}

/** The expected purpose and binding of a token. */
interface ExpectedToken {
  readonly purpose: string
  /** Returns the current text to which a token of this subject must be bound; undefined for a subject that does not exist. */
  readonly bind?: (subject: string) => string | undefined | PromiseLike<string | undefined>
}

/**
 * The result of `verifyToken`. `invalid` is a text that the application has not signed. `other-purpose`, `expired` and `changed` are
 * tokens of the application with another purpose, beyond their time, or whose binding has changed.
 */
export type VerifiedToken =
  | { readonly status: 'valid'; readonly subject: string }
  | {
      readonly status: 'invalid' | 'other-purpose' | 'expired' | 'changed'
      readonly subject?: undefined
    }

type Payload = readonly [purpose: string, subject: string, expires: number, binding?: string]

/**
 * Returns a token of letters, digits, `-`, `_` and one dot, for links in mails and pages:
 * `signToken({ purpose: 'unsubscribe', subject: user.id, expires: '90d' })`. It can be used until it expires; for a single use,
 * bind it to a value that its use changes. Its key is derived from `secretKeyBase`.
 * @throws FwError `accounts.no-application`, `accounts.token-too-long` above 4096 characters; TypeError for an invalid duration
 */
export function signToken({ purpose, subject, expires, bind }: TokenContent): string {
  const keys = currentKeys()
  const content = [purpose, String(subject), expiryOf(expires)] as const
  const payload: Payload =
    bind === undefined
      ? content
      : [...content, keys.sign('token-binding', boundText(content, bind)).slice(-signatureLength)]
  const token = keys.sign('token', Buffer.from(JSON.stringify(payload)).toString('base64url'))
  if (token.length <= maxLength) return token
  throw new FwError(
    'accounts.token-too-long',
    `A token has at most ${maxLength} characters, not ${token.length}: use the key of a row as its subject.`,
  )
}

/**
 * Verifies a token that `signToken` returned, also with an older value of `secretKeyBase`, in constant time. A token with a binding
 * is valid only if `bind` returns the same text; one without, only without `bind`.
 * @throws FwError `accounts.no-application`
 */
export async function verifyToken(
  token: string,
  { purpose, bind }: ExpectedToken,
): Promise<VerifiedToken> {
  const keys = currentKeys()
  const text = token.length > maxLength ? undefined : keys.verify('token', token)
  if (text === undefined) return { status: 'invalid' }
  const payload = JSON.parse(Buffer.from(text, 'base64url').toString()) as Payload
  const [signedPurpose, subject, expires, binding] = payload
  if (signedPurpose !== purpose) return { status: 'other-purpose' }
  if (Date.now() >= expires) return { status: 'expired' }
  if (bind === undefined && binding === undefined) return { status: 'valid', subject }
  const current = await bind?.(subject)
  const isBound =
    current !== undefined &&
    binding !== undefined &&
    keys.verify('token-binding', `${boundText(payload, current)}.${binding}`) !== undefined
  return isBound ? { status: 'valid', subject } : { status: 'changed' }
}

/** Returns the end of a token in milliseconds since 1970. */
function expiryOf(expires: Duration | Temporal.Instant): number {
  return expires instanceof Temporal.Instant
    ? expires.epochMilliseconds
    : Date.now() + toMilliseconds(expires)
}

const boundText = ([purpose, subject]: Payload, bind: string): string =>
  JSON.stringify([purpose, subject, bind])
