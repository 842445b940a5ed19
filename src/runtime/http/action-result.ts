/** A response as one value (status, body, headers), and a builder for each status. */
import type { Cookie } from './cookies.ts'
import { checkStatus } from './status.ts'

/** Options of a builder, in addition to body and headers. */
export interface ActionResultOptions {
  /** Replaces the standard reason phrase on HTTP/1.x. */
  readonly reason?: string
  /** Overrides the Content-Type inferred from the body. A Content-Type in the headers overrides this one. */
  readonly contentType?: string
  /** The charset of the Content-Type; utf-8 by default. */
  readonly charset?: string
  readonly cookies?: readonly Cookie[]
}

/** Header names to values. Each replaces the response's values of that name. */
export type ActionHeaders = Readonly<Record<string, string>>

/** A response that an action or a filter returns, or passes to `halt`. `S` is its status, `B` its body. */
export class ActionResult<S extends number = number, B = unknown> {
  readonly status: S
  /** Undefined: no body. Any other value is rendered as if the action had returned it. */
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
