/** Finds sample values that a table accepts. The database evaluates types, lengths and checks in queries that write nothing. */
import type { CheckSchema, ColumnSchema, Database, TableSchema } from '../../runtime/db.ts'
import { columnTypes, typeDefinitions } from '../../runtime/params.ts'

/** The candidate values of the types that have no type in `ParamType`. */
const otherSamples: readonly (readonly [types: string, values: readonly string[]])[] = [
  ['timetz', ['10:20:30+00']],
  ['cidr', ['10.0.0.0/8']],
  ['macaddr', ['08:00:2b:01:02:03']],
  ['macaddr8', ['08:00:2b:01:02:03:04:05']],
  ['money', ['7.50']],
  ['xml', ['<a/>']],
  ['bit varbit', ['1']],
  ['point', ['(1,2)']],
  ['int4range int8range numrange', ['[1,10)']],
  ['daterange tsrange tstzrange', ['[2000-01-02,2001-02-03)']],
]
/** The candidate values of each type, the simplest first. */
const samplesByType = new Map([
  ...otherSamples.flatMap(([types, values]) =>
    types.split(' ').map((type) => [type, values] as const),
  ),
  ...typeDefinitions.flatMap((definition) =>
    columnTypes(definition).map((type) => [type, definition.field?.samples ?? []] as const),
  ),
])
// Do not add the candidate 'new': as a key, its path would be the path of the form for a new record.
const textSamples = ['Something New', 'something', 'S', '1', 'new@example.org']
const otherTypes: ReadonlySet<string> = new Set(otherSamples.flatMap(([types]) => types.split(' ')))
const numberTypes: ReadonlySet<string> = new Set('int2 int4 int8 float4 float8 numeric'.split(' '))
const maxCandidates = 24
const maxCombinations = 300

/**
 * Returns an accepted value by column. Omits columns without an accepted value, and the columns of a check if no combination of
 * values satisfies it. @param domains checks of domains, by domain
 */
export async function findSamples(
  database: Database,
  table: TableSchema,
  domains: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const search = new SampleSearch(database, table)
  for (const column of table.columns)
    await search.addColumn(column, domains.get(column.sqlType) ?? '')
  for (const check of table.checks) await search.fulfil(check)
  return search.samples
}

/** Returns the numbers in conditions, also plus and minus 1. For text columns, returns the texts, and texts of such lengths. */
function readConstants(conditions: readonly string[], isNumber: boolean): string[] {
  const sql = conditions.join(' ')
  const texts = [...sql.matchAll(/'((?:[^']|'')*)'/g)].map(([, text]) =>
    text!.replaceAll("''", "'"),
  )
  const withoutTexts = sql.replace(/'(?:[^']|'')*'/g, '')
  const numbers = [...withoutTexts.matchAll(/(?<![\w.])-?\d+(?:\.\d+)?(?!\w)/g)]
    .map(([number]) => Number(number))
    .flatMap((number) => [number, number + 1, number - 1])
  if (isNumber) return numbers.map(String)
  return [...texts, ...numbers.filter((n) => n > 0 && n < 200).map((n) => 'n'.repeat(n))]
}

function listCandidates(column: ColumnSchema, conditions: readonly string[]): string[] {
  const { labels, type, length, isArray } = column
  if (labels !== undefined) return [...labels]
  const all = [
    ...(samplesByType.get(type) ?? textSamples),
    ...readConstants(conditions, numberTypes.has(type)),
  ]
  const fitting = length === undefined ? all : all.map((text) => text.slice(0, length).trimEnd())
  const items = isArray ? fitting.filter((text) => !/[\n"\\{}]/.test(text)) : fitting
  return [...new Set(items)].slice(0, maxCandidates)
}

/** Formats a value as an SQL expression of the column's type; `undefined` becomes NULL. */
function formatLiteral({ sqlType, isArray }: ColumnSchema, value: string | undefined): string {
  if (value === undefined) return `null::${sqlType}`
  const text = isArray ? `{"${value}"}` : value
  return `'${text.replaceAll("'", "''")}'::${sqlType}`
}

/** Yields all combinations of one item from each list. */
function* combine(lists: readonly (readonly string[])[]): Generator<readonly string[]> {
  const [first, ...rest] = lists
  if (first === undefined) return yield []
  for (const others of combine(rest)) for (const item of first) yield [item, ...others]
}

class SampleSearch {
  readonly samples = new Map<string, string>()
  readonly #database: Database
  readonly #table: TableSchema
  /** The candidates that the column's type accepts, by column. */
  readonly #accepted = new Map<string, readonly string[]>()

  constructor(database: Database, table: TableSchema) {
    this.#database = database
    this.#table = table
  }

  /** Finds the first candidate that the type accepts; finds all such candidates if checks restrict the column. */
  async addColumn(column: ColumnSchema, domain: string): Promise<void> {
    const { name } = column
    const checks = this.#findChecks([name]).map(({ sql }) => sql)
    const accepted: string[] = []
    for (const candidate of listCandidates(column, [...checks, domain])) {
      if (!(await this.#isTrue(`${formatLiteral(column, candidate)} is not null`))) continue
      accepted.push(await this.#textOf(column, candidate))
      if (checks.length === 0) break
    }
    this.#accepted.set(name, accepted)
    if (accepted[0] !== undefined) this.samples.set(name, accepted[0])
  }

  /** Changes the columns' samples until all their checks succeed. Deletes the samples if no combination succeeds. */
  async fulfil(check: CheckSchema): Promise<void> {
    const { columns } = check
    if (await this.#holds(check, new Map())) return
    let count = 0
    for (const values of combine(columns.map((name) => this.#accepted.get(name) ?? []))) {
      if (++count > maxCombinations) break
      const changes = new Map(columns.map((name, index) => [name, values[index]!]))
      if (!(await this.#allHold(changes))) continue
      for (const [name, value] of changes) this.samples.set(name, value)
      return
    }
    for (const name of columns) this.samples.delete(name)
  }

  #findChecks(columns: readonly string[]): readonly CheckSchema[] {
    return this.#table.checks.filter((check) =>
      check.columns.some((name) => columns.includes(name)),
    )
  }

  async #allHold(changes: ReadonlyMap<string, string>): Promise<boolean> {
    for (const check of this.#findChecks([...changes.keys()]))
      if (!(await this.#holds(check, changes))) return false
    return true
  }

  #holds({ sql }: CheckSchema, changes: ReadonlyMap<string, string>): Promise<boolean> {
    const row = this.#table.columns.map((column) => {
      const { name } = column
      const value = formatLiteral(column, changes.get(name) ?? this.samples.get(name))
      return `${value} as "${name.replaceAll('"', '""')}"`
    })
    return this.#isTrue(`(select ${sql} from (select ${row.join(', ')}) as "row")`)
  }

  /** Returns a value of a type that is no `ParamType` as the database prints it: `$7.50` for `7.50`, `100` for `1` in a `bit(3)`. */
  async #textOf(column: ColumnSchema, value: string): Promise<string> {
    if (column.isArray || !otherTypes.has(column.type)) return value
    const sql = `select (${formatLiteral(column, value)})::text as text`
    const { rows } = await this.#database.query<{ text: string }>({ sql, parameters: [] })
    return rows[0]!.text
  }

  /** Evaluates a condition in SQL. NULL counts as true; a condition that fails, such as an invalid cast, counts as false. */
  async #isTrue(condition: string): Promise<boolean> {
    const sql = `select (${condition}) is not false as fine`
    const result = this.#database.query<{ fine: boolean }>({ sql, parameters: [] })
    return (await result.catch(() => undefined))?.rows[0]?.fine === true
  }
}
