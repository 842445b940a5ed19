/** Resources and their fields › Parameter access of the specification, for JSON and XML bodies: types, nesting, names. */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { FwApiController, FwController, mix, routes } from '../../src/runtime/controller.ts'
import { JsonParamsFeature, XmlParamsFeature } from '../../src/runtime/feature.ts'
import { Params, ParamType } from '../../src/runtime/params.ts'
import { paramKey, required } from '../../src/runtime/validation.ts'
import { serve } from '../support/serve.ts'

const optionalText = ParamType.optional(ParamType.String)
const fields = {
  name: ParamType.String,
  note: optionalText,
  age: ParamType.optional(ParamType.Int),
  isAdmin: ParamType.Boolean,
  tags: ParamType.array(ParamType.String),
}

class Api extends mix(FwApiController, JsonParamsFeature, XmlParamsFeature) {
  permit() {
    return describeValues(this.params.permit(fields))
  }
  change() {
    return describeValues(this.params.permitPartial(fields))
  }
  nested() {
    return this.params.require('user').permit({ name: ParamType.String })
  }
  under() {
    const user = this.params.under('homeUser')
    return {
      name: user.get('firstName'),
      city: user.under('address').get('zipCode'),
      first: this.params.under('pets.0').get('name'),
      keys: [...user.keys()],
      has: [user.has('address'), this.params.has('pets'), this.params.has('none')],
    }
  }
  names() {
    return { camel: this.params.get('countryId'), snake: this.params.get('country_id') }
  }
  schema() {
    const shape = z.strictObject({
      age: z.number(),
      on: z.boolean(),
      home: z.object({ zip: z.string().nullable() }),
      tags: z.array(z.string()),
    })
    const form = this.validation(this.params, shape)
    return form.validate() ? form.values : form.keyAndErrorMessages
  }
}

/** Names absent members, which JSON would leave out. */
const describeValues = (values: object) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value ?? 'cleared']))

const api = routes(Api, (r) => ({
  permit: r.post('/permit', 'permit'),
  change: r.patch('/permit', 'change'),
  nested: r.post('/nested', 'nested'),
  under: r.post('/under', 'under'),
  names: r.post('/names', 'names'),
  schema: r.post('/schema', 'schema'),
}))

type Client = Awaited<ReturnType<typeof serve>>

const json = (client: Client, path: string, value: unknown, method: 'post' | 'patch' = 'post') =>
  client[method](path, {
    headers: { 'content-type': 'application/json' },
    body: typeof value === 'string' ? value : JSON.stringify(value),
  })

const xml = (client: Client, path: string, body: string) =>
  client.post(path, { headers: { 'content-type': 'application/xml' }, body })

describe('a JSON body', () => {
  it('keeps its types up to permit', async () => {
    const client = await serve([api])
    const sent = { name: '', note: 'x', age: 12, isAdmin: true, tags: ['a', 'b'] }
    expect((await json(client, '/permit', sent)).json()).toEqual(sent)
    const other = { name: 7, note: null, isAdmin: 'off', tags: [], age: '8' }
    expect((await json(client, '/permit', other)).json()).toEqual({
      name: '7',
      note: 'cleared',
      age: 8,
      isAdmin: false,
      tags: [],
    })
  })

  it.each([
    [{ name: null }, 'name is required'],
    [{ name: ['Ann', 'Bob'] }, 'name must be a text'],
    [{ name: { first: 'Ann' } }, 'name must be a text'],
    [{ name: 'Ann', age: 1.5 }, 'age must be an integer'],
    [{ name: 'Ann', age: true }, 'age must be an integer'],
    [{ name: 'Ann', age: [1] }, 'age must be an integer'],
    [{ name: 'Ann', isAdmin: 'banana' }, 'isAdmin must be true or false'],
    [{ name: 'Ann', isAdmin: null }, 'isAdmin is required'],
    [{ name: 'Ann', tags: [['a']] }, 'tags must be a list'],
    [{ name: 'Ann', tags: [null] }, 'tags must be a list'],
    [{ name: 'Ann', tags: { 0: 'a' } }, 'tags must be a list'],
    [{ name: 'Ann', tags: null }, 'tags is required'],
    [{ name: 'Ann', tags: 'a' }, 'tags must be a list'],
    [{ name: 'Ann', age: '' }, 'age must be an integer'],
    [{ name: 'Ann', isAdmin: '' }, 'isAdmin must be true or false'],
  ])('%j: %s', async (body, message) => {
    const page = await json(await serve([api]), '/permit', body)
    expect([page.status, JSON.stringify(page.json())]).toEqual([
      400,
      expect.stringContaining(message),
    ])
  })

  it('distinguishes null, an empty list and an absent member in a change', async () => {
    const client = await serve([api])
    const change = async (body: unknown) => (await json(client, '/permit', body, 'patch')).json()
    expect(await change({})).toEqual({})
    expect(await change({ note: null, tags: [] })).toEqual({ note: 'cleared', tags: [] })
    expect(await change({ age: null, isAdmin: false })).toEqual({ age: 'cleared', isAdmin: false })
  })

  it('a query parameter of the same name is a text', async () => {
    const client = await serve([api])
    const page = await json(client, '/permit?name=Bob&tags=x', { name: 'Ann', tags: [] })
    expect(page.json()).toMatchObject({ name: 'Bob', tags: ['x'] })
  })

  it('is the input of a schema, with its types and structure', async () => {
    const client = await serve([api])
    const sent = { age: 12, on: false, home: { zip: null }, tags: ['a'] }
    expect((await json(client, '/schema', sent)).json()).toEqual(sent)
    expect((await json(client, '/schema', { ...sent, age: '12' })).status).toBe(400)
  })
})

