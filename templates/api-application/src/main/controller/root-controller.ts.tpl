/** The name of the application, for clients that check whether it answers. */
import { routes } from 'fwjs'
import { ApiController } from './api-controller.ts'

export class RootController extends ApiController {
  index() {
    return { name: this.i18n.get('site.title') }
  }
}

export const root = routes(RootController, (r) => ({
  indexUrl: r.get('/', 'index').as('index'),
}))
