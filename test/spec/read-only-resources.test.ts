/** Resources without strong parameters: they list and show records, and have no other routes. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { FwApiController, FwController } from '../../src/runtime/controller.ts'
import { useDatabase, type Database } from '../../src/runtime/db.ts'
import { openInMemory } from '../../src/runtime/db/engines.fixture.ts'
import { model } from '../../src/runtime/model.ts'
import { ParamType } from '../../src/runtime/params.ts'
import { apiResource, FwApiResource, FwResource, resource } from '../../src/runtime/resource.ts'
import { describeResource } from '../../src/tools/openapi/describe-resource.ts'
import { serve } from '../support/serve.ts'

const columns = { year: ParamType.Int, total: ParamType.optional(ParamType.Long) }
const Sale = model('sales', columns, { primaryKey: 'year', readOnly: true })
const Line = model('sales', columns, { readOnly: true })
const Table = model('sale_table', columns, { primaryKey: 'year' })

const options = {
  resourcesName: 'sales',
  resourceName: 'sale',
  pageByKey: { sort: ['total'] },
} as const
class SalesController extends FwResource(FwController, { model: Sale, ...options }) {}
class SalesApi extends FwApiResource(FwApiController, { model: Table, ...options }) {}
class LinesController extends FwResource(FwController, { model: Line, ...options }) {}

const folder = 'src/main/webapp/WEB-INF/views/sales'
const files = {
  [`${folder}/index.html.ssp`]: `<%@val items: readonly { total?: number }[] %>#for (item of items)<li>\${item.total}</li>#end`,
  [`${folder}/show.html.ssp`]: '<%@val item: { total?: number } %><h1>${item.total}</h1>',
}

let database: Database
beforeAll(async () => {
  vi.stubEnv('DATABASE_URL', undefined)
  database = await openInMemory()
  useDatabase(database)
  const run = (sql: string) => database.query({ sql, parameters: [] })
  await run('create table sale_table (year int primary key, total bigint)')
  await run('create view sales as select year, total from sale_table')
  await run('insert into sale_table values (2024, 5), (2025, null), (2026, 3), (2027, 5)')
})
afterAll(async () => {
  useDatabase(undefined)
  await database.close()
  vi.unstubAllEnvs()
})

it('has pages, JSON and XML of its records', async () => {
  const app = await serve([resource(SalesController)], { files })
  expect((await app.get('/sales')).all('li')).toHaveLength(4)
  expect((await app.get('/sales/2026')).html('h1')).toBe('3')
  expect((await app.get('/sales/2025.json')).json()).toEqual({ year: 2025, total: null })
  expect((await app.get('/sales.json?sort=-total&size=2')).json()).toEqual([
    { year: 2025, total: null },
    { year: 2027, total: 5 },
  ])
  expect((await app.get('/sales.xml')).body).toContain('<sale><year>2024</year><total>5</total>')
  for (const path of ['/sales/1', '/sales/x', '/sales/new', '/sales/2026/edit'])
    expect((await app.get(path)).status).toBe(404)
})

it.each(['/sales', '/sales/2026', '/sales.json', '/sales/2026.json'])(
  'has no action that writes at %s',
  async (path) => {
    const app = await serve([resource(SalesController)], { files })
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect((await app.request(method, path, { json: { total: 1 } })).status).toBe(405)
    expect((await app.get('/sales.json')).json()).toHaveLength(4)
  },
)

it('has a table as its model, too, and no pages', async () => {
  const app = await serve([apiResource(SalesApi)])
  expect((await app.get('/sales/2026.json')).json()).toEqual({ year: 2026, total: 3 })
  expect((await app.delete('/sales/2026.json')).status).toBe(405)
})

it('only lists the records of a model without a primary key', async () => {
  const object = resource(LinesController)
  expect(Object.keys(object).filter((key) => key.endsWith('Url'))).toEqual([
    'indexUrl',
    'indexApiUrl',
  ])
  const app = await serve([object], { files })
  const first = await app.get('/sales.json?size=3&sort=total')
  const total = (page: typeof first) => page.json().map((each: { total: number }) => each.total)
  expect(total(first)).toEqual([3, 5, 5])
  const next = /<([^>]*)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  expect(total(await app.get(next))).toEqual([null])
  expect((await app.get('/sales/2026')).status).toBe(404)
  const described = describeResource(LinesController, { action: 'showResources', method: 'GET' })
  expect(described?.path).toEqual({})
})

it('names the routes that it has if only or except names another', () => {
  // @ts-expect-error the route does not exist
  expect(() => resource(SalesController, { only: ['create'] })).toThrow(
    /the route 'create', which the resource does not have. Its routes: index, show, indexApi, showApi\./,
  )
})
