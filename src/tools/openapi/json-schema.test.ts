/** The schemas of models and their views in responses. */
import { expect, test } from 'vitest'
import { belongsTo, hasMany, model } from '../../runtime/model.ts'
import { ParamType } from '../../runtime/params.ts'
import { responseShapeSchema } from './json-schema.ts'

const User = model(
  'users',
  { id: ParamType.Int, name: ParamType.String, password: ParamType.String },
  { hidden: ['password'] },
)
const Post = model('posts', {
  id: ParamType.Int,
  userId: ParamType.optional(ParamType.Int),
  note: ParamType.optional(ParamType.String),
})
const integer = {
  type: 'integer',
  minimum: -2147483648,
  maximum: 2147483647,
  format: 'int32',
}

test('a model is described without its hidden fields', () => {
  const schema = responseShapeSchema(User, (_model, row) => row)
  expect(schema).toEqual({
    type: 'object',
    properties: { id: integer, name: { type: 'string' } },
    required: ['id', 'name'],
  })
})

test('a view is described with all of its members, nested', () => {
  const UserView = User.view({ fields: ['name'] })
  const PostView = Post.view({
    fields: ['id', 'note'],
    computed: { length: [ParamType.Int, ({ note }) => note?.length] },
    relations: { user: [belongsTo(Post, 'userId', User), UserView] },
  })
  const view = User.view({
    fields: ['id'],
    relations: { posts: [hasMany(User, Post, 'userId'), PostView] },
  })
  const name = { name: { type: 'string' } }
  const post = {
    type: 'object',
    properties: {
      id: integer,
      note: { type: ['string', 'null'] },
      length: integer,
      user: { type: ['object', 'null'], properties: name, required: ['name'] },
    },
    required: ['id', 'note', 'length', 'user'],
  }
  expect(responseShapeSchema([view], (_model, row) => row)).toEqual({
    type: 'array',
    items: {
      type: 'object',
      properties: { id: integer, posts: { type: 'array', items: post } },
      required: ['id', 'posts'],
    },
  })
})
