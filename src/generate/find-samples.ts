/** A value for each column of a table that the table would take: its types, lengths and checks are asked, nothing is written. */
import type { CheckSchema, ColumnSchema, Database, TableSchema } from '../db.ts'

/** By type: values to begin with, the plainest first. */
const byType: Readonly<Record<string, readonly string[]>> = {
  bool: ['true', 'false'],
  int2: ['7'],
  int4: ['7'],
  int8: ['7'],
  float4: ['7'],
  float8: ['7'],
  numeric: ['7.5', '7', '0.5'],
  bytea: ['data'],
  date: ['2000-01-02', '2001-02-03'],
  time: ['10:20:30', '11:20:30'],
  timetz: ['10:20:30+00'],
  timestamp: ['2000-01-02 10:20:30', '2001-02-03 10:20:30'],
  timestamptz: ['2000-01-02 10:20:30', '2001-02-03 10:20:30'],
  json: ['{}', '[]'],
  jsonb: ['{}', '[]'],
  uuid: ['0190163d-8694-739b-aea5-966c26f8ad91'],
  interval: ['1 day'],
  inet: ['127.0.0.1'],
  cidr: ['10.0.0.0/8'],
  macaddr: ['08:00:2b:01:02:03'],
  macaddr8: ['08:00:2b:01:02:03:04:05'],
  money: ['7.50'],
  xml: ['<a/>'],
  bit: ['1'],
  varbit: ['1'],
  point: ['(1,2)'],
  int4range: ['[1,10)'],
  int8range: ['[1,10)'],
  numrange: ['[1,10)'],
  daterange: ['[2000-01-02,2001-02-03)'],
  tsrange: ['[2000-01-02,2001-02-03)'],
  tstzrange: ['[2000-01-02,2001-02-03)'],
}
// No key may be 'new': that path is the form's.
const words = ['Something New', 'something', 'S', '1', 'new@example.org']
const numbers: ReadonlySet<string> = new Set([
  'int2',
  'int4',
  'int8',
  'float4',
  'float8',
  'numeric',
])
const most = 300

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

/** What the conditions name: their texts, and their numbers with neighbours, a text of that length among them. */
function named(conditions: readonly string[], isNumber: boolean): string[] {
  const all = conditions.join(' ')
  const texts = [...all.matchAll(/'((?:[^']|'')*)'/g)].map((found) =>
    found[1]!.replaceAll("''", "'"),
  )
  const bare = all.replace(/'(?:[^']|'')*'/g, '')
  const found = [...bare.matchAll(/(?<![\w.])-?\d+(?:\.\d+)?(?!\w)/g)].map((each) =>
    Number(each[0]),
  )
  const near = found.flatMap((number) => [number, number + 1, number - 1])
  if (isNumber) return near.map(String)
  return [...texts, ...near.filter((n) => n > 0 && n < 200).map((n) => 'n'.repeat(n))]
}

function candidates(column: ColumnSchema, conditions: readonly string[]): string[] {
  const { labels, type, length, isArray } = column
  if (labels !== undefined) return [...labels]
  const known = byType[type] ?? words
  const all = [...known, ...named(conditions, numbers.has(type))]
  const fitting = length === undefined ? all : all.map((each) => each.slice(0, length).trimEnd())
  const items = isArray ? fitting.filter((each) => !/[\n"\\{}]/.test(each)) : fitting
  return [...new Set(items)].slice(0, 24)
}

/** In the column's own type. */
function literal({ sqlType, isArray }: ColumnSchema, value: string | undefined): string {
  if (value === undefined) return `null::${sqlType}`
  return `${text(isArray ? `{"${value}"}` : value)}::${sqlType}`
}

/** Each way to choose one of each list, the first of all first. */
function* choices(lists: readonly (readonly string[])[]): Generator<readonly string[]> {
  const [first, ...rest] = lists
  if (first === undefined) return yield []
  for (const others of choices(rest)) for (const each of first) yield [each, ...others]
}

/** The conditions of each domain, by its name. */
export async function readDomainChecks(database: Database): Promise<ReadonlyMap<string, string>> {
  const sql = `select format_type(contypid, null) as name, string_agg(pg_get_constraintdef(oid), ' ') as checks
    from pg_constraint where contypid <> 0 group by 1`
  const { rows } = await database.query<{ name: string; checks: string }>({ sql, parameters: [] })
  return new Map(rows.map(({ name, checks }) => [name, checks]))
}

/** By column; a column for which nothing was found is left out, and those of a check that nothing found fulfils. */
export async function findSamples(
  database: Database,
  table: TableSchema,
  domains: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const search = new SampleSearch(database, table)
  for (const column of table.columns) await search.begin(column, domains.get(column.sqlType) ?? '')
  for (const check of table.checks) await search.fulfil(check)
  return search.samples
}

class SampleSearch {
  readonly samples = new Map<string, string>()
  readonly #database: Database
  readonly #table: TableSchema
  /** By column: every value that its type takes. */
  readonly #possible = new Map<string, readonly string[]>()

  constructor(database: Database, table: TableSchema) {
    this.#database = database
    this.#table = table
  }

  /** The first value that the column's type takes; where conditions choose among them, all of them. */
  async begin(column: ColumnSchema, domain: string): Promise<void> {
    const { name } = column
    const own = this.#checksOf([name]).map(({ sql }) => sql)
    const fine: string[] = []
    for (const each of candidates(column, [...own, domain])) {
      if (!(await this.#isTrue(`${literal(column, each)} is not null`))) continue
      fine.push(each)
      if (own.length === 0) break
    }
    this.#possible.set(name, fine)
    if (fine[0] !== undefined) this.samples.set(name, fine[0])
  }

  /** Changes the values of the check's columns until it holds, and every other check of theirs. */
  async fulfil(check: CheckSchema): Promise<void> {
    const { columns } = check
    if (await this.#holds(check, new Map())) return
    let tried = 0
    for (const chosen of choices(columns.map((name) => this.#possible.get(name) ?? []))) {
      if (++tried > most) break
      const over = new Map(columns.map((name, at) => [name, chosen[at]!]))
      if (!(await this.#allHold(over))) continue
      for (const [name, value] of over) this.samples.set(name, value)
      return
    }
    for (const name of columns) this.samples.delete(name)
  }

  #checksOf(columns: readonly string[]): readonly CheckSchema[] {
    return this.#table.checks.filter((check) =>
      check.columns.some((name) => columns.includes(name)),
    )
  }

  async #allHold(over: ReadonlyMap<string, string>): Promise<boolean> {
    for (const check of this.#checksOf([...over.keys()]))
      if (!(await this.#holds(check, over))) return false
    return true
  }

  #holds({ sql }: CheckSchema, over: ReadonlyMap<string, string>): Promise<boolean> {
    const row = this.#table.columns.map((column) => {
      const { name } = column
      const value = literal(column, over.get(name) ?? this.samples.get(name))
      return `${value} as "${name.replaceAll('"', '""')}"`
    })
    return this.#isTrue(`(select ${sql} from (select ${row.join(', ')}) as "row")`)
  }

  async #isTrue(condition: string): Promise<boolean> {
    const sql = `select (${condition}) is not false as fine`
    const asked = this.#database.query<{ fine: boolean }>({ sql, parameters: [] })
    return (await asked.catch(() => undefined))?.rows[0]?.fine === true
  }
}
