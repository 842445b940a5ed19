/** Shows an author with their published articles. */
import { routes } from 'fwjs'
import { newestArticles } from '#model/reading'
import { User } from '#model/user'
import { ApplicationController } from './application-controller.ts'

export class AuthorsController extends ApplicationController {
  async show() {
    const author = (await User.findById(this.idOf('id'))) ?? this.haltWithBody(404)
    const page = await newestArticles()
      .where({ authorId: author.id })
      .paginate({ size: 10, ...this.cursors })
    return this.render('/authors/show', { author, page })
  }
}

export const authors = routes(AuthorsController, (r) => ({
  showUrl: r.get('/authors/:id', 'show'),
}))
