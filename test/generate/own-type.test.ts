/** A type of the application, and the types duration, e-mail and IP address, from the command line to the database. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { describeApplication } from '../../src/tools/openapi.ts'
import { testApp, type Visitor } from '../../src/tools/testing.ts'
import { generate, linkSources, newFolder, planned, removeFolder } from './folder.ts'

const root = newFolder()
afterAll(() => removeFolder(root))
linkSources(root)

const money = `/** An amount of euros, exact to the cent. */
import { ParamType } from '${pathToFileURL(join(import.meta.dirname, '../../src/index.ts')).href}'

export class Amount {
  readonly cents: number

  constructor(cents: number) {
    this.cents = cents
  }

  toString(): string {
    return (this.cents / 100).toFixed(2)
  }

  toJSON(): string {
    return this.toString()
  }
}

export const Money = ParamType.of<Amount>({
  name: 'Money',
  expected: 'an amount such as 12.50',
  parse: (text) => (/^\\d{1,9}\\.\\d\\d$/.test(text) ? new Amount(Math.round(Number(text) * 100)) : undefined),
  jsonSchema: { type: 'string', pattern: '^\\\\d{1,9}\\\\.\\\\d\\\\d$' },
  sql: { type: 'bigint', decode: (text) => new Amount(Number(text)), encode: ({ cents }) => cents },
  field: { inputmode: 'decimal', samples: ['12.50'], invalidSample: 'x' },
})
`
mkdirSync(join(root, 'src/main/model/types'))
writeFileSync(join(root, 'src/main/model/types/money.ts'), money)
const line =
  'scaffold products product name:String price:Money:index discount:Money? lasts:Duration:index rest:Duration? mail:Email:unique from:IpAddress?'
generate(root, line)

const { Bootstrap } = await import(pathToFileURL(join(root, 'src/main/bootstrap.ts')).href)
const app = await testApp(Bootstrap, { root })
let visitor: Visitor
let token: Record<string, string>
beforeEach(async () => {
  visitor = app.session()
  const page = await visitor.get('/products/new')
  token = { 'x-csrf-token': page.attribute('meta[name="csrf-token"]', 'content') ?? '' }
})

const read = (path: string) => readFileSync(join(root, path), 'utf8')
let count = 0
const product = (more: object = {}) => ({
  name: 'Tea',
  price: '12.50',
  lasts: 'PT2H30M',
  mail: `ann${++count}@Example.com`,
  ...more,
})
async function create(more: object = {}): Promise<string> {
  const saved = await visitor.post('/products.json', { json: product(more), headers: token })
  expect(saved.status).toBe(201)
  return saved.location!.replace(/\.json$/, '')
}

test('the generators write the column, the model and the factory of a type', () => {
  const { files } = planned(root, line)
  const migration = files.find(({ path }) => path.endsWith('create_products.sql'))!.text
  expect(migration).toContain('price bigint not null,')
  expect(migration).toContain('discount bigint,')
  expect(migration).toContain('lasts interval not null,')
  expect(migration).toContain('mail varchar(254) not null unique,')
  expect(migration).toContain('"from" inet,')
  const model = read('src/main/model/product.ts')
  expect(model).toContain("import { Money } from '#model/types/money'")
  expect(model).toContain('price: Money,')
  expect(model).toContain('discount: ParamType.optional(Money),')
  expect(model).toContain('lasts: ParamType.Duration,')
  expect(read('src/test/factory/product.ts')).toContain(
    "price: Product.columns.price.parse('12.50')!,",
  )
})

test('a file without such a type is named', () => {
  writeFileSync(join(root, 'src/main/model/types/empty.ts'), 'export const nothing = 1\n')
  expect(() => planned(root, 'model thing size:Empty')).toThrow(
    /src\/main\/model\/types\/empty\.ts does not export Empty as a ParamType/,
  )
})

test('JSON gives back what it took, with one spelling', async () => {
  const path = await create({ discount: '0.05', rest: '1:30', from: '2001:DB8::0:1' })
  const shown = (await visitor.get(`${path}.json`)).json()
  expect(shown).toMatchObject({
    price: '12.50',
    discount: '0.05',
    lasts: 'PT2H30M',
    rest: 'PT1H30M',
    mail: `ann${count}@example.com`,
    from: '2001:db8::1',
  })
  const xml = await visitor.get(`${path}.xml`)
  expect(xml.body).toContain('<price>12.50</price>')
  const put = await visitor.request('PUT', `${path}.json`, { json: shown, headers: token })
  expect(put.status).toBe(200)
  expect((await visitor.get(`${path}.json`)).json()).toEqual({
    ...shown,
    updated_at: expect.any(String),
  })
})

test('a form shows the value, and reports a text that does not convert', async () => {
  const path = await create({ rest: '-P1D' })
  expect((await visitor.get(path)).body).toContain('12.50')
  const page = await visitor.get(`${path}/edit`)
  expect(page.attribute('#price', 'value')).toBe('12.50')
  expect(page.attribute('#lasts', 'value')).toBe('PT2H30M')
  expect(page.attribute('#rest', 'value')).toBe('-P1D')
  expect(page.attribute('#mail', 'type')).toBe('email')
  const form = { name: 'Tea', price: '7', lasts: 'x', mail: 'x@y', from: '1.2.3' }
  const refused = await visitor.post(path, { form, headers: token })
  expect(refused.status).toBe(400)
  for (const name of ['price', 'lasts', 'mail', 'from'])
    expect(refused.html(`#${name}-error`)).not.toBe('')
  const saved = await visitor.post(path, {
    form: { ...form, price: '7.00', lasts: '0:05', mail: `bob${count}@Example.org`, from: '' },
    headers: token,
  })
  expect(saved.status).toBe(302)
  expect((await visitor.get(`${path}.json`)).json()).toMatchObject({
    price: '7.00',
    lasts: 'PT5M',
    mail: `bob${count}@example.org`,
    from: null,
  })
})

test.each(['price', '-price', 'lasts', '-lasts', 'mail'])(
  'a list is sorted by %s, and paged by key',
  async (sort) => {
    for (const [at, price] of ['3.00', '1.00', '2.00', '10.00'].entries())
      await create({ price, lasts: `PT${at}H` })
    const field = sort.replace('-', '')
    const whole = (await visitor.get(`/products.json?sort=${sort}&size=200`)).json()
    const paged: unknown[] = []
    let next: string | undefined = `/products.json?sort=${sort}&size=2`
    while (next !== undefined) {
      const page = await visitor.get(next)
      paged.push(...page.json())
      next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
    }
    expect(paged).toEqual(whole)
    expect(new Set(whole.map((row: Record<string, unknown>) => row[field])).size).toBeGreaterThan(3)
    if (field !== 'price') return
    const prices = whole.map((row: { price: string }) => Number(row.price))
    const sorted = prices.toSorted((a: number, b: number) => a - b)
    expect(prices).toEqual(sort === 'price' ? sorted : sorted.toReversed())
  },
)

test('OpenAPI describes the types', async () => {
  const { document } = await describeApplication(app.application)
  const { properties = {} } = document.components.schemas['ProductForm']!
  expect(properties['price']).toMatchObject({ type: 'string', pattern: '^\\d{1,9}\\.\\d\\d$' })
  expect(properties['lasts']).toMatchObject({
    type: 'string',
    pattern: expect.stringContaining('P'),
  })
  expect(properties['from']).toMatchObject({ type: ['string', 'null'], format: 'inet' })
  expect(document.components.schemas['Product']!.properties!['mail']).toMatchObject({
    format: 'email',
  })
})
