/** `hashPassword` and `verifyPassword`: passwords as Argon2id hashes with the parameters that OWASP recommends. */
import { timingSafeEqual } from 'node:crypto'
import { FwError, takeRandomBytes, WorkChannel, WorkEvent } from '../base.ts'
import { argon2, type Argon2Costs } from './argon2.ts'

const costs: Argon2Costs = { memory: 19_456, passes: 2, parallelism: 1 }
const saltBytes = 16
const hashBytes = 32
/** In UTF-16 units. Longer texts are refused before they are normalized. */
const maxLength = 1024

/** The event of a password that is hashed or verified. */
export class PasswordEvent extends WorkEvent {
  readonly operation: 'hash' | 'verify'

  constructor(operation: 'hash' | 'verify') {
    super()
    this.operation = operation
  }
}

/** The channels `fw:password:start` and `fw:password:end`. */
export const passwordChannel: WorkChannel<PasswordEvent> = new WorkChannel('fw:password')

/** The result of `verifyPassword`. */
export interface VerifiedPassword {
  readonly isValid: boolean
  /** True if the password is valid, and its hash has other costs than new ones: store a new hash. */
  readonly needsRehash: boolean
}

interface PasswordHash {
  readonly costs: Argon2Costs
  readonly salt: Uint8Array
  readonly hash: Uint8Array
}

/** What the password of an unknown user is compared with, so that it takes the same work. No password has this hash. */
const decoy: PasswordHash = {
  costs,
  salt: new Uint8Array(saltBytes),
  hash: new Uint8Array(hashBytes),
}

/**
 * Returns a hash such as `$argon2id$v=19$m=19456,t=2,p=1$…` (97 characters) with a random salt. Characters are first brought into
 * the form NFKC, so that a password is the same on every keyboard.
 * @throws FwError `accounts.password-invalid` for an empty password, or one over 1024 characters; `accounts.package-missing`
 */
export async function hashPassword(password: string): Promise<string> {
  if (!isAcceptable(password))
    throw new FwError(
      'accounts.password-invalid',
      `A password has 1 to ${maxLength} characters, not ${password.length}: validate it before.`,
    )
  const salt = takeRandomBytes(saltBytes)
  return formatHash({ costs, salt, hash: await derive('hash', password, { costs, salt }) })
}

/**
 * Compares a password with a hash in constant time. Without a hash, as for an unknown user, the result is false after the same
 * work; so it is for a hash of another algorithm. The costs are those of the hash.
 * @throws FwError `accounts.package-missing`
 */
export async function verifyPassword(
  password: string,
  hash: string | undefined,
): Promise<VerifiedPassword> {
  const known = hash === undefined ? undefined : parseHash(hash)
  const expected = known ?? decoy
  const isPossible = isAcceptable(password)
  const actual = await derive('verify', isPossible ? password : '-', expected)
  const isValid = timingSafeEqual(actual, expected.hash) && known !== undefined && isPossible
  return { isValid, needsRehash: isValid && !hasCurrentCosts(expected) }
}

const isAcceptable = ({ length }: string): boolean => length > 0 && length <= maxLength

const hasCurrentCosts = ({ costs: { memory, passes, parallelism }, hash }: PasswordHash): boolean =>
  memory === costs.memory &&
  passes === costs.passes &&
  parallelism === costs.parallelism &&
  hash.length === hashBytes

function derive(
  operation: PasswordEvent['operation'],
  password: string,
  { costs: given, salt, hash }: Omit<PasswordHash, 'hash'> & Partial<PasswordHash>,
): Promise<Uint8Array> {
  const work = () => argon2(password.normalize('NFKC'), salt, given, hash?.length ?? hashBytes)
  return passwordChannel.active ? passwordChannel.trace(new PasswordEvent(operation), work) : work()
}

const encode = (bytes: Uint8Array): string =>
  Buffer.from(bytes).toString('base64').replaceAll('=', '')

/** Formats a hash as a PHC string, as other libraries do. */
const formatHash = ({ costs: { memory, passes, parallelism }, salt, hash }: PasswordHash): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(salt)}$${encode(hash)}`

const phcString =
  /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z\d+/]{11,86})\$([A-Za-z\d+/]{16,171})$/

/** Parses a PHC string of Argon2id; undefined for any other text. */
function parseHash(text: string): PasswordHash | undefined {
  const [, memory, passes, parallelism, salt, hash] = phcString.exec(text) ?? []
  if (hash === undefined) return undefined
  return {
    costs: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt!, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}
