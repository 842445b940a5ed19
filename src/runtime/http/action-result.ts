/** The result of an action: the status, body and headers of a response in one value. */
import type { Cookie } from './cookies.ts'
import { checkStatus } from './status.ts'

/** The options of an action result, in addition to its body and headers. */
export interface ActionResultOptions {
  /** The reason phrase of HTTP/1.x, instead of the standard phrase of the status. */
  readonly reason?: string
  /** The Content-Type, instead of the one inferred from the body. A Content-Type in `headers` takes precedence. */
  readonly contentType?: string
  /** The charset of the Content-Type; utf-8 by default. */
  readonly charset?: string
  readonly cookies?: readonly Cookie[]
}

/** Header names and their values. Each value replaces all values of the same header in the response. */
export type ActionHeaders = Readonly<Record<string, string>>

/** A response that an action or a filter returns, or passes to `halt`. `S` is the type of its status, `B` of its body. */
export class ActionResult<S extends number = number, B = unknown> {
  readonly status: S
  /** The body; undefined for no body. Any other value is rendered as if the action had returned it. */
  readonly body: B
  readonly headers: ActionHeaders
  readonly reason: string | undefined
  readonly contentType: string | undefined
  readonly charset: string | undefined
  readonly cookies: readonly Cookie[]

  /** @throws FwError `http.status-invalid` */
  constructor(status: S, body?: B, headers: ActionHeaders = {}, options: ActionResultOptions = {}) {
    this.status = checkStatus(status) as S
    this.body = body as B
    this.headers = headers
    this.reason = options.reason
    this.contentType = options.contentType
    this.charset = options.charset
    this.cookies = options.cookies ?? []
  }
}
