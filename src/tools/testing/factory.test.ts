/** factory: rows from factories.yml, converted to the types of their columns. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest'
import { Temporal } from '../../runtime/base.ts'
import { useDatabase, type Database } from '../../runtime/db.ts'
import { openInMemory } from '../../runtime/db/engines.fixture.ts'
import { defaulted, json, model } from '../../runtime/model.ts'
import { ParamType } from '../../runtime/params.ts'
import { factory } from './factory.ts'

const Member = model('members', {
  id: ParamType.Long,
  name: ParamType.String,
  birthday: ParamType.LocalDate,
  active: defaulted(ParamType.Boolean),
  tags: ParamType.array(ParamType.String),
  data: ParamType.optional(json<{ a: number }>()),
  countryId: ParamType.optional(ParamType.Long),
})

let database: Database
let root: string

const block = `
members:
  name: "Member #{n}"
  birthday: 2000-01-02
  active: false
  tags: [red, green]
  data: '{"a":1}'
  country_id:
worker:
  name: "Worker of #{company}"
  birthday: 1990-01-01
  tags: []
broken:
  birthday: yesterday
misspelt:
  nmae: x
`

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'fw-factory-'))
  mkdirSync(join(root, 'src/test/resources'), { recursive: true })
  writeFileSync(join(root, 'src/test/resources/factories.yml'), block)
  database = await openInMemory()
  await database.query({
    sql: `create table members (id bigserial primary key, name text not null, birthday date not null,
      active boolean not null default true, tags text[] not null, data jsonb, country_id bigint)`,
    parameters: [],
  })
  useDatabase(database)
})
afterAll(async () => {
  useDatabase(undefined)
  await database.close()
  rmSync(root, { recursive: true })
})

const of = (name?: string) => factory(Member, name, root)

test('fills the fields that the test does not set', async () => {
  const member = await of().create()
  expect(member).toMatchObject({
    name: expect.stringMatching(/^Member \d+$/),
    birthday: Temporal.PlainDate.from('2000-01-02'),
    active: false,
    tags: ['red', 'green'],
    data: { a: 1 },
    countryId: undefined,
  })
  expectTypeOf(member.name).toEqualTypeOf<string>()
  expect(await Member.findById(member.id)).toEqual(member)
})

test('fields of the test override the block, and are typed', async () => {
  const member = await of().create({ name: 'Ann', data: undefined, countryId: 7 })
  expect(member).toMatchObject({ name: 'Ann', data: undefined, countryId: 7 })
  // @ts-expect-error no such field
  const misspelt = of().create({ nmae: 'Ann' })
  await expect(misspelt).rejects.toMatchObject({ code: 'model.column-unknown' })
})

test('numbers the rows, so that columns can be unique', async () => {
  const names = (await of().createMany(3)).map(({ name }) => name)
  expect(new Set(names).size).toBe(3)
})

test('takes a block by name, and variables', async () => {
  const worker = await of('worker').withVariables({ company: 'Typed' }).create()
  expect(worker).toMatchObject({ name: 'Worker of Typed', active: true, tags: [] })
})

test.each([
  ['worker', /factories\.yml:10: #\{company\} has no value/],
  ['broken', /factories\.yml:14: 'yesterday' must be a date/],
  ['misspelt', /has no field 'nmae'/],
])('names the problem of the block %s', async (name, message) => {
  await expect(of(name).create()).rejects.toThrow(message)
})

test('a missing block is an error with its name', () => {
  expect(() => of('nobody')).toThrow(/no block 'nobody'/)
})
