/** Numbers of JSON bodies: a field stores exactly the digits that the client sent, or the response is 400. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { FwApiController, mix, routes } from '../../src/runtime/controller.ts'
import { currentDatabase, useDatabase } from '../../src/runtime/db.ts'
import { engines, type OpenEngine } from '../../src/runtime/db/engines.fixture.ts'
import { JsonParamsFeature } from '../../src/runtime/feature.ts'
import { json, model } from '../../src/runtime/model.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { apiResource, FwApiResource } from '../../src/runtime/resource.ts'
import { plainText } from '../../src/runtime/view.ts'
import { serve } from '../support/serve.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
beforeAll(() => void vi.stubEnv('DATABASE_URL', undefined))
afterAll(() => void vi.unstubAllEnvs())

const fields = {
  price: ParamType.optional(ParamType.BigDecimal),
  prices: ParamType.array(ParamType.BigDecimal),
  note: ParamType.optional(ParamType.String),
  ratio: ParamType.optional(ParamType.Double),
  small: ParamType.optional(ParamType.Float),
  count: ParamType.optional(ParamType.Long),
  huge: ParamType.optional(ParamType.BigInt),
  isNew: ParamType.Boolean,
  meta: ParamType.optional(json<unknown>()),
  log: ParamType.optional(json<unknown>()),
}
const Amount = model('amounts', { id: ParamType.Long, ...fields })
class AmountsController extends FwApiResource(FwApiController, {
  model: Amount,
  resourcesName: 'amounts',
  resourceName: 'amount',
  createFormStrongParameters: fields,
}) {}
const amounts = apiResource(AmountsController)
const headers = { 'content-type': 'application/json' }
const query = (sql: string) => currentDatabase().query<{ t: string }>({ sql, parameters: [] })

describe.each(engines)('on $name', ({ open }) => {
  let engine: OpenEngine
  beforeAll(async () => {
    engine = await open()
    useDatabase(engine.database)
    await query(`create table amounts (id bigserial primary key, price numeric, prices numeric[] not null,
      note text, ratio double precision, small real, count bigint, huge numeric, is_new boolean, meta jsonb, log json)`)
  })
  afterAll(async () => {
    useDatabase(undefined)
    await engine.close()
  })

  it.each([
    ['price', '12345678901234567.89', '12345678901234567.89'],
    ['price', '0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
    ['price', '-0.0000001', '-0.0000001'],
    ['price', '1.5e-9', '0.0000000015'],
    ['price', '12e30', '12000000000000000000000000000000'],
    ['prices', '[12345678901234567.89,7]', '{12345678901234567.89,7}'],
    ['note', '9007199254740993', '9007199254740993'],
    ['note', '12.50', '12.5'],
    ['count', '1e3', '1000'],
    ['count', '9007199254740991', '9007199254740991'],
    ['huge', '123456789012345678901234567890', '123456789012345678901234567890'],
    ['ratio', '0.1000000000000000055', '0.1'],
    [
      'meta',
      '{"a":[9007199254740993,{"b":1.00000000000000000001}]}',
      '{"a": [9007199254740993, {"b": 1.00000000000000000001}]}',
    ],
    ['meta', '9007199254740993', '9007199254740993'],
    ['log', '{"a":1e400,"b":123456789012345678.50}', '{"a":1e400,"b":123456789012345678.50}'],
  ])('%s: %s is stored as %s, and read back exactly', async (field, sent, stored) => {
    const app = await serve([amounts])
    const body = `{ "${field}": ${sent} }`
    const made = await app.post('/amounts.json', { body, headers })
    expect([made.status, made.body]).toEqual([201, expect.anything()])
    const { rows } = await query(`select ${field}::text t from amounts order by id desc limit 1`)
    expect(rows[0]!.t).toBe(stored)
    const read = await app.get(made.location!)
    if (field === 'meta' || field === 'log')
      expect(read.body).toContain(`"${field}":${stored.replaceAll(/(?<=[:,]) /g, '')}`)
  })

  it.each([
    ['ratio', '1e400'],
    ['small', '-1e39'],
    ['small', '1e400'],
    ['count', '9007199254740993'],
    ['count', '1e400'],
    ['huge', '1e2000'],
    ['price', '1e2000'],
    ['isNew', '9007199254740993'],
    ['meta', '1e200000'],
  ])('%s: %s is 400 at its field', async (field, sent) => {
    const app = await serve([amounts])
    const made = await app.post('/amounts.json', { body: `{"${field}":${sent}}`, headers })
    expect([made.status, made.body]).toEqual([400, expect.stringContaining(field)])
  })

  it('any digits that a decimal and a JSON column can have', async () => {
    const app = await serve([amounts])
    const digits = (most: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: most })
    const number = fc
      .tuple(fc.constantFrom('', '-'), digits(40), fc.option(digits(40)))
      .map(([sign, whole, part]) => {
        const integer = whole.replace(/^0+(?=\d)/, '')
        return sign + integer + (part === null ? '' : `.${part}`)
      })
    await fc.assert(
      fc.asyncProperty(number, async (text) => {
        const body = `{"price":${text},"meta":[${text}]}`
        expect((await app.post('/amounts.json', { body, headers })).status).toBe(201)
        const { rows } = await query(
          `select price = ${text} and meta = '[${text}]'::jsonb as t from amounts order by id desc limit 1`,
        )
        expect(rows[0]!.t).toBe(true)
      }),
      { numRuns: 100 },
    )
  })
})

it('a page prints the digits of a stored number', () => {
  const value = Amount.columns.meta.parse('9007199254740993') as number
  expect(plainText(value)).toBe('9007199254740993')
})

describe('a body that an action reads itself', () => {
  class Api extends mix(FwApiController, JsonParamsFeature) {
    async read() {
      const body = (await this.request.json()) as { id: number }
      return { type: typeof body.id, next: body.id }
    }
    check() {
      const form = this.validation(this.params, z.object({ id: z.number(), any: z.unknown() }))
      return form.validate() ? form.values : form.keyAndErrorMessages
    }
  }
  const api = routes(Api, (r) => ({
    read: r.post('/read', 'read'),
    check: r.post('/check', 'check'),
  }))

  it('has the numbers of JSON.parse', async () => {
    const app = await serve([api])
    const read = async (body: string) => (await app.post('/read', { body, headers })).json()
    expect(await read('{"id":9007199254740993}')).toEqual({
      type: 'number',
      next: 9007199254740992,
    })
  })

  it('refuses such a number where a schema requires a number', async () => {
    const app = await serve([api])
    const check = (body: string) => app.post('/check', { body, headers })
    expect((await check('{"id":9007199254740993}')).body).toContain('expected number')
    expect((await check('{"id":0.10000000000000001,"any":1}')).body).toBe('{"id":0.1,"any":1}')
    expect((await check('{"id":1,"any":[1e400]}')).body).toBe('{"id":1,"any":[1e400]}')
  })
})
