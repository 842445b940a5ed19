/** Rules that a constraint decides about, on every engine: answered at their key, also under races. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { useDatabase, type Database } from '../db.ts'
import { engines, type OpenEngine } from '../db/engines.fixture.ts'
import { defaulted, model } from '../model.ts'
import { Params, ParamType } from '../params.ts'
import { createForm, paramKey, references, required, unique } from '../validation.ts'

const User = model('users', {
  id: ParamType.Long,
  email: ParamType.String,
  countryId: ParamType.optional(ParamType.Int),
  code: defaulted(ParamType.String),
})

const tables = `
  create table countries (id int primary key, name text not null);
  create table users (id bigserial primary key, email text not null, country_id int references countries,
    code varchar(3) not null default '', constraint users_mail unique (email));
  insert into countries values (1, 'Japan');`

describe.each(engines)('on $name', ({ open }) => {
  let engine: OpenEngine
  let database: Database

  beforeAll(async () => {
    engine = await open()
    database = engine.database
    const connection = await database.pool.reserve()
    await connection.script(tables)
    database.pool.release(connection)
    useDatabase(database)
  })
  beforeEach(() => database.query({ sql: 'delete from users', parameters: [] }))
  afterAll(async () => {
    useDatabase(undefined)
    await engine.close()
  })

  const formOf = (values: Record<string, string>) =>
    createForm(Params.from(values), User.pick('email', 'countryId', 'code'), [
      paramKey('email').is(required, unique(User, 'email')),
      paramKey('countryId').is(references(User, 'countryId')),
    ])

  async function save(values: Record<string, string>) {
    const form = formOf({ code: '', ...values })
    const row = await form.save((permitted) => User.create(permitted))
    return { row, messages: { ...form.keyAndErrorMessages.toJSON() } }
  }

  test('saves a valid form and returns the row', async () => {
    const { row } = await save({ email: 'ann@example.com', countryId: '1' })
    expect(row).toMatchObject({ email: 'ann@example.com', countryId: 1 })
  })

  test('of eight parallel forms with one e-mail, one is saved; the others have an error at the e-mail', async () => {
    for (let round = 0; round < 10; round++) {
      const email = `round${round}@example.com`
      const results = await Promise.all(Array.from({ length: 8 }, () => save({ email })))
      expect(results.filter(({ row }) => row !== undefined)).toHaveLength(1)
      const refused = results.filter(({ row }) => row === undefined)
      for (const { messages } of refused)
        expect(messages).toEqual({ email: ['email is already taken'] })
    }
  })

  test('a reference to no row is an error of its key, and the transaction stays usable', async () => {
    await database.transaction(async () => {
      const { row, messages } = await save({ email: 'bob@example.com', countryId: '99' })
      expect(row).toBeUndefined()
      expect(messages).toEqual({ countryId: ['countryId does not exist'] })
      expect((await save({ email: 'bob@example.com' })).row).toBeDefined()
    })
    expect(await User.count()).toBe(1)
  })

  test('a rule of another key takes the error of its field', async () => {
    await save({ email: 'cy@example.com' })
    const params = Params.from({ mail: 'cy@example.com' })
    const form = createForm(params, { mail: ParamType.String }, [
      paramKey('mail').is(unique(User, 'email')),
    ])
    const copy = Params.from({ email: 'cy@example.com' }).permit(User.pick('email'))
    expect(await form.save(() => User.create(copy))).toBeUndefined()
    expect(form.errorMessages).toEqual(['mail is already taken'])
  })

  test('a value that no rule foresees is an error of its key too', async () => {
    const { row, messages } = await save({ email: 'dan@example.com', code: 'long' })
    expect(row).toBeUndefined()
    expect(messages).toMatchObject({ code: ['code length must be less than or equal to 3'] })
  })

  test('an invalid form writes nothing; other errors are thrown', async () => {
    expect((await save({ email: '' })).messages).toMatchObject({ email: ['email is required'] })
    const form = formOf({ email: 'eve@example.com', code: '' })
    await expect(
      form.save(() => database.query({ sql: 'select no_such_column', parameters: [] })),
    ).rejects.toMatchObject({ code: 'db.query-failed' })
    expect(await User.count()).toBe(0)
    // @ts-expect-error no such field
    expect(unique(User, 'mail')).toBeDefined()
  })
})
