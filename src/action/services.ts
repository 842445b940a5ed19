/** What a request may use of the application it belongs to; the app room makes it once. */
import type { Logger } from '../base.ts'
import type {
  CompressionOptions,
  HttpRequest,
  HttpResponse,
  MultipartLimits,
  UploadDirectory,
} from '../http.ts'
import type { MessageCatalog } from '../i18n.ts'
import type { Route } from '../routing.ts'
import type { SecretKeys, SessionManager } from '../session.ts'
import type { ViewEngine, ViewHelper } from '../view.ts'
import type { FaultDesk } from './fault-desk.ts'
import type { BodyLimits } from './request.ts'

/** Adds headers to a response; `nonce` is that of its inline scripts and styles, if it has any. */
export interface ResponseAddition {
  addTo(response: HttpResponse, request: HttpRequest, nonce: string | undefined): void
}

/** What a bundler made of an entry; paths below `/assets/`. */
export interface BuiltAsset {
  readonly file: string
  readonly styles: readonly string[]
  /** Scripts that the file imports. */
  readonly imports: readonly string[]
}

/** The application as its requests see it: immutable after the start. */
export interface Services {
  readonly logger: Logger
  /** Shows sources, stacks and the request of a fault; in development only. */
  readonly faults: FaultDesk | undefined
  /** Adds `Secure` to cookies and refuses what production must not do. */
  readonly production: boolean
  /** `''` at the root, else `/prefix` without a slash at its end. */
  readonly contextPath: string
  readonly limits: BodyLimits
  /** Where large uploads lie while their request runs, and how much one request may upload. */
  readonly uploads: { readonly directory: UploadDirectory; readonly limits: MultipartLimits }
  /** Absent: responses are sent as they are. */
  readonly compression: CompressionOptions | undefined
  readonly views: ViewEngine
  readonly messages: MessageCatalog
  readonly sessions: SessionManager
  /** Headers for the visitor's safety, on every response that does not set them itself. */
  readonly securityHeaders: ResponseAddition
  /** Keys made of `secretKeyBase`, for signed and sealed cookies. */
  readonly keys: SecretKeys
  /** Origins, beside the own, that may send unsafe requests. */
  readonly trustedOrigins: ReadonlySet<string>
  /** Hosts, beside the own, that `redirect` may lead to. */
  readonly redirectHosts: readonly string[]
  /**
   * The path under which a route's controller is mounted; `''` when at the root or not mounted here. Of several, `here`
   * if it is one of them, else the first.
   */
  mountPathOf(route: Route, here?: string): string
  /** What the bundler made of an entry such as `src/app.ts`; without a bundler a name is its own file. */
  assetOf(name: string): BuiltAsset
  /** Makes `s`, the `fw.Fw` helper of a view, from the request's context. */
  viewHelper(ctx: never): ViewHelper
}
