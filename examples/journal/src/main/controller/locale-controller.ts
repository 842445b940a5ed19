/** Keeps the language that a visitor chooses. */
import { FwController, mix, routes, TxPerRequestFilter } from 'fwjs'

/** Another site cannot send the form: Fw checks where a request comes from. So the form needs no token, and its page no cookie. */
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
