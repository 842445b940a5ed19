/** Shows the list of all tags, and the articles of a tag. */
import { routes } from 'fwjs'
import { published } from '#model/article'
import { newestArticles } from '#model/reading'
import { articleTags, tagArticles } from '#model/relations'
import { Tag } from '#model/tag'
import { ApplicationController } from './application-controller.ts'

export class TagsController extends ApplicationController {
  async index() {
    const counted = await Tag.include({
      count: tagArticles.with((a) => a.apply(published)).count(),
    })
      .orderBy('name')
      .findAll()
    return this.render('/tags/index', { tags: counted.filter(({ count }) => count > 0) })
  }

  async show() {
    const tag =
      (await Tag.findBy({ name: this.params.get('name') ?? '' })) ?? this.haltWithBody(404)
    const page = await newestArticles()
      .where(articleTags, { id: tag.id })
      .paginate({ size: 10, ...this.cursors })
    return this.render('/tags/show', { tag, page })
  }
}

export const tags = routes(TagsController, (r) => ({
  indexUrl: r.get('/tags', 'index').as('index'),
  showUrl: r.get('/tags/:name', 'show').as('show'),
}))
