/**
 * Keyset pagination of a resource: reads order, search, filters and position from the query, and creates links to the other
 * pages.
 */
import { FwError, HttpError } from '../base.ts'
import type { KeyPage, KeyPageRequest } from '../model.ts'
import { numberExamples, numberKind, ParamType, readNumberText, toSnakeCase } from '../params.ts'
import type { ResourceController } from './resource-controller.ts'
import { traitOptions, type PageByKey } from './resource-options.ts'
import { readSize, setLinks } from './resource-request.ts'

/** The query parameters of a link to another page of the list. */
export type ListQuery = Readonly<Record<string, string>>

/** A page of a resource's list for its view, which receives it as `list`. The option `pageByKey` enables it. */
export interface ResourceList {
  /** The number of matching records, at most 10,000. */
  readonly total: number
  /** False if more than `total` records match. */
  readonly isTotalExact: boolean
  /**
   * The query of a link to the first page; `undefined` on the first page. `previous`, `next` and `last` are `undefined` if
   * there is no such other page.
   */
  readonly first: ListQuery | undefined
  readonly previous: ListQuery | undefined
  readonly next: ListQuery | undefined
  readonly last: ListQuery | undefined
  /** The maximum number of records on a page. */
  readonly size: number
  /** The search text; empty without a search. */
  readonly search: string
  /** Whether a search or a filter excludes records. */
  readonly isRestricted: boolean
  /** The query's order and page size. The search form sends them in hidden fields, so that a new search keeps them. */
  readonly kept: ListQuery
  /** Returns the text of a field's filter or of an own parameter; empty without one. */
  filter(field: string): string
  /**
   * Returns the query of a link that sorts by a field. If the list already is in ascending order of the field, the link sorts
   * in descending order.
   */
  sortBy(field: string): ListQuery
  /** Returns the value of `aria-sort` for a field's column. */
  sortOf(field: string): 'ascending' | 'descending' | 'none'
  /** Returns the query of a link to the first page with another page size. */
  withSize(size: number): ListQuery
}

/** A page of a list and the query that selected it. */
export interface KeyList {
  readonly page: KeyPage<object>
  readonly query: ReadQuery
}

interface ReadQuery {
  readonly request: KeyPageRequest
  /** Whether the client sent one of the application's own parameters. */
  readonly hasOwn: boolean
  /** The order, size, search and filters that the client sent, without defaults. */
  readonly sent: ListQuery
}

/** The maximum length of a search text, in characters. */
export const maxSearchLength = 200

const invalid = (message: string): HttpError => new HttpError(400, 'resource.list-invalid', message)

/**
 * Finds the page of the list that the query selects.
 * @throws HttpError 400 `resource.list-invalid`, `model.cursor-invalid`
 */
export async function findKeyList(c: ResourceController, by: PageByKey): Promise<KeyList> {
  refuseOverridden(c)
  const query = readQuery(c, by)
  return { page: await c.findPageByKey(query.request), query }
}

/**
 * Throws if the application overrides a hook that `pageByKey` does not call: the list would show records that `findResources`
 * hides.
 */
function refuseOverridden(c: ResourceController): void {
  for (const hook of ['findResources', 'countResources'] as const) {
    let owner = Object.getPrototypeOf(c) as object
    while (!Object.hasOwn(owner, hook)) owner = Object.getPrototypeOf(owner) as object
    if (Object.hasOwn(owner, traitOptions)) continue
    throw new FwError(
      'resource.option-invalid',
      `The resource '${c.resourcesName}' is invalid: with pageByKey the list does not call ${hook}. Override findPageByKey.`,
    )
  }
}

/** Returns the first value of a parameter; `undefined` if it is blank. */
function readText(c: ResourceController, name: string, limit = 512): string | undefined {
  const text = c.params.source.get(name)?.[0]?.trim()
  if (text === undefined || text === '') return undefined
  if (text.length <= limit && ParamType.String.parse(text) !== undefined) return text
  throw invalid(`The parameter ${name} is not a text of at most ${limit} characters.`)
}

function readQuery(c: ResourceController, by: PageByKey): ReadQuery {
  const { params } = c
  const sort = readText(c, 'sort')
  const search = (by.search ?? []).length > 0 ? readText(c, 'q', maxSearchLength) : undefined
  const { filters, texts } = readFilters(c, by.filter ?? [])
  const own = readOwn(c, by.parameters ?? [])
  const size = readSize(c)
  const position = { after: params.get('after'), before: params.get('before') }
  if (position.after !== undefined && position.before !== undefined)
    throw invalid('Send the parameter after or before, not both.')
  return {
    request: {
      size,
      ...position,
      sort: sort === undefined ? undefined : readSort(sort, by.sort ?? []),
      filters: Object.keys(filters).length === 0 ? undefined : filters,
      search: search === undefined ? undefined : { text: search, fields: by.search! },
      countUpTo: readTotal(c),
    },
    hasOwn: Object.keys(own).length > 0,
    sent: {
      ...(sort === undefined ? {} : { sort }),
      ...(size === c.pageSize ? {} : { size: String(size) }),
      ...(search === undefined ? {} : { q: search }),
      ...texts,
      ...own,
    },
  }
}

