/** The relations between the models, for `include` and for conditions of queries. */
import { belongsTo, hasMany, hasManyThrough, hasOne } from 'fwjs'
import { Article } from '#model/article'
import { Comment } from '#model/comment'
import { Image } from '#model/image'
import { ArticleTag, Tag } from '#model/tag'
import { User } from '#model/user'

export const articleAuthor = belongsTo(Article, 'authorId', User)
export const articleTags = hasManyThrough(Article, ArticleTag, 'articleId', 'tagId', Tag)
export const articleComments = hasMany(Article, Comment, 'articleId')
export const articleImage = hasOne(Article, Image, 'articleId').with((images) =>
  images.select('id', 'articleId', 'alt', 'contentType', 'digest'),
)
export const commentAuthor = belongsTo(Comment, 'authorId', User)
export const tagArticles = hasManyThrough(Tag, ArticleTag, 'tagId', 'articleId', Article)

/** The relations that a list shows for each article. They take four statements for any number of articles. */
export const teaser = {
  author: articleAuthor,
  tags: articleTags.with((tags) => tags.orderBy('name')),
  image: articleImage,
  commentCount: articleComments.count(),
}
