/** In Chromium, the form of a record that is saved unchanged writes nothing, for each kind of input. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { startBrowserAndExample } from '../support/browser-and-example.ts'
import { generate, linkSources, newFolder } from '../generate/folder.ts'

const columns = {
  name: 'String',
  notes: 'String?:text',
  mail: 'email?',
  site: 'url?',
  day: 'LocalDate?',
  opens: 'LocalTime?',
  local: 'LocalDateTime?',
  at: 'DateTime?',
  lasts: 'Duration?',
  price: 'BigDecimal?',
  share: 'Double?',
  total: 'Long?',
  bytes: 'ByteArray?',
  data: 'Json?',
  tags: 'String[]',
  sizes: 'Int[]',
  active: 'Boolean?',
  checked: 'Boolean',
  status: 'enum?:draft,published',
  company: 'references?',
  photo: 'attachment?',
}

/** The column of a field. */
const columnOf = (name: string): string =>
  name === 'company' || name === 'photo' ? `${name}_id` : name

/** More companies than a select offers without the chosen one, which is the last. */
const companies = 250
const photo = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'

/** Values of records as SQL. A column without a value is NULL. */
const records: readonly Partial<Record<keyof typeof columns, string>>[] = [
  {},
  {
    name: `' a '`,
    mail: `' a@b '`,
    site: `'https://a.example'`,
    status: `'draft'`,
    active: 'true',
    checked: 'true',
    company: '1',
    photo: `'${photo}'`,
  },
  {
    name: `E'a\\nb'`,
    notes: `E'\\n a\\r\\nb\\r\\t'`,
    mail: `E'a\\n@b'`,
    active: 'false',
    company: String(companies),
  },
  {
    notes: `E'\\n'`,
    data: `'{"a": [1.50, 12345678901234567890], "a b": null}'`,
    bytes: `'\\xff00'`,
  },
  { notes: `'<b>&amp;"</textarea>'`, data: `'null'`, bytes: `'\\x0a61'`, tags: `array['a', 'b']` },
  {
    day: `'2024-02-29'`,
    opens: `'10:20'`,
    local: `'2024-03-10 02:30'`,
    at: `'2024-03-10 02:30+00'`,
  },
  {
    opens: `'10:20:30.5'`,
    local: `'2024-03-10 02:30:59.123'`,
    at: `'2024-03-10 02:30:00.999999+00'`,
  },
  {
    opens: `'10:20:30.123456'`,
    local: `'2024-03-10 02:30:00.000001'`,
    at: `'0001-01-01 00:00+00'`,
  },
  { day: `'9999-12-31'`, opens: `'23:59:59.999999'`, local: `'9999-12-31 23:59:59'` },
  {
    day: `'10000-01-01'`,
    opens: `'24:00'`,
    local: `'12345-06-07 08:09'`,
    at: `'12345-06-07 08:09+00'`,
  },
  { day: `'0044-03-15 BC'`, local: `'0044-03-15 12:00 BC'`, at: `'0044-03-15 12:00+00 BC'` },
  { day: `'infinity'`, local: `'-infinity'`, at: `'infinity'`, lasts: `'1 mon -1 day'` },
  { price: `'NaN'`, share: `'-Infinity'`, total: '9007199254740993', lasts: `'1 day 00:00:00.1'` },
  { price: '1.50', share: '1e-7', total: '-5', sizes: `array[1, null]` },
  { tags: `array[' a', E'b\\nc', '', null]`, sizes: `'{{1,2},{3,4}}'` },
  { tags: `array['["a"]']`, sizes: 'array[7, 8]' },
]

const root = newFolder()
beforeAll(() => {
  linkSources(root)
  const fields = Object.entries(columns).map(([name, type]) => `${name}:${type}`)
  generate(root, 'model company name:String')
  generate(root, `scaffold things thing ${fields.join(' ')}`)
  const inserts = [
    `insert into companies (name, created_at, updated_at) select 'Company ' || lpad(i::text, 3, '0'), now(), now() from generate_series(1, ${companies}) i;`,
    `insert into attachments (id, name, content_type, bytes) values ('${photo}', 'a.txt', 'text/plain', 'a');`,
  ]
  for (const record of records) {
    const all = {
      name: `'a'`,
      checked: 'false',
      ...record,
      created_at: 'now()',
      updated_at: `'2020-01-01'`,
    }
    const names = Object.keys(all).map(columnOf)
    inserts.push(
      `insert into things (${names.join(', ')}) values (${Object.values(all).join(', ')});`,
    )
  }
  writeFileSync(join(root, 'db/migration/V29990101000000__things.sql'), inserts.join('\n'))
})
const served = startBrowserAndExample(root)

test('an unchanged form changes nothing', async () => {
  const context = await served.browser.newContext({ baseURL: served.url })
  const page = await context.newPage()
  const read = async (id: number) => (await context.request.get(`/things/${id}.json`)).text()
  for (const [at, record] of records.entries()) {
    const id = at + 1
    const before = await read(id)
    await page.goto(`/things/${id}/edit`)
    await page.getByRole('button', { name: 'Save' }).click()
    const said = await page.locator('[role=status], small').allInnerTexts()
    expect([record, said]).toEqual([record, ['The thing was updated.']])
    expect(await read(id)).toBe(before)
  }
  expect(JSON.parse(await read(2))).toMatchObject({ company_id: 1, photo_id: photo })
  expect(JSON.parse(await read(3))).toMatchObject({ company_id: companies, photo_id: null })
  await context.close()
})

test('inputs have the value, or are texts where browsers would empty them', async () => {
  const page = await served.browser.newPage({ baseURL: served.url })
  await page.goto('/things/8/edit')
  expect(await page.locator('#opens').inputValue()).toBe('10:20:30')
  expect(await page.locator('[name=localTime]').inputValue()).toBe('02:30:00')
  await page.locator('#opens').fill('11:20:30')
  await page.getByRole('button', { name: 'Save' }).click()
  const { opens, local } = await (await page.request.get('/things/8.json')).json()
  expect([opens, local]).toEqual(['11:20:30', '2024-03-10T02:30:00.000001'])
  await page.goto('/things/11/edit')
  expect(await page.locator('#day').inputValue()).toBe('-000043-03-15')
  await page.locator('#day').fill('2024-02-29')
  await page.locator('#at').fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  const { day, at } = await (await page.request.get('/things/11.json')).json()
  expect([day, at]).toEqual(['2024-02-29', null])
  await page.close()
})
