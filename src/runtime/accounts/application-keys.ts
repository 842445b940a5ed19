/** The keys of the running application, which are derived from `secretKeyBase`, for code without a request. */
import { FwError } from '../base.ts'
import { PerApplication, type ApplicationScope } from '../config.ts'
import type { SecretKeys } from '../session.ts'

const keysOf = new PerApplication<SecretKeys>()

/** Registers the keys of an application. Returns a function that removes them. */
export const openKeys = (scope: ApplicationScope, keys: SecretKeys): (() => void) =>
  keysOf.open(scope, keys)

/** Returns the keys of the running application. @throws FwError `accounts.no-application` */
export function currentKeys(): SecretKeys {
  const keys = keysOf.current
  if (keys !== undefined) return keys
  throw new FwError(
    'accounts.no-application',
    'No application runs: tokens need the keys that it derives from secretKeyBase.',
  )
}

/**
 * Encrypts a text that the database stores, such as the secret of a second factor. Only `unsealText` with the same purpose
 * returns it. Sealing a text twice returns different texts.
 * @throws FwError `accounts.no-application`
 */
export const sealText = (purpose: string, text: string): string =>
  currentKeys().seal(`text:${purpose}`, text)

/**
 * Returns the text that `sealText` encrypted, with the newest or an older value of `secretKeyBase`; undefined for any other text.
 * @throws FwError `accounts.no-application`
 */
export const unsealText = (purpose: string, sealed: string): string | undefined =>
  currentKeys().unseal(`text:${purpose}`, sealed)
