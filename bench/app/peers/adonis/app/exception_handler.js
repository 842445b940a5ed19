import { ExceptionHandler } from '@adonisjs/core/http'

export default class HttpExceptionHandler extends ExceptionHandler {
  debug = false
  renderStatusPages = true
  statusPages = {
    404: (_error, { view }) => view.render('pages/not_found'),
  }
}
