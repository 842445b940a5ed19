/** The name of the application, for clients that ask whether it is there. */
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
