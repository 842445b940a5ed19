/** The cookies of a request and its response. */
import { CookieJar } from '../http.ts'
import { SecretCookies, type SecretKeys } from '../session.ts'
import type { FwRequest } from './request.ts'

/** The application's part of `RequestCookies`. */
interface CookieServices {
  readonly keys: SecretKeys
  readonly production: boolean
}

/** The cookies of a request and its response, with views that sign or encrypt the values. */
export class RequestCookies extends CookieJar {
  readonly #keys: SecretKeys

  constructor(request: FwRequest, { keys, production }: CookieServices, contextPath: string) {
    super(request.http.header('cookie'), {
      path: contextPath === '' ? '/' : contextPath,
      httpOnly: true,
      sameSite: 'lax',
      secure: production,
    })
    this.#keys = keys
  }

  /** Cookies that the client can read but cannot change unnoticed. */
  get signed(): SecretCookies {
    return SecretCookies.signed(this, this.#keys)
  }

  /** Cookies that the client can neither read nor change. */
  get sealed(): SecretCookies {
    return SecretCookies.sealed(this, this.#keys)
  }
}
