/**
 * Finds the records that a select element offers. The search among them works without scripts and keeps the entered values of
 * the form.
 */
import type { Columns, ReadOnlyModel } from '../model.ts'
import { type Params, ParamType } from '../params.ts'
import type { ResourceController } from './resource-controller.ts'

/** The maximum number of options, because a page with more options is slow to read and to send. */
const maxOptions = 200

export type OptionModel<C extends Columns> = ReadOnlyModel<string, C, keyof C & string>

const searchText = (params: Params, name: '_search' | '_searched', field: string): string =>
  params.under(name).getAs(field, ParamType.String)?.trim() ?? ''

/**
 * Whether the visitor searches instead of saving: a search field's text (`_search.companyId`) differs from its text on the page
 * (`_searched.companyId`). The Enter key in a search field also submits the form.
 */
export function isSearching({ params }: ResourceController): boolean {
  for (const field of params.under('_search').keys())
    if (searchText(params, '_search', field) !== searchText(params, '_searched', field)) return true
  return false
}

/**
 * Returns the first records by title whose title contains the text of the search field of `fields[0]`. The records that the
 * page's parameters `fields` refer to come first.
 */
export async function findOptions<C extends Columns>(
  c: ResourceController,
  model: OptionModel<C>,
  { title, fields }: { readonly title: keyof C & string; readonly fields: readonly string[] },
) {
  const text = searchText(c.params, '_search', fields[0] ?? '')
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  const all = model.query()
  const matches = text === '' ? all : all.where(title, 'ilike', pattern as never)
  const options = await matches.orderBy(title).limit(maxOptions).findAll()
  const known = new Set(options.map((row) => model.idOf(row)))
  const params = (c.requestScope().get('params') as Params | undefined) ?? c.params
  const chosen = fields
    .map((field) => params.getAs(field, model.idType))
    .filter((id) => id !== undefined && !known.has(id))
  if (chosen.length === 0) return options
  const key = model.primaryKey as keyof C & string
  return [...(await all.where(key, 'in', chosen as never).findAll()), ...options]
}
