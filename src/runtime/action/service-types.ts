/** The types of an application's services that do not refer to the context of a request. */
import type { HttpRequest, HttpResponse } from '../http.ts'

/** The files that a bundler has created for an entry; the paths are below `/assets/`. */
export interface BuiltAsset {
  readonly file: string
  readonly styles: readonly string[]
  /** The scripts that `file` imports. */
  readonly imports: readonly string[]
  /** The origin of Vite's development server if that server provides `file`; undefined for files of the application. */
  readonly server?: string
}

/** A fault that is rendered for the developer. */
export interface RenderedFault {
  /** Returns a whole HTML page whose inline style has `nonce`. */
  html(nonce: string): string
  /** The members to add to the problem details. */
  readonly problem: Readonly<Record<string, unknown>>
}

/** The headers that every response has unless it sets them itself. */
export interface DefaultHeaders {
  /** `nonce` is that of the response's inline scripts and styles, `styles` are the hashes of its style attributes. */
  addTo(
    response: HttpResponse,
    request: Pick<HttpRequest, 'scheme' | 'method'>,
    nonce?: string,
    styles?: string,
  ): void
}
