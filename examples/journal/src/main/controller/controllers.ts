/** Every controller of the application. Views access this object as `routes`. */
import { account } from './account-controller.ts'
import { apiArticles } from './api/articles-controller.ts'
import { apiComments } from './api/comments-controller.ts'
import { apiDesk } from './api/desk-controller.ts'
import { apiTags } from './api/tags-controller.ts'
import { tokens } from './api/tokens-controller.ts'
import { apiTokens } from './api-tokens-controller.ts'
import { articles } from './articles-controller.ts'
import { authors } from './authors-controller.ts'
import { codes } from './codes-controller.ts'
import { comments } from './comments-controller.ts'
import { desk } from './desk-controller.ts'
import { feed } from './feed-controller.ts'
import { images } from './images-controller.ts'
import { locale } from './locale-controller.ts'
import { mailedLinks } from './mailed-links-controller.ts'
import { passkeyLogins } from './passkey-logins-controller.ts'
import { passkeys } from './passkeys-controller.ts'
import { profile } from './profile-controller.ts'
import { search } from './search-controller.ts'
import { secondFactor } from './second-factor-controller.ts'
import { security } from './security-controller.ts'
import { sessions } from './sessions-controller.ts'
import { tags } from './tags-controller.ts'

export const controllers = {
  account,
  apiArticles,
  apiComments,
  apiDesk,
  apiTags,
  apiTokens,
  articles,
  authors,
  codes,
  comments,
  desk,
  feed,
  images,
  locale,
  mailedLinks,
  passkeyLogins,
  passkeys,
  profile,
  search,
  secondFactor,
  security,
  sessions,
  tags,
  tokens,
}