/** Returns the texts of the application's own parameters. */
const readOwn = (c: ResourceController, names: readonly string[]): ListQuery =>
  Object.fromEntries(
    names.flatMap((name) => {
      const text = readText(c, name)
      return text === undefined ? [] : [[name, text]]
    }),
  )

/** Parses `name` as ascending order and `-name` as descending order. */
function readSort(text: string, fields: readonly string[]): KeyPageRequest['sort'] {
  const isDescending = text.startsWith('-')
  const name = isDescending ? text.slice(1) : text
  const field = fields.find((each) => each === name || toSnakeCase(each) === name)
  if (field !== undefined) return { field, direction: isDescending ? 'desc' : 'asc' }
  throw invalid(
    fields.length === 0
      ? 'The parameter sort is not supported here.'
      : `The parameter sort is one of ${fields.join(', ')}, with - before it for the other direction.`,
  )
}

function readTotal(c: ResourceController): number | undefined {
  const text = readText(c, 'total')
  if (text === undefined) return undefined
  if (text === 'exact') return Infinity
  throw invalid('The parameter total is exact, or absent.')
}

/** Reads the filters: their values by field, and the texts that were sent. Clients may write the names in snake case. */
function readFilters(c: ResourceController, fields: readonly string[]) {
  const filters: Record<string, unknown> = {}
  const texts: Record<string, string> = {}
  for (const field of fields) {
    const name = readText(c, field) === undefined ? toSnakeCase(field) : field
    const text = readText(c, name)
    if (text === undefined) continue
    const type = c.model.columns![field]!
    const kind = numberKind(type)
    const { source } = c.params
    const value = type.parse(kind === undefined ? text : readNumberText(source, name, text, kind))
    if (value === undefined) {
      const examples = kind === undefined ? undefined : numberExamples(source, name, kind)
      const written = examples === undefined ? '' : `, written like ${examples}`
      throw invalid(`The parameter ${field} must be ${type.expected}${written}.`)
    }
    filters[field] = value
    texts[field] = text
  }
  return { filters, texts }
}

/** Returns the data that the view needs for the links and forms of the page. */
export function toResourceList({ page, query }: KeyList): ResourceList {
  const { total, isTotalExact, next, previous } = page
  const { request, hasOwn, sent } = query
  const { sort: _sort, ...unsorted } = sent
  const { size: _size, ...unsized } = sent
  const isSortedBy = (field: string): boolean => request.sort?.field === field
  const isAscending = request.sort?.direction === 'asc'
  return {
    total,
    isTotalExact,
    first: previous === undefined ? undefined : sent,
    previous: previous === undefined ? undefined : { ...sent, before: previous },
    next: next === undefined ? undefined : { ...sent, after: next },
    last: next === undefined ? undefined : { ...sent, before: '' },
    size: request.size,
    search: request.search?.text ?? '',
    isRestricted: hasOwn || request.search !== undefined || request.filters !== undefined,
    kept: Object.fromEntries(
      Object.entries(sent).filter(([name]) => name === 'sort' || name === 'size'),
    ),
    filter: (field) => sent[field] ?? '',
    sortBy: (field) => ({
      ...unsorted,
      sort: isSortedBy(field) && isAscending ? `-${field}` : field,
    }),
    sortOf: (field) => (isSortedBy(field) ? (isAscending ? 'ascending' : 'descending') : 'none'),
    withSize: (size) => ({ ...unsized, size: String(size) }),
  }
}

/** Sets `Link` to other pages, and `X-Total-Count` to the number of records if all were counted. */
export function setListHeaders(c: ResourceController, page: KeyPage<object>): void {
  if (page.isTotalExact) c.response.headers.set('X-Total-Count', page.total)
  const rest = new URLSearchParams(c.request.queryString)
  rest.delete('after')
  rest.delete('before')
  const { previous, next } = page
  setLinks(c, rest, [
    ['first', {}],
    ['last', { before: '' }],
    ...(previous === undefined ? [] : [['prev', { before: previous }] as const]),
    ...(next === undefined ? [] : [['next', { after: next }] as const]),
  ])
}
