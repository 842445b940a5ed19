/** Every controller of the application. Views access this object as `routes`. */
import { apiArticles } from './api/articles-controller.ts'
import { apiComments } from './api/comments-controller.ts'
import { apiDesk } from './api/desk-controller.ts'
import { apiTags } from './api/tags-controller.ts'
import { articles } from './articles-controller.ts'
import { authors } from './authors-controller.ts'
import { comments } from './comments-controller.ts'
import { desk } from './desk-controller.ts'
import { feed } from './feed-controller.ts'
import { images } from './images-controller.ts'
import { locale } from './locale-controller.ts'
import { profile } from './profile-controller.ts'
import { registrations } from './registrations-controller.ts'
import { search } from './search-controller.ts'
import { sessions } from './sessions-controller.ts'
import { tags } from './tags-controller.ts'
import { tokens } from './tokens-controller.ts'

export const controllers = {
  apiArticles,
  apiComments,
  apiDesk,
  apiTags,
  articles,
  authors,
  comments,
  desk,
  feed,
  images,
  locale,
  profile,
  registrations,
  search,
  sessions,
  tags,
  tokens,
}
