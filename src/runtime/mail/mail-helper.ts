/** The helper `s` in templates of mails. */
import { FwError } from '../base.ts'
import type { I18n } from '../i18n.ts'
import type { AnyUrlParams, IncompleteTarget, Route, UrlArgs, UrlQuery } from '../routing.ts'
import type { ViewHelper } from '../view.ts'

/** The URLs of the application, as a mail needs them. */
export interface MailUrls {
  /** The setting `origin`: scheme and host, without a slash at the end. */
  readonly origin: string | undefined
  /** Returns the path of a route, with the context path. */
  path(route: Route, params?: AnyUrlParams, query?: UrlQuery): string
  /** Returns the path of a file of `/assets/`, with the context path. */
  assetPath(name: string): string
}

/** Returns the absolute URL of a path. @throws FwError `mail.origin-missing` */
function absoluteUrl({ origin }: MailUrls, path: string): string {
  if (origin !== undefined) return origin + path
  throw new FwError(
    'mail.origin-missing',
    'Mails need the scheme and host of the application for their links: set origin, such as https://shop.example.com.',
  )
}

/** The helper `s` in templates of mails: the messages in the recipient's language, and absolute URLs. */
export class MailHelper implements ViewHelper {
  readonly i18n: I18n
  readonly #urls: MailUrls

  constructor(urls: MailUrls, i18n: I18n) {
    this.#urls = urls
    this.i18n = i18n
  }

  /** Empty: a mail has no Content-Security-Policy. */
  get cspNonce(): string {
    return ''
  }

  /** Returns the absolute URL of a route. @throws FwError `routing.*`, `mail.origin-missing` without the setting `origin` */
  url<P extends string>(route: Route<P>, ...args: UrlArgs<P>): string
  url<T extends Route<never> | Route>(route: IncompleteTarget<T>): string
  url(route: Route, ...args: readonly unknown[]): string {
    const [params, query] = args as [AnyUrlParams?, UrlQuery?]
    return absoluteUrl(this.#urls, this.#urls.path(route, params, query))
  }

  /** Returns the absolute URL of a file of `/assets/`. @throws FwError `mail.origin-missing` without the setting `origin` */
  assetUrl(name: string): string {
    return absoluteUrl(this.#urls, this.#urls.assetPath(name))
  }
}
