/** Cookies of accounts: for all paths, and over https only for this host. */
import type { FwContext } from '../action.ts'

/** Over https, the prefix of the name keeps other sites of the domain from setting the cookie. */
export const hostCookie = ({ request }: FwContext, name: string) =>
  request.isHttps
    ? { name: `__Host-${name}`, options: { path: '/', secure: true } }
    : { name, options: { path: '/' } }
