/** The name of the application, for clients that check whether it answers. Needs no token. */
import { FwApiController, routes } from 'fwjs'

export class RootController extends FwApiController {
  index() {
    return { name: this.i18n.get('site.title') }
  }
}

export const root = routes(RootController, (r) => ({
  indexUrl: r.get('/', 'index').as('index'),
}))
