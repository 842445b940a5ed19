/** An edit that changes nothing changes nothing: forms, JSON and XML of a table with every type of PostgreSQL. */
import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { currentDatabase, currentTransaction, type Database } from '../../src/runtime/db.ts'
import { testApp, type Visitor } from '../../src/tools/testing.ts'
import { submittedForm } from '../support/browser-form.ts'
import { generateFromDatabase, linkSources, newFolder, removeFolder } from './folder.ts'
import { arrayLiteral, columnTypes, literals, type ColumnType } from './column-values.ts'

interface Column {
  readonly name: string
  readonly type: string
  /** The values of the catalogue. */
  readonly examples: readonly (string | null)[]
  /** Random values. */
  readonly random: fc.Arbitrary<string | null>
}

/** The number of random records. Each has a field for each type, and is sent back three times. */
const runs = 5
/** The number of records that contain every value of the catalogue: a column with more examples becomes several columns. */
const records = 16

/** The columns that the engine has: each type, and its array. */
async function findColumns(database: Database): Promise<readonly Column[]> {
  const query = (sql: string, parameters: readonly unknown[] = []) =>
    database.query<{ value: string }>({ sql, parameters })
  for (const name of ['citext', 'hstore', 'ltree'])
    await query(`create extension ${name}`).catch((error: unknown) => {
      // A server without PostgreSQL's contrib packages; PGlite contains them.
      if (database.engine === 'pglite') throw error
    })
  await database.transaction(() =>
    currentTransaction()!.script(`create type mood as enum ('ok', 'so so', 'l,o"w');
      create domain percent as integer check (value between 0 and 100);
      create domain word as text check (value <> 'bad');
      create type pair as (a integer, b text)`),
  )
  const columns = await Promise.all(
    columnTypes.map(async (type: ColumnType, at) => {
      const known: string[] = []
      for (const literal of literals(type))
        await query(`select $1::text::${type.sql}`, [literal]).then(
          () => known.push(literal),
          () => undefined,
        )
      if (known.length === 0) return []
      const { values } = type
      const one =
        values === undefined
          ? fc.constantFrom(...known)
          : fc.oneof(fc.constantFrom(...known), values)
      const optional = fc.option(one, { freq: 8 })
      const list = fc.oneof(
        {
          weight: 8,
          arbitrary: fc.array(optional, { maxLength: 3 }).map((items) => arrayLiteral(items, type)),
        },
        {
          weight: 1,
          arbitrary: fc.tuple(one, one).map(([a, b]) =>
            arrayLiteral(
              [
                [a, b],
                [b, a],
              ],
              type,
            ),
          ),
        },
        { weight: 1, arbitrary: fc.tuple(one).map(([a]) => `[2:2]=${arrayLiteral([a], type)}`) },
      )
      const columns: Column[] = [
        { name: `v${at}`, type: type.sql, examples: [...known, null], random: optional },
        { name: `n${at}`, type: `${type.sql} not null`, examples: known, random: one },
      ]
      const hasArray = await query(`select $1::text::${type.sql}[]`, [
        arrayLiteral([known[0]!], type),
      ]).then(
        () => true,
        () => false,
      )
      if (!hasArray) return columns
      const [first = ''] = known
      const lists = [
        ...known.map((literal) => arrayLiteral([literal], type)),
        arrayLiteral([], type),
        arrayLiteral([null], type),
        arrayLiteral([[first], [known.at(-1)!]], type),
        `[2:2]=${arrayLiteral([first], type)}`,
      ]
      const random = fc.option(list, { freq: 8 })
      return [
        ...columns,
        { name: `a${at}`, type: `${type.sql}[]`, examples: [...lists, null], random },
        { name: `m${at}`, type: `${type.sql}[] not null`, examples: lists, random: list },
      ]
    }),
  )
  return columns.flat().flatMap((column) =>
    Array.from({ length: Math.ceil(column.examples.length / records) }, (_, part) => ({
      ...column,
      name: `${column.name}${'abcdef'[part]!}`,
      examples: column.examples.slice(part * records, (part + 1) * records),
    })),
  )
}

