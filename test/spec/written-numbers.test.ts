/** Numbers on pages in another language: forms, filters and lists read what people write, programs keep the point. */
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { FwController } from '../../src/runtime/controller.ts'
import { useDatabase, type Database } from '../../src/runtime/db.ts'
import { openInMemory } from '../../src/runtime/db/engines.fixture.ts'
import { model } from '../../src/runtime/model.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { FwResource, resource } from '../../src/runtime/resource.ts'
import { intValue, numeric, paramKey, required } from '../../src/runtime/validation.ts'
import { serve } from '../support/serve.ts'

const Product = model('products', {
  id: ParamType.Long,
  price: ParamType.BigDecimal,
  weight: ParamType.optional(ParamType.Double),
  stock: ParamType.Int,
})
const { price, weight, stock } = Product.columns
class ProductsController extends FwResource(FwController, {
  model: Product,
  resourcesName: 'products',
  resourceName: 'product',
  createFormStrongParameters: { price, weight, stock },
  pageByKey: { sort: ['price'], filter: ['price', 'stock'] },
}) {
  override createForm() {
    return this.validation(
      this.createParams(),
      paramKey('price').is(required, numeric(10, 3)),
      paramKey('stock').is(required, numeric, intValue),
    )
  }
}
const products = resource(ProductsController)

const folder = 'src/main/webapp/WEB-INF/views/products'
const form = `#for (name of ['price', 'weight', 'stock'])
<input id="\${name}" name="\${name}" value="\${s.numberText(name)}">
<small id="\${name}-error">\${s.keyAndErrorMessages.get(name).join(' ')}</small>
#end`
const files = {
  'src/main/resources/messages.yml': 'price: Price\n',
  'src/main/resources/messages_de.yml':
    "price: Preis\nerror:\n  numberFormat: '{0} muss wie {1} geschrieben sein'\n",
  [`${folder}/new.html.ssp`]: form,
  [`${folder}/edit.html.ssp`]: `<%@val item: object %>${form}`,
  [`${folder}/show.html.ssp`]: `<%@val item: { price: import('fwjs').BigDecimal } %><p>\${s.i18n.formatNumber(item.price)}</p>`,
  [`${folder}/index.html.ssp`]: `<%@import type { ResourceList } from 'fwjs' %><%@val items: readonly { price: string }[] %><%@val list: ResourceList %>
<h1>\${items.map((item) => item.price).join(' ')}</h1><p>\${list.filter('price')}</p>`,
}

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 })
let database: Database
beforeAll(async () => {
  vi.stubEnv('DATABASE_URL', undefined)
  database = await openInMemory()
  useDatabase(database)
  await database.query({
    sql: 'create table products (id bigserial primary key, price numeric(10, 3) not null, weight double precision, stock int not null)',
    parameters: [],
  })
})
afterAll(async () => {
  useDatabase(undefined)
  await database.close()
  vi.unstubAllEnvs()
})
beforeEach(async () => {
  await database.query({ sql: 'truncate products restart identity', parameters: [] })
})

const german = { 'accept-language': 'de' }
const start = () => serve([products], { files })
const stored = async () =>
  (await database.query({ sql: 'select price::text, weight, stock from products', parameters: [] }))
    .rows

it('a form reads the numbers of its language, and shows what the page prints', async () => {
  const app = await start()
  const sent = { price: '1.234,50', weight: '−0,5', stock: ' 1.000 ' }
  const saved = await app.post('/products', { form: sent, headers: german })
  expect(saved.status).toBe(302)
  expect(await stored()).toEqual([{ price: '1234.500', weight: -0.5, stock: 1000 }])
  const page = await app.get('/products/1', { headers: german })
  expect(page.all('p')[0]).toBe('1.234,500')
  const edit = await app.get('/products/1/edit', { headers: german })
  const value = (name: string) => edit.attribute(`#${name}`, 'value')
  expect([value('price'), value('weight'), value('stock')]).toEqual(['1.234,500', '-0,5', '1000'])
  const again = { price: value('price')!, weight: value('weight')!, stock: value('stock')! }
  await app.post('/products/1', { form: again, headers: german })
  expect(await stored()).toEqual([{ price: '1234.500', weight: -0.5, stock: 1000 }])
})

it('a form refuses a number with two meanings, shows how to write it, and keeps the text', async () => {
  const app = await start()
  const refused = async (price: string, headers: Record<string, string>) => {
    const page = await app.post('/products', { form: { price, stock: '7' }, headers })
    expect(page.status).toBe(400)
    expect(page.attribute('#price', 'value')).toBe(price)
    return page.all('#price-error')[0]
  }
  expect(await refused('1.234', german)).toBe('Preis muss wie 1234 oder 1,234 geschrieben sein')
  expect(await refused('3,50', {})).toBe('Price must be written like 3.50')
  expect(await refused('x', {})).toBe('Price must be numeric')
  expect(await stored()).toEqual([])
})

it('a number without rules is read and refused in the same way', async () => {
  const app = await start()
  const sent = { price: '1', weight: '1.234', stock: '7' }
  const page = await app.post('/products', { form: sent, headers: german })
  expect(page.all('#weight-error')[0]).toBe('weight muss wie 1234 oder 1,234 geschrieben sein')
})

it('lists filter by numbers of the language, and links keep the text', async () => {
  const app = await start()
  for (const each of ['3.500', '1234.500'])
    await app.post('/products', { json: { price: each, stock: 7 } })
  const page = await app.get('/products', { query: { price: '1.234,5' }, headers: german })
  expect([page.all('h1')[0], page.all('p')[0]]).toEqual(['1234.500', '1.234,5'])
  const second = { query: { sort: '-price', size: 1 }, headers: german }
  expect((await app.get('/products', second)).all('h1')[0]).toBe('1234.500')
  const refused = await app.get('/products', { query: { price: '3.500' }, headers: german })
  expect(refused.status).toBe(400)
  expect(refused.body).toContain('3500 oder 3,500')
})

it('programs write a point in every language', async () => {
  const app = await start()
  const headers = { ...german, accept: 'application/json' }
  const sent = { price: '1.234', weight: 1.125, stock: 7 }
  expect((await app.post('/products', { json: sent, headers })).status).toBe(201)
  expect(
    (await app.post('/products', { form: { price: '1.234', stock: '7' }, headers })).status,
  ).toBe(201)
  expect((await app.post('/products', { json: { ...sent, price: '1,5' }, headers })).status).toBe(
    400,
  )
  expect(await stored()).toMatchObject([{ price: '1.234', weight: 1.125 }, { price: '1.234' }])
  const list = await app.get('/products.json', { query: { price: '1.234' }, headers: german })
  expect(list.json()).toHaveLength(2)
})
