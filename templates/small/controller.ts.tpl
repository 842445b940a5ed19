/** {{title}}. */
import { routes } from 'fwjs'
import { ApplicationController } from '{{basePath}}'

export class {{Controller}} extends ApplicationController {
  index() {
    return this.render('{{path}}/index', {})
  }
}

export const {{key}} = routes({{Controller}}, (r) => ({
  indexUrl: r.get('{{path}}/?', 'index').as('index'),
}))
