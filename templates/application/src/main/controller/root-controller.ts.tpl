/** The front page. */
import { routes } from 'fwjs'
import { ApplicationController } from './application-controller.ts'

export class RootController extends ApplicationController {
  index() {
    return this.render('/root/index', {})
  }
}

export const root = routes(RootController, (r) => ({
  indexUrl: r.get('/', 'index').as('index'),
}))
