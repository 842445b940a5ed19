/** Stores the language that a visitor chooses. */
import { FwController, mix, routes, TxPerRequestFilter } from 'fwjs'

/**
 * Needs no CSRF token, because Fw rejects the form if another site sends it. Therefore a page with this form needs no session
 * cookie.
 */
export class LocaleController extends mix(FwController, TxPerRequestFilter) {
  choose() {
    this.ctx.locale = this.params.get('locale')
    const back = this.params.get('back') ?? ''
    return this.redirect303(/^\/[^/\\]/.test(back) ? back : this.url(this.routes.articles.indexUrl))
  }
}

export const locale = routes(LocaleController, (r) => ({
  chooseUrl: r.post('/locale', 'choose'),
}))
