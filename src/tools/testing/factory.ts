/** `factory(Model)`: inserts rows for tests, with default values from `factories.yml`. */
import { join } from 'node:path'
import { FwError } from '../../runtime/base.ts'
import { readKeyFile, type Entry, type Leaf, type Section } from '../../runtime/config.ts'
import type { Columns, FwModel, RowOf, SomeFields } from '../../runtime/model.ts'
import { permitValues, type ParamType } from '../../runtime/params.ts'

const folders = ['src/test/resources', 'src/main/resources']
const files = new Map<string, Section | undefined>()
/** The number of the last inserted row, which replaces `#{n}`. */
let rowNumber = 0

type Variables = Readonly<Record<string, string | number>>
type AnyModel<C extends Columns> = FwModel<string, C, string>

/**
 * Creates a factory: `await factory(Member).create({ name: 'Ann' })` inserts a row. The values of other fields come from a
 * block of `factories.yml` in `src/test/resources`, else `src/main/resources`. The block has the table's name unless `name` is
 * given:
 *
 *     members: name: "Member #{n}" birthday: 2000-01-02
 *
 * Each text is converted to the column's type. `#{n}` is the number of the row in this process; `withVariables` defines further
 * variables.
 * @throws FwError `testing.factory-invalid`
 */
export function factory<T extends string, C extends Columns, K extends string>(
  model: FwModel<T, C, K>,
  name?: string,
  root: string = process.cwd(),
): Factory<C> {
  return new Factory<C>(model as unknown as AnyModel<C>, findBlock(model.table, name, root), {})
}

/** Inserts rows of one model. */
export class Factory<C extends Columns> {
  readonly #model: AnyModel<C>
  readonly #block: Section | undefined
  readonly #variables: Variables

  constructor(model: AnyModel<C>, block: Section | undefined, variables: Variables) {
    this.#model = model
    this.#block = block
    this.#variables = variables
  }

  /** Returns a factory with additional variables, whose values replace `#{name}` in the block. */
  withVariables(variables: Variables): Factory<C> {
    return new Factory(this.#model, this.#block, { ...this.#variables, ...variables })
  }

  /**
   * Inserts a row and returns it as read from the database. A field whose value is `undefined` becomes NULL.
   * @throws FwError `testing.factory-invalid`
   */
  async create(fields: SomeFields<C> = {}): Promise<RowOf<FwModel<string, C, string>>> {
    const values: object = { ...this.#defaults(fields), ...fields }
    const permitted = permitValues(values)
    const id = await this.#model.createWithPermittedAttributes(permitted as never)
    return (await this.#model.findById(id))!
  }

  /** Inserts `count` rows, one after another. */
  async createMany(
    count: number,
    fields: SomeFields<C> = {},
  ): Promise<RowOf<FwModel<string, C, string>>[]> {
    const rows: RowOf<FwModel<string, C, string>>[] = []
    while (rows.length < count) rows.push(await this.create(fields))
    return rows
  }

  #defaults(fields: object): Record<string, unknown> {
    const variables: Variables = { n: ++rowNumber, ...this.#variables }
    const values: Record<string, unknown> = {}
    for (const [key, entry] of this.#block?.entries ?? []) {
      const field = this.#model.fieldOf(key)
      if (!Object.hasOwn(fields, field))
        values[field] = convertEntry(entry, this.#model.columns[field]!, variables)
    }
    return values
  }
}

function findBlock(table: string, name: string | undefined, root: string): Section | undefined {
  for (const folder of folders) {
    const path = join(root, folder, 'factories.yml')
    if (!files.has(path)) files.set(path, readKeyFile(path))
    const block = files.get(path)?.entries.get(name ?? table)
    if (block?.kind === 'section') return block
  }
  if (name === undefined) return undefined
  throw new FwError(
    'testing.factory-invalid',
    `factories.yml has no block '${name}' in ${folders.join(' or ')} of ${root}.`,
  )
}

function convertEntry(entry: Entry, type: ParamType<unknown>, variables: Variables): unknown {
  if (entry.kind === 'leaf' && entry.text === undefined) return undefined
  const texts = listLeaves(entry).map((leaf) => interpolate(leaf, variables))
  const value = type.read(texts)
  if (value !== undefined) return value
  throw invalid(entry, `'${texts.join(', ')}' must be ${type.expected}`)
}

function listLeaves(entry: Entry): Leaf[] {
  if (entry.kind === 'leaf') return [entry]
  if (entry.kind === 'list') return entry.items.flatMap(listLeaves)
  throw invalid(entry, 'a field takes a value or a list of values')
}

function interpolate(leaf: Leaf, variables: Variables): string {
  return (leaf.text ?? '').replace(/#\{([^{}]*)\}/g, (_found, name: string) => {
    const value = variables[name.trim()]
    if (value === undefined)
      throw invalid(leaf, `#{${name}} has no value: factory(…).withVariables({ ${name} })`)
    return String(value)
  })
}

function invalid({ origin }: Entry, reason: string): FwError {
  return new FwError('testing.factory-invalid', `${origin.file}:${origin.line}: ${reason}.`)
}
