/** Rows of rows.tsv that no single request can show: the test that holds each, or why there is none. */

/** A file and words of the title of the test in it; or a reason. */
export type Account = readonly [file: string, title: string] | { readonly open: string }

const authentication = 'test/spec/authentication.test.ts'
const sessions = 'test/spec/sessions.test.ts'
const security = 'test/spec/security.test.ts'
const store = 'src/session/store.test.ts'
const multipart = 'src/http/multipart.test.ts'
const escaping = [
  'src/view/escaping-fuzz.test.ts',
  'no value changes what a browser or a script engine reads',
] as const
const csrf = [authentication, 'where a request says it is from'] as const
const noToken = [authentication, 'without a good token: 403'] as const
const uploads = (title: string) => ['test/spec/uploads.test.ts', title] as const

export const elsewhere: Readonly<Record<string, Account>> = {
  'HOST-07': ['src/server/proxy-trust.test.ts', 'by hops: as many entries from the right'],
  'HDR-16': { open: 'no helper for bearer tokens ships' },
  'HDR-19': [security, 'is logged with the id that the client is told'],
  'PARAM-16': escaping,
  'JSON-01': {
    open: 'JSON.parse and strict UTF-8 decide: docs/differences.md',
  },
  'JSON-08': escaping,
  'JSON-11': [
    'test/spec/response-representations.test.ts',
    'takes +json types and leaves other bodies alone',
  ],
  'MP-16': uploads('lets go of the file when the client leaves in the middle of an upload'),
  'MP-18': [multipart, 'a large file goes to disk, private'],
  'MP-19': [multipart, 'a file is its bytes, its claims and its size'],
  'MP-21': [multipart, 'a nested multipart is one opaque part'],
  'MP-24': [multipart, 'property: bytes and names come back whatever the chunks'],
  'MP-25': { open: 'the grammar decides, not recorded bodies: docs/differences.md' },
  'STATIC-06': ['test/spec/response-conditions.test.ts', 'link.txt'],
  'STATIC-12': [
    'src/server/http-server.test.ts',
    'the source of a stream is closed when the client leaves',
  ],
  'DL-01': ['src/http/content-disposition.test.ts', 'property: one line of ASCII from any name'],
  'DL-03': ['src/http/content-type.test.ts', 'property: linear and never throws'],
  'COOK-10': [security, 'in production is bound to the host'],
  'SESS-02': [sessions, 'ids are never adopted'],
  'SESS-03': [store, 'the id itself is nowhere in the tables'],
  'SESS-05': [store, 'absolute: a record ends though it is used every minute'],
  'SESS-06': [sessions, 'ids are never adopted: malformed'],
  'SESS-08': [authentication, 'an attribute name of 129 characters'],
  'SESS-09': [store, 'is absent, logged, and left in place'],
  'SESS-11': [store, 'set and delete the same attributes crosswise all succeed'],
  'SESS-12': [sessions, 'a page that uses no session sets no cookie'],
  'SESS-14': [security, 'any changed byte, or another’s key, gives nothing'],
  'SESS-15': [store, 'the process clock and the time zone of the connection decide nothing'],
  'CSRF-01': csrf,
  'CSRF-02': csrf,
  'CSRF-04': csrf,
  'CSRF-05': csrf,
  'CSRF-07': csrf,
  'CSRF-08': noToken,
  'CSRF-10': noToken,
  'CSRF-11': [authentication, 'each masked token is different'],
  'CSRF-13': [security, 'a cookie that somebody else set has no effect'],
  'CSRF-14': [authentication, 'an exemption is by route name'],
  'CSRF-16': [authentication, 'a script for this visitor is not for pages of other sites'],
  'CSRF-17': ['src/base/redact.test.ts', 'csrf'],
  'CSRF-19': [authentication, 'as parameter and as either header'],
  'CSRF-20': noToken,
  'REDIR-06': { open: 'no helper for going back to the referring page ships' },
  'REDIR-08': ['src/routing/url-for.test.ts', '%2F'],
  'OUT-03': [security, 'are on every response'],
  'OUT-05': [security, 'never by reflection, never null'],
  'OUT-06': [security, 'a shared cache never gets a response that sets a cookie'],
  'OUT-09': [
    'src/http/server-sent-events.test.ts',
    'a browser reads the event that was sent, and no other',
  ],
  'LOG-02': ['src/base/logger.test.ts', 'no text can end a line, forge one, or drive a terminal'],
  'LOG-03': ['src/base/redact.test.ts', 'no secret in any nesting is printed'],
  'LOG-05': ['test/spec/diagnostics.test.ts', 'tells of the request, its secrets redacted'],
  'TPL-01': escaping,
  'TPL-03': escaping,
  'TPL-04': escaping,
  'TPL-06': escaping,
  'TPL-07': escaping,
  'TPL-10': ['src/view/check-project.test.ts', 'in a controller'],
  'TPL-13': escaping,
  'TPL-15': [security, 'a nonce is 128 bits, of one response'],
  'MASS-01': [
    'src/params/permit.test.ts',
    'gives the listed fields, converted, and drops the rest',
  ],
  'MASS-03': ['src/params/permit.test.ts', 'survives keys of Object.prototype'],
  'MASS-04': ['src/validation/create-validation.test.ts', 'survives keys of Object.prototype'],
  'MASS-06': ['src/validation/rules.test.ts', 'toBeLessThan(linearGrowth)'],
  'MASS-07': escaping,
  'ROUTE-01': [
    'src/routing/pattern.test.ts',
    'looks at each place of a path at most a fixed number of times',
  ],
  'ROUTE-02': ['src/routing/pattern.test.ts', 'answers whatever pattern meets whatever long path'],
  'ROUTE-04': [
    'src/routing/pattern.test.ts',
    'looks at each place of a path at most a fixed number of times',
  ],
  'ROUTE-05': ['src/routing/slow-regexp.test.ts', 'says why and how to mend it'],
  'ROUTE-10': ['test/spec/filters.test.ts', 'an unknown name stops the start'],
  'ROUTE-11': [
    'src/routing/table.test.ts',
    'lets the one declared last win when a pattern is declared twice',
  ],
  'ERR-03': ['test/spec/development-faults.test.ts', 'it escapes all, and hides what is secret'],
  'ERR-05': [
    'test/spec/errors.test.ts',
    'that fail themselves are logged, and the next one is asked',
  ],
  'ERR-06': ['src/server/http-server.test.ts', 'a frozen object'],
  'ERR-08': { open: 'the process ends, as Node decides: docs/differences.md' },
  'ERR-09': ['test/spec/async-helpers.test.ts', 'after the response had left are a clear error'],
  'ERR-11': ['src/base/redact.test.ts', 'an error keeps name, code, message, stack and causes'],
  'SQL-02': ['src/model/fw-model.test.ts', 'a value is never SQL'],
  'SQL-03': {
    open: 'no search helper ships; statements end at their time limit (src/db/faults.test.ts)',
  },
  'AUTH-01': { open: 'no helper for tokens ships' },
  'AUTH-02': { open: 'no helper for basic authentication ships' },
  'AUTH-04': [authentication, 'halts with 401 when the user id is missing'],
  'AUTH-05': [security, '1000 logins'],
  'SLOW-02': ['test/fault/slow-clients.test.ts', 'slow %s'],
  'SLOW-03': ['test/fault/slow-clients.test.ts', 'slow %s'],
  'SLOW-05': { open: 'a race of milliseconds that no test can hold: docs/differences.md' },
  'SLOW-06': ['src/server/http-server.test.ts', 'a handler that does not answer is given up'],
  'SUP-01': ['test/package.test.ts', 'run no script when they are installed'],
}
