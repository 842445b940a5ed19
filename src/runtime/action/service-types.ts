/** Types of an application's services that do not depend on the context of a request. */
import type { HttpRequest, HttpResponse } from '../http.ts'

/** Adds headers to a response; `nonce` is that of its inline scripts and styles, if it has any. */
export interface ResponseHeaderPolicy {
  addTo(response: HttpResponse, request: HttpRequest, nonce: string | undefined): void
}

/** The files that a bundler made of an entry; paths below `/assets/`. */
export interface BuiltAsset {
  readonly file: string
  readonly styles: readonly string[]
  /** Scripts that the file imports. */
  readonly imports: readonly string[]
  /** The origin of Vite's development server, which serves `file`; absent for files of the application. */
  readonly server?: string
}

/** A fault, rendered for the developer. */
export interface RenderedFault {
  /** A whole HTML page, with `nonce` on its inline style. */
  html(nonce: string): string
  /** Members for problem details. */
  readonly problem: Readonly<Record<string, unknown>>
}

/** Which browsers have just written: `RecentWrites`. `ctx` is an `FwContext`; it is typed `object` to avoid an import cycle. */
export interface WriteMemory {
  includes(ctx: object): boolean
  add(ctx: object): void
  writeCookie(ctx: object): void
}