/** Generates an application over the table, and defines its tests on the engine that the environment selects. */
export async function testUnchangedEdits(
  openEmpty: () => Promise<{ database: Database; close(): Promise<void> }>,
): Promise<void> {
  const root = newFolder()
  afterAll(() => removeFolder(root))
  const engine = await openEmpty()
  const columns = await findColumns(engine.database)
  const definitions = columns.map(({ name, type }) => `${name} ${type}`).join(', ')
  await engine.database.query({
    sql: `create table samples (id bigserial primary key, title text not null, ${definitions}, updated_at timestamptz not null default now())`,
    parameters: [],
  })
  await generateFromDatabase(root, engine.database)
  await engine.close()
  linkSources(root)
  const { Bootstrap } = await import(pathToFileURL(join(root, 'src/main/bootstrap.ts')).href)
  const app = await testApp(Bootstrap, { root })
  const baseType = ({ type }: Column) => type.replace(' not null', '')

  const query = <Row>(sql: string, parameters: readonly unknown[] = []) =>
    currentDatabase().query<Row>({ sql, parameters })

  async function insert(values: readonly (string | null)[]): Promise<number> {
    const names = columns.map(({ name }) => name).join(', ')
    const casts = columns.map((column, at) => `$${at + 1}::text::${baseType(column)}`).join(', ')
    const { rows } = await query<{ id: number }>(
      `insert into samples (title, ${names}) values ('x', ${casts}) returning id`,
      values,
    )
    return rows[0]!.id
  }

  /** The text of each column, as PostgreSQL stores it. */
  async function read(id: number): Promise<Readonly<Record<string, string | null>>> {
    const texts = ['updated_at', ...columns.map(({ name }) => name)].map((name) => `${name}::text`)
    return (
      await query<Record<string, string | null>>(
        `select ${texts.join(', ')} from samples where id = ${id}`,
      )
    ).rows[0]!
  }

  const same = async (id: number, before: object, what: string): Promise<void> => {
    const after = await read(id)
    const changed = columns.filter(({ name }) => after[name] !== (before as typeof after)[name])
    expect(
      changed.map(({ name, type }) => [what, type, (before as typeof after)[name], after[name]]),
    ).toEqual([])
    expect(after).toEqual(before)
  }

  /**
   * Shows a record, and sends back its unchanged form, JSON and XML. Then changes its title alone, and returns the stored one.
   */
  async function sendBack(visitor: Visitor, values: readonly (string | null)[]): Promise<unknown> {
    const id = await insert(values)
    const before = await read(id)
    const shown = await visitor.get(`/samples/${id}`)
    expect([shown.status, shown.status === 200 ? '' : shown.body]).toEqual([200, ''])
    const edit = await visitor.get(`/samples/${id}/edit`)
    const token = edit.attribute('meta[name="csrf-token"]', 'content') ?? ''
    const headers = { 'x-csrf-token': token }
    const urlencoded = { ...headers, 'content-type': 'application/x-www-form-urlencoded' }
    const body = submittedForm(edit.body, `/samples/${id}`)
    const saved = await visitor.post(`/samples/${id}`, { body, headers: urlencoded })
    expect([saved.status, saved.status === 302 ? '' : saved.all('small, [role=alert]')]).toEqual([
      302,
      '',
    ])
    await same(id, before, 'form')
    for (const [format, type] of [
      ['json', 'application/json'],
      ['xml', 'application/xml'],
    ] as const) {
      const { body } = await visitor.get(`/samples/${id}.${format}`)
      const put = await visitor.put(`/samples/${id}.${format}`, {
        body,
        headers: { ...headers, 'content-type': type },
      })
      expect([format, put.status, put.status === 200 ? '' : put.body]).toEqual([format, 200, ''])
      await same(id, before, format)
    }
    const titled = new URLSearchParams(body)
    titled.set('title', 'y')
    const changed = await visitor.post(`/samples/${id}`, {
      body: String(titled),
      headers: urlencoded,
    })
    expect(changed.status).toBe(302)
    const { updated_at: updatedAt, ...others } = await read(id)
    const { updated_at: updatedBefore, ...othersBefore } = before
    expect(others).toEqual(othersBefore)
    expect(updatedAt).not.toBe(updatedBefore)
    const { rows } = await query<{ title: string }>(`select title from samples where id = ${id}`)
    return rows[0]?.title
  }

  test('every value of the catalogue is shown, sent back and unchanged: a form, JSON and XML', async () => {
    const visitor = app.session()
    for (let at = 0; at < records; at++)
      expect(
        await sendBack(
          visitor,
          columns.map(({ examples }) => examples[at % examples.length]!),
        ),
      ).toBe('y')
    for (const format of ['', '.json', '.xml']) {
      const list = await visitor.get(`/samples${format}?size=200`)
      expect([format, list.status, list.status === 200 ? '' : list.body]).toEqual([format, 200, ''])
    }
    const { body } = await visitor.get('/samples.json?size=200')
    expect(JSON.parse(body)).toHaveLength(records)
    const values = columns.reduce((sum, { examples }) => sum + examples.length, 0)
    expect(3 * values).toBeGreaterThan(5000)
  }, 480_000)

  test('so is every random value', async () => {
    const visitor = app.session()
    await fc.assert(
      fc.asyncProperty(fc.tuple(...columns.map(({ random }) => random)), async (values) => {
        expect(await sendBack(visitor, values)).toBe('y')
      }),
      { numRuns: runs },
    )
  }, 240_000)
}
