/** The schemas of models and their views in responses. */
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { belongsTo, hasMany, json, model } from '../../runtime/model.ts'
import { ParamType } from '../../runtime/params.ts'
import { maxLength, notNull, numeric, oneOf, paramKey, required } from '../../runtime/validation.ts'
import { requestFieldsSchema, requestSchema, responseShapeSchema } from './json-schema.ts'

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

test('a JSON column has the schema of its validator, if the validator can say it', () => {
  const settings = z.object({ theme: z.enum(['dark', 'light']), size: z.int().default(20) })
  const Tree: z.ZodType = z.lazy(() => z.object({ kids: z.array(Tree) }))
  const Shop = model('shops', {
    settings: json(settings),
    choice: ParamType.optional(json(z.enum(['a', 'b']))),
    words: ParamType.optional(json(z.array(z.string()))),
    tree: json(Tree),
    known: json(v.object({ a: v.string() })),
    any: json<{ theme: string }>(),
  })
  const theme = { type: 'string', enum: ['dark', 'light'] }
  const { properties } = responseShapeSchema(
    Shop.view({ fields: ['settings', 'choice', 'words', 'tree', 'known', 'any'] }),
    (_model, row) => row,
  )
  const size = { type: 'integer', default: 20 }
  expect(properties).toMatchObject({
    settings: { type: 'object', properties: { theme, size }, required: ['theme', 'size'] },
    choice: { type: ['string', 'null'], enum: ['a', 'b', null] },
    words: { type: ['array', 'null'], items: { type: 'string' } },
  })
  expect([properties?.['tree'], properties?.['known'], properties?.['any']]).toEqual([{}, {}, {}])
  expect(requestSchema(Shop.columns.settings)).toMatchObject({
    type: 'object',
    properties: { theme },
    required: ['theme'],
  })
  expect(requestSchema(Shop.columns.any)).toEqual({})
})

test('a type of listed texts is an enum, in requests and responses', () => {
  const Shop = model('shops', {
    state: ParamType.oneOf('open', 'closed'),
    kind: ParamType.optional(ParamType.oneOf('a', 'b')),
  })
  const { properties } = responseShapeSchema(
    Shop.view({ fields: ['state', 'kind'] }),
    (_, row) => row,
  )
  expect(properties).toEqual({
    state: { type: 'string', enum: ['open', 'closed'] },
    kind: { type: ['string', 'null'], enum: ['a', 'b', null] },
  })
  expect(requestSchema(Shop.columns.state)).toEqual({ type: 'string', enum: ['open', 'closed'] })
})

test('an enum has only the values that the other rules allow, and no keywords for other texts', () => {
  const state = paramKey('state').is(required, oneOf('open', '', 'longer', ' '), maxLength(5))
  const note = paramKey('note').is(oneOf('a', 'b'))
  const types = { state: ParamType.String, note: ParamType.optional(ParamType.String) }
  expect(requestFieldsSchema({ types, rules: [state, note] })).toEqual({
    type: 'object',
    properties: {
      state: { type: 'string', enum: ['open'] },
      note: { type: ['string', 'null'], enum: ['a', 'b', null] },
    },
    required: ['state'],
  })
})

test('null is allowed where permit takes it: in optional fields of every type, unless a rule refuses it', () => {
  const types = {
    text: ParamType.optional(ParamType.String),
    flag: ParamType.optional(ParamType.Boolean),
    list: ParamType.optional(ParamType.array(ParamType.Int)),
    words: ParamType.optional(ParamType.separated(ParamType.String)),
    data: ParamType.optional(json(z.object({ a: z.string() }))),
    needed: ParamType.optional(ParamType.String),
    present: ParamType.optional(ParamType.String),
    price: ParamType.optional(ParamType.BigDecimal),
    always: ParamType.Boolean,
    items: ParamType.array(ParamType.String),
  }
  const rules = [
    paramKey('needed').is(required),
    paramKey('present').is(notNull),
    paramKey('price').is(numeric(10, 2)),
  ]
  const { properties = {} } = requestFieldsSchema({ types, rules })
  const nullable = Object.keys(properties).filter((key) =>
    [properties[key]!.type].flat().includes('null'),
  )
  expect(nullable).toEqual(['text', 'flag', 'list', 'words', 'data', 'price'])
  const pattern = '^[+-]?0*\\d{1,8}(?:\\.\\d{0,2}0*)?$'
  expect(properties['price']).toEqual({ type: ['string', 'null'], pattern })
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
