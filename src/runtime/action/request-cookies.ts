/** `RequestCookies`: reads the cookies of a request and sets those of its response. */
import { CookieJar } from '../http.ts'
import { SecretCookies, type SecretKeys } from '../session.ts'
import type { FwRequest } from './request.ts'

export class RequestCookies extends CookieJar {
  readonly #request: FwRequest
  readonly #keys: SecretKeys

  constructor(
    request: FwRequest,
    { keys, secureCookies }: { readonly keys: SecretKeys; readonly secureCookies: boolean },
    contextPath: string,
  ) {
    super(request.http.header('cookie'), {
      path: contextPath === '' ? '/' : contextPath,
      httpOnly: true,
      sameSite: 'lax',
      secure: secureCookies,
    })
    this.#request = request
    this.#keys = keys
  }

  /** The signed cookies: the client can read their values, and a changed value is detected. */
  get signed(): SecretCookies {
    this.#useCredentials()
    return SecretCookies.signed(this, this.#keys)
  }

  /** The encrypted cookies: the client can neither read nor change their values. */
  get sealed(): SecretCookies {
    this.#useCredentials()
    return SecretCookies.sealed(this, this.#keys)
  }

  #useCredentials(): void {
    if (this.#request.http.header('cookie') !== undefined) this.#request.usesCredentials = true
  }
}