describe('a form', () => {
  it('stays texts', async () => {
    const client = await serve([api])
    const form = { name: 'null', note: '', isAdmin: 'banana', tags: 'a' }
    expect((await client.post('/permit', { form })).json()).toEqual({
      ...form,
      note: 'cleared',
      isAdmin: false,
      tags: ['a'],
    })
  })
})

describe('under and require', () => {
  it('read the members of a nested object', async () => {
    const client = await serve([api])
    expect(
      (await json(client, '/nested', { user: { name: 'Ann', role: 'admin' } })).json(),
    ).toEqual({
      name: 'Ann',
    })
    expect((await client.post('/nested', { form: { 'user.name': 'Bob' } })).json()).toEqual({
      name: 'Bob',
    })
    expect((await xml(client, '/nested', '<r><user><name>Cid</name></user></r>')).json()).toEqual({
      name: 'Cid',
    })
  })

  it.each([{}, { user: null }, { user: 'Ann' }, { user: [] }, { users: { name: 'Ann' } }])(
    'require answers %j with 400',
    async (body) => {
      const page = await json(await serve([api]), '/nested', body)
      expect([page.status, page.json()]).toEqual([
        400,
        expect.objectContaining({ code: 'params.invalid', errors: { user: ['user is required'] } }),
      ])
    },
  )

  it('names the missing member of a present object', async () => {
    const page = await json(await serve([api]), '/nested', { user: {} })
    expect(page.json()).toMatchObject({ errors: { name: ['name is required'] } })
  })

  it.each([
    {
      home_user: { first_name: 'Ann', address: { zip_code: '1' } },
      pets: [{ name: 'Rex' }],
    },
    {
      homeUser: { firstName: 'Ann', address: { zipCode: '1' } },
      pets: [{ name: 'Rex' }],
    },
  ])('nest, in both cases: %j', async (body) => {
    const page = await json(await serve([api]), '/under', body)
    expect(page.json()).toMatchObject({
      name: 'Ann',
      city: '1',
      first: 'Rex',
      has: [true, true, false],
    })
  })

  it('are empty when nothing was sent', () => {
    const params = Params.from({ userName: 'Ann' })
    expect([...params.under('user').keys()]).toEqual([])
    expect(params.under('user').get('name')).toBe(undefined)
  })
})

