/** Durations, addresses and e-mails, on every engine: a value is read as it was written, and its text is canonical. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Temporal } from '../base.ts'
import { useDatabase } from '../db.ts'
import { engines, type OpenEngine } from '../db/engines.fixture.ts'
import { model } from '../model.ts'
import { ParamType, permitValues } from '../params.ts'

const Visit = model('visits', {
  id: ParamType.Long,
  lasted: ParamType.optional(ParamType.Duration),
  breaks: ParamType.optional(ParamType.array(ParamType.Duration)),
  origin: ParamType.optional(ParamType.IpAddress),
  origins: ParamType.optional(ParamType.array(ParamType.IpAddress)),
})

const group = fc.oneof(
  fc.constant('0'),
  fc.constant('0'),
  fc.nat(0xffff).map((n) => n.toString(16)),
)
const ipv6 = fc.oneof(
  fc.ipV6(),
  fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(':')),
)
const address = fc
  .tuple(fc.oneof(fc.ipV4(), ipv6), fc.option(fc.nat(128)))
  .filter(([ip, bits]) => bits === null || ip.includes(':') || bits <= 32)
  .map(([ip, bits]) => (bits === null ? ip : `${ip}/${bits}`))
const duration = fc
  .record({
    sign: fc.constantFrom(1, -1),
    years: fc.nat(1000),
    months: fc.nat(11),
    days: fc.nat(10_000),
    hours: fc.nat(1000),
    minutes: fc.nat(59),
    seconds: fc.nat(59),
    microseconds: fc.nat(999_999),
  })
  .map(({ sign, ...parts }) => {
    const value = Temporal.Duration.from(parts)
    return sign < 0 ? value.negated() : value
  })
const micros = (value: Temporal.Duration) =>
  value.round({ largestUnit: 'years', relativeTo: '2001-01-01' }).toString()

describe.each(engines)('types of values on $name', (engine) => {
  let open: OpenEngine
  const run = (sql: string, parameters: unknown[] = []) => open.database.query({ sql, parameters })
  beforeAll(async () => {
    open = await engine.open()
    useDatabase(open.database)
    await run(
      'create table visits (id bigserial primary key, lasted interval, breaks interval[], origin inet, origins inet[])',
    )
  })
  afterAll(async () => {
    useDatabase(undefined)
    await open.close()
  })

  test('the text of an address is the one that PostgreSQL prints', async () => {
    const texts = fc.sample(address, 300)
    const { rows } = await run('select each::inet::text as whole from unnest($1::text[]) each', [
      texts,
    ])
    const printed = rows.map((row) =>
      String(row['whole'])
        .replace(/^([\d.]+)\/32$/, '$1')
        .replace(/\/128$/, ''),
    )
    expect(texts.map((text) => ParamType.IpAddress.parse(text))).toEqual(printed)
  })

  test('durations and addresses are read as they were written, also in lists', async () => {
    await fc.assert(
      fc.asyncProperty(
        duration,
        fc.array(duration, { maxLength: 3 }),
        address,
        async (lasted, breaks, ip) => {
          const origin = ParamType.IpAddress.parse(ip)!
          const values = { lasted, breaks, origin, origins: [origin] }
          const id = await Visit.createWithPermittedAttributes(
            permitValues(values, 'lasted', 'breaks', 'origin', 'origins'),
          )
          const row = (await Visit.findById(id))!
          expect(row.origin).toBe(origin)
          expect(row.origins).toEqual([origin])
          expect(micros(row.lasted!)).toBe(micros(lasted))
          expect(row.breaks!.map(micros)).toEqual(breaks.map(micros))
          expect(await Visit.where({ lasted, origin }).exists()).toBe(true)
        },
      ),
      { numRuns: 40 },
    )
  })

  test('a duration with two signs has no Temporal.Duration', async () => {
    await run("insert into visits (lasted) values ('1 mon -1 day')")
    const lasted = (await Visit.findAll()).map((row) => String(row.lasted))
    expect(lasted).toContain('1 mon -1 days')
    await run('delete from visits where origin is null')
  })
})

test.each([
  ['ann@Gmail.com', 'ann@gmail.com'],
  ['Ann.B+c@Mail.Example.co.jp', 'Ann.B+c@mail.example.co.jp'],
  ['ann@пример.рф', 'ann@xn--e1afmkfd.xn--p1ai'],
  ['ann@xn--e1afmkfd.xn--p1ai', 'ann@xn--e1afmkfd.xn--p1ai'],
  ['ann', undefined],
  ['ann@localhost', undefined],
  ['ann@127.0.0.1', undefined],
  ['ann@example.com\n', undefined],
  [' ann@example.com', undefined],
  ['ann@ex%61mple.com', undefined],
  ['a@b@example.com', undefined],
  [`${'a'.repeat(65)}@example.com`, undefined],
])('the address %j is stored as %j', (text, stored) => {
  expect(ParamType.Email.parse(text)).toBe(stored)
})
