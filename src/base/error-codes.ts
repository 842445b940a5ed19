/** The closed list of error codes; each is explained in docs/errors.md. */

/** One line a code, sorted; the part before the dot is the room that throws it. */
export type ErrorCode =
  | 'base.internal'
  | 'http.body-aborted'
  | 'http.body-consumed'
  | 'http.body-too-large'
  | 'http.body-too-slow'
  | 'http.charset-unsupported'
  | 'http.content-encoding'
  | 'http.content-type-invalid'
  | 'http.cookie-invalid'
  | 'http.header-invalid'
  | 'http.json-invalid'
  | 'http.multipart-invalid'
  | 'http.multipart-too-large'
  | 'http.query-invalid'
  | 'http.status-invalid'
  | 'server.handler-timeout'
  | 'server.host-refused'
  | 'server.listen-failed'
  | 'server.request-refused'
  | 'server.setting-invalid'
