/** Redirects the front page to the list of members. */
import { routes } from 'fwjs'
import { ApplicationController } from './application-controller.ts'
import { members } from './members-controller.ts'

export class RootController extends ApplicationController {
  index() {
    return this.redirect(this.url(members.indexUrl))
  }
}

export const root = routes(RootController, (r) => ({
  indexUrl: r.get('/', 'index').as('index'),
}))
