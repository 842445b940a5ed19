/** Rows for tests: what `factories.yml` says of a model, and the fields given in their place. */
import { join } from 'node:path'
import { FwError } from '../base.ts'
import { readKeyFile, type Entry, type Leaf, type Section } from '../config.ts'
import type { Columns, FwModel, RowOf, SomeFields } from '../model.ts'
import { permitValues, type ParamType } from '../params.ts'

const folders = ['src/test/resources', 'src/main/resources']
const files = new Map<string, Section | undefined>()
/** How many rows have been made: `#{n}`. */
let made = 0

type Variables = Readonly<Record<string, string | number>>
type AnyModel<C extends Columns> = FwModel<string, C, string>

/**
 * `await factory(Member).create({ name: 'Ann' })`: the other fields come from the block of `factories.yml` (in
 * `src/test/resources`, else `src/main/resources`) that bears the table's name, or the name given here:
 *
 *     members:
 *       name: "Member #{n}"
 *       birthday: 2000-01-02
 *
 * Texts become what the column's type makes of them. `#{n}` counts the rows of this process; other variables are given.
 * @throws FwError `testing.factory-invalid`
 */
export function factory<T extends string, C extends Columns, K extends string>(
  model: FwModel<T, C, K>,
  name?: string,
  root: string = process.cwd(),
): Factory<C> {
  return new Factory<C>(model as unknown as AnyModel<C>, blockOf(model.table, name, root), {})
}

/** Makes rows of one model. */
export class Factory<C extends Columns> {
  readonly #model: AnyModel<C>
  readonly #block: Section | undefined
  readonly #variables: Variables

  constructor(model: AnyModel<C>, block: Section | undefined, variables: Variables) {
    this.#model = model
    this.#block = block
    this.#variables = variables
  }

  /** Values for the `#{name}` of the block. */
  withVariables(variables: Variables): Factory<C> {
    return new Factory(this.#model, this.#block, { ...this.#variables, ...variables })
  }

  /**
   * Inserts a row and gives it as the database holds it. A field given as `undefined` is NULL.
   * @throws FwError `testing.factory-invalid`
   */
  async create(fields: SomeFields<C> = {}): Promise<RowOf<FwModel<string, C, string>>> {
    const values: Record<string, unknown> = { ...this.#defaults(fields), ...fields }
    const permitted = permitValues(values, ...Object.keys(values))
    const id = await this.#model.createWithPermittedAttributes(permitted as never)
    return (await this.#model.findById(id))!
  }

  /** As many rows, one after another. */
  async createMany(
    count: number,
    fields: SomeFields<C> = {},
  ): Promise<RowOf<FwModel<string, C, string>>[]> {
    const rows: RowOf<FwModel<string, C, string>>[] = []
    while (rows.length < count) rows.push(await this.create(fields))
    return rows
  }

  #defaults(given: object): Record<string, unknown> {
    const variables: Variables = { n: ++made, ...this.#variables }
    const values: Record<string, unknown> = {}
    for (const [key, entry] of this.#block?.entries ?? []) {
      const field = this.#model.fieldOf(key)
      if (!Object.hasOwn(given, field))
        values[field] = valueOf(entry, this.#model.columns[field]!, variables)
    }
    return values
  }
}

function blockOf(table: string, name: string | undefined, root: string): Section | undefined {
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

function valueOf(entry: Entry, type: ParamType<unknown>, variables: Variables): unknown {
  if (entry.kind === 'leaf' && entry.text === undefined) return undefined
  const texts = leavesOf(entry).map((leaf) => filled(leaf, variables))
  const value = type.read(texts)
  if (value !== undefined) return value
  throw invalid(entry, `'${texts.join(', ')}' must be ${type.expected}`)
}

function leavesOf(entry: Entry): Leaf[] {
  if (entry.kind === 'leaf') return [entry]
  if (entry.kind === 'list') return entry.items.flatMap(leavesOf)
  throw invalid(entry, 'a field takes a value or a list of values')
}

function filled(leaf: Leaf, variables: Variables): string {
  return (leaf.text ?? '').replace(/#\{([^{}]*)\}/g, (_found, name: string) => {
    const value = variables[name.trim()]
    if (value === undefined)
      throw invalid(leaf, `nothing is given for #{${name}}: factory(…).withVariables({ ${name} })`)
    return String(value)
  })
}

function invalid({ origin }: Entry, reason: string): FwError {
  return new FwError('testing.factory-invalid', `${origin.file}:${origin.line}: ${reason}.`)
}