describe('snake and camel case', () => {
  it.each(['countryId', 'country_id'])('%s is read by both names', async (name) => {
    const client = await serve([api])
    const both = { camel: '7', snake: '7' }
    expect((await json(client, '/names', { [name]: 7 })).json()).toEqual(both)
    expect((await xml(client, '/names', `<r><${name}>7</${name}></r>`)).json()).toEqual(both)
    expect((await client.post('/names', { form: { [name]: '7' } })).json()).toEqual(both)
    expect((await client.post(`/names?${name}=7`)).json()).toEqual(both)
  })

  it('the exact name wins, and a removed key stays removed', () => {
    const params = Params.from({ countryId: '1', country_id: '2' })
    expect([params.get('countryId'), params.get('country_id')]).toEqual(['1', '2'])
    expect(Params.from({ country_id: '2' }).with('countryId', undefined).get('countryId')).toBe(
      undefined,
    )
    expect(Params.from({ method: 'GET' }).get('_method')).toBe(undefined)
  })

  it('permit and validation read both', () => {
    const params = Params.from({ country_id: '2' })
    expect(params.permit({ countryId: ParamType.Int })).toEqual({ countryId: 2 })
    expect(params.permitPartial({ countryId: ParamType.Int })).toEqual({ countryId: 2 })
  })
})

describe('a body of a type that nothing reads', () => {
  class Plain extends FwController {
    permit() {
      return this.params.permit({ name: ParamType.String })
    }
    check() {
      const form = this.validation(this.params, paramKey('name').is(required))
      return form.validate() ? 'valid' : 'invalid'
    }
    async own() {
      const body = await this.request.json()
      return { body, page: this.params.get('page') ?? null, form: this.check() }
    }
    look() {
      return this.params.get('name') ?? 'none'
    }
  }
  const plain = routes(Plain, (r) => ({
    permit: r.post('/permit', 'permit'),
    check: r.post('/check', 'check'),
    own: r.post('/own', 'own'),
    look: r.post('/look', 'look'),
  }))

  it('is 415 where its fields are required', async () => {
    const client = await serve([plain])
    const statusOf = async (path: string, value: unknown) =>
      (await json(client, path, value)).status
    expect(await statusOf('/permit', { name: 'Ann' })).toBe(415)
    expect(await statusOf('/check', { name: 'Ann' })).toBe(415)
    expect(await statusOf('/look', { name: 'Ann' })).toBe(200)
    expect(await statusOf('/own', { name: 'Ann' })).toBe(400)
    expect(await statusOf('/permit?name=Ann', { name: 'Ann' })).toBe(200)
    expect((await client.post('/permit', { form: { no: '1' } })).status).toBe(400)
    expect((await client.post('/permit')).status).toBe(400)
    const multipart = new FormData()
    multipart.set('name', 'Ann')
    expect((await client.post('/permit', { multipart })).status).toBe(415)
  })
})

describe('an error of depth or size names the path', () => {
  const deep = (levels: number) => '{"a":['.repeat(levels) + '1' + ']}'.repeat(levels)

  it.each([
    [deep(40), 'nested deeper than 64 levels at a.0.a.0.a'],
    [`{"list":[${'1,'.repeat(100_001)}1]}`, 'more than 100000 values at list.'],
    [`{"x":{"list":[${'[],'.repeat(10_001)}1]}}`, 'more than 10000 objects and lists at x.list.'],
    [`{"x":{${'"a":1,'.repeat(15_001)}"b":1}}`, 'more than 15000 members of objects at x.a'],
    [
      JSON.stringify({ x: Object.fromEntries(Array.from({ length: 1001 }, (_each, i) => [i, i])) }),
      'more than 1000 fields at x.1000',
    ],
    [`{"x":[${'1,'.repeat(10_000)}1]}`, 'more than 10000 values at x.'],
    [`{"x":{"y":"a\\u0000b"}}`, 'a NUL character at x.y'],
    [`{"${'k'.repeat(300)}":1}`, `longer than 256 characters at ${'k'.repeat(100)}…`],
  ])('%#', async (body, message) => {
    const page = await json(await serve([api]), '/names', body)
    expect([page.status, page.json()]).toEqual([
      400,
      expect.objectContaining({ message: expect.stringContaining(message) }),
    ])
  })

  it.each([
    [`<r>${'<a>'.repeat(70)}${'</a>'.repeat(70)}</r>`, 'deeper than 64 levels at a.a.a'],
    [`<r><list>${'<i/>'.repeat(10_001)}</list></r>`, 'elements and attributes at list.i'],
  ])('XML %#', async (body, message) => {
    const page = await xml(await serve([api]), '/names', body)
    expect([page.status, page.json()]).toEqual([
      400,
      expect.objectContaining({ message: expect.stringContaining(message) }),
    ])
  })
})
