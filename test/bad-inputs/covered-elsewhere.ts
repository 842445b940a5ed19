/**
 * Lists the rows of rows.tsv that no test of this folder sends: for each, the test that covers it, or why none does.
 */

/** The test that covers a row (its file and a part of its title), or the reason why no test does. */
export type Coverage = readonly [file: string, title: string] | { readonly open: string }

const authentication = 'test/spec/authentication.test.ts'
const sessions = 'test/spec/sessions.test.ts'
const security = 'test/spec/security.test.ts'
const store = 'src/runtime/session/session-store.test.ts'
const multipart = 'src/runtime/http/multipart.test.ts'
const escaping = [
  'src/templates/compile/escaping-fuzz.test.ts',
  'no value changes what a browser or a script engine reads',
] as const
const csrf = [authentication, 'where a request says it is from'] as const
const noToken = [authentication, 'without a good token: 403'] as const
const uploads = (title: string) => ['test/spec/uploads.test.ts', title] as const

export const coveredElsewhere: Readonly<Record<string, Coverage>> = {
  'HOST-07': [
    'src/runtime/server/trusted-proxies.test.ts',
    'the client is the right-most address that is not a proxy',
  ],
  'HDR-16': { open: 'no helper for bearer tokens ships' },
  'HDR-19': [security, 'is logged with the request id, which is all that the client gets'],
  'PARAM-16': escaping,
  'JSON-01': {
    open: 'JSON.parse and strict UTF-8 decide: docs/differences.md',
  },
  'JSON-08': escaping,
  'JSON-11': ['test/spec/response-representations.test.ts', 'takes +json types and refuses others'],
  'MP-16': uploads('lets go of the file when the client leaves in the middle of an upload'),
  'MP-18': [multipart, 'a large file goes to disk, private'],
  'MP-19': [multipart, 'a file has its bytes, its claims and its size'],
  'MP-21': [multipart, 'a nested multipart is one opaque part'],
  'MP-24': [
    multipart,
    'property: bytes and names are unchanged, and a field has the line breaks of its page, for any chunks',
  ],
  'MP-25': { open: 'the grammar decides, not recorded bodies: docs/differences.md' },
  'STATIC-06': ['test/spec/response-conditions.test.ts', 'link.txt'],
  'STATIC-12': [
    'src/runtime/server/http-server.test.ts',
    'the source of a stream is closed when the client disconnects',
  ],
  'DL-01': ['src/runtime/http/content-disposition.test.ts', 'becomes one line of ASCII'],
  'DL-03': ['src/runtime/http/content-type.test.ts', 'property: linear and never throws'],
  'COOK-10': [security, 'in production is bound to the host'],
  'SESS-02': [sessions, 'ids are never adopted'],
  'SESS-03': [store, 'no table contains the id'],
  'SESS-05': [store, 'absolute time: a record ends although it is used every minute'],
  'SESS-06': [sessions, 'ids are never adopted: a malformed'],
  'SESS-08': [authentication, 'an attribute name of 129 characters'],
  'SESS-09': [store, 'is absent, logged, and not changed'],
  'SESS-11': [store, 'set and delete the same attributes in different orders all succeed'],
  'SESS-12': [sessions, 'a page that uses no session sets no cookie'],
  'SESS-14': [security, 'a changed byte or another key makes them undefined'],
  'SESS-15': [store, 'the process clock and the time zone of the connection have no effect'],
  'CSRF-01': csrf,
  'CSRF-02': csrf,
  'CSRF-04': csrf,
  'CSRF-05': csrf,
  'CSRF-07': csrf,
  'CSRF-08': noToken,
  'CSRF-10': noToken,
  'CSRF-11': [authentication, 'each masked token is different'],
  'CSRF-13': [security, 'a cookie that another site set has no effect'],
  'CSRF-14': [authentication, 'an exemption is by route name'],
  'CSRF-16': [authentication, 'a script for this visitor is not for pages of other sites'],
  'CSRF-17': ['src/runtime/base/redact.test.ts', 'csrf'],
  'CSRF-19': [authentication, 'as parameter and as either header'],
  'CSRF-20': noToken,
  'REDIR-06': { open: 'no helper for going back to the referring page ships' },
  'REDIR-08': ['src/runtime/routing/url-for.test.ts', '%2F'],
  'OUT-03': [security, 'are on every response'],
  'OUT-05': [security, 'an origin is never reflected, null is never allowed'],
  'OUT-06': [security, 'a response that sets a cookie is never public'],
  'OUT-09': [
    'src/runtime/http/server-sent-events.test.ts',
    'a browser reads exactly the event that was sent',
  ],
  'LOG-02': [
    'src/runtime/base/logger.test.ts',
    'no text can end a line, forge one, or control a terminal',
  ],
  'LOG-03': ['src/runtime/base/redact.test.ts', 'no secret in any nesting is printed'],
  'LOG-05': ['test/spec/diagnostics.test.ts', 'logs the request with redacted secrets'],
  'TPL-01': escaping,
  'TPL-03': escaping,
  'TPL-04': escaping,
  'TPL-06': escaping,
  'TPL-07': escaping,
  'TPL-10': ['src/templates/check/check-project.test.ts', 'in a controller'],
  'TPL-13': escaping,
  'TPL-15': [security, 'a nonce has 128 bits, belongs to one response'],
  'MASS-01': [
    'src/runtime/params/permit.test.ts',
    'returns the listed fields, converted, and drops the rest',
  ],
  'MASS-03': [
    'src/runtime/params/permit.test.ts',
    'treats keys of Object.prototype as ordinary keys',
  ],
  'MASS-04': [
    'src/runtime/validation/create-validation.test.ts',
    'treats keys of Object.prototype as ordinary keys',
  ],
  'MASS-06': ['test/bad-inputs/readers.test.ts', 'expectLinear('],
  'MASS-07': escaping,
  'ROUTE-01': [
    'src/runtime/routing/pattern.test.ts',
    'reads each position of a path at most a fixed number of times',
  ],
  'ROUTE-02': [
    'src/runtime/routing/pattern.test.ts',
    'matches any long path with any pattern in linear time',
  ],
  'ROUTE-04': [
    'src/runtime/routing/pattern.test.ts',
    'reads each position of a path at most a fixed number of times',
  ],
  'ROUTE-05': { open: 'routes are application code: docs/differences.md' },
  'ROUTE-10': ['test/spec/filters.test.ts', 'an unknown name stops the start'],
  'ROUTE-11': ['src/runtime/routing/table.test.ts', 'of two equal patterns the last declared wins'],
  'ERR-03': ['test/spec/development-faults.test.ts', 'it escapes everything and redacts secrets'],
  'ERR-05': ['test/spec/errors.test.ts', 'that fail themselves are logged, and the next one runs'],
  'ERR-06': ['src/runtime/server/http-server.test.ts', 'a frozen object'],
  'ERR-08': { open: 'the process ends, as Node decides: docs/differences.md' },
  'ERR-09': ['test/spec/async-helpers.test.ts', 'after the response had left are a clear error'],
  'ERR-11': [
    'src/runtime/base/redact.test.ts',
    'an error keeps name, code, message, stack and causes',
  ],
  'SQL-02': ['src/runtime/model/fw-model.test.ts', 'a value is never part of the SQL'],
  'SQL-03': {
    open: 'no search helper ships; statements end at their time limit (src/runtime/db/faults.test.ts)',
  },
  'AUTH-01': { open: 'no helper for tokens ships' },
  'AUTH-02': { open: 'no helper for basic authentication ships' },
  'AUTH-04': [authentication, 'halts with 401 when the user id is missing'],
  'AUTH-05': [security, '1000 logins'],
  'SLOW-02': ['test/fault/slow-clients.test.ts', 'slow %s'],
  'SLOW-03': ['test/fault/slow-clients.test.ts', 'slow %s'],
  'SLOW-05': { open: 'a race of milliseconds that no test can hold: docs/differences.md' },
  'SLOW-06': [
    'src/runtime/server/http-server.test.ts',
    'a handler that exceeds its time limit is cancelled',
  ],
  'SUP-01': ['test/package.test.ts', 'have no install scripts'],
}
