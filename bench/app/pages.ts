/** What a visitor requests, and the text that every subject must answer with. */

/** Paths and names that differ between the subjects. */
export interface Dialect {
  readonly jsonList: string
  readonly jsonShow: (id: number) => string
  /** The name of the hidden input with the token. */
  readonly token: string
  /** The status for a form without a token. */
  readonly refused: number
}

export interface Page {
  readonly name: string
  /** Whether the request has the visitor's cookies. */
  readonly isPrivate: boolean
  readonly status: number
  /** Whether the form is sent without a session, as the visitor with this number, from an address that is new each time. */
  readonly isLogin?: boolean
  /** Sent as a form; the response to a valid one redirects to a page that is measured with it. */
  readonly form?: Readonly<Record<string, string>>
  readonly path: (dialect: Dialect, id: number) => string
}

export const rows = 1000
export const emailOf = (number: number): string => `visitor${number}@example.com`
/** The hash of any password where Argon2 returns zeros, as in `without-argon2.ts`. */
export const zeroHash = `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`
/** The row whose name must be escaped. */
export const hostile = { id: 3, name: `Member 0003 <b>"&'` }
export const greeting = 'Hello, World!'
export const created = 'The member was created.'

const page = (name: string, path: Page['path'], more: Partial<Page> = {}): Page => ({
  name,
  isPrivate: true,
  status: 200,
  path,
  ...more,
})

/** In the order of measurement: the last one adds rows. */
export const pages: readonly Page[] = [
  page('hello', () => '/hello', { isPrivate: false }),
  page('list', () => '/members'),
  page('show', (_dialect, id) => `/members/${id}`),
  page('form', () => '/members/new'),
  page('invalid', () => '/members', { status: 400, form: { name: '', birthday: '2020-02-30' } }),
  page('json list', ({ jsonList }) => jsonList, { isPrivate: false }),
  page('json show', ({ jsonShow }, id) => jsonShow(id), { isPrivate: false }),
  page('login', () => '/login', {
    isPrivate: false,
    isLogin: true,
    status: 303,
    form: { password: 'under the pier at noon' },
  }),
  page('not found', () => '/nowhere', { status: 404 }),
  page('create', () => '/members', {
    status: 302,
    form: { name: 'Zoe <new>', birthday: '2020-02-29' },
  }),
]
