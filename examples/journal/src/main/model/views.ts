/** The views that determine the API's output for each model. */
import { Article } from '#model/article'
import { Comment } from '#model/comment'
import { articleAuthor, articleTags, commentAuthor } from '#model/relations'
import { Tag } from '#model/tag'
import { User } from '#model/user'

export const UserView = User.view({ fields: ['id', 'name', 'bio'] })

export const TagView = Tag.view({ fields: ['id', 'name'] })

export const ArticleView = Article.view({
  fields: ['id', 'title', 'summary', 'body', 'status', 'publishedAt', 'updatedAt'],
  relations: { author: [articleAuthor, UserView], tags: [articleTags, TagView] },
})

export const CommentView = Comment.view({
  fields: ['id', 'body', 'createdAt'],
  relations: { author: [commentAuthor, UserView] },
})
