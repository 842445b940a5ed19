/** `fw routes`: lists the routes that match the given words, with the filters around their actions. */
import type { MountedRoute } from '../../runtime/app.ts'
import { FwError, HttpError } from '../../runtime/base.ts'
import { parsePath } from '../../runtime/http.ts'
import { RoutingTable } from '../../runtime/routing.ts'
import { applicationRoot, inspectApplication, type CommandOptions } from './load-application.ts'
import { paint, printJson, terminalWidth, type Paint } from './terminal.ts'

/** Whether the word equals the route's method, or is part of its path, name, action or controller; ignores letter case. */
function matchesWord(
  { method, path, name, action, controller }: MountedRoute,
  word: string,
): boolean {
  const lower = word.toLowerCase()
  if (method.toLowerCase() === lower) return true
  return [path, name, action, controller].some((text) => text?.toLowerCase().includes(lower))
}

/** Finds the routes that match a URL, method by method, in the order in which they are tried; none for an invalid URL. */
function findByUrl(routes: readonly MountedRoute[], url: string): MountedRoute[] {
  const controllers = [...new Set(routes.map(({ mounted }) => mounted))]
  const table = new RoutingTable(
    routes.map((route, declared) => ({
      method: route.method,
      matcher: route.declared.matcher,
      prefix: route.path.slice(0, route.path.length - route.declared.pattern.length),
      order: controllers.indexOf(route.mounted),
      declared,
      hasCondition: route.isConditional,
      target: route,
    })),
  )
  try {
    const path = parsePath(url.replace(/[?#].*/, ''))
    const found: MountedRoute[] = []
    for (const method of new Set(routes.map((route) => route.method)))
      for (let match = table.lookup(method, path); match !== undefined; match = match.next())
        if (match.target.method === method) found.push(match.target)
    return found
  } catch (error) {
    if (error instanceof HttpError) return []
    throw error
  }
}

/** Returns the routes that match every word. A path that is not part of any route's path is treated as a URL. */
export function chooseRoutes(
  routes: readonly MountedRoute[],
  words: readonly string[],
): readonly MountedRoute[] {
  return words.reduce<readonly MountedRoute[]>((left, word) => {
    const matching = left.filter((route) => matchesWord(route, word))
    return matching.length === 0 && word.startsWith('/') ? findByUrl(left, word) : matching
  }, routes)
}

type Filter = ReturnType<MountedRoute['filters']>[number]

interface TreeOptions {
  /** The width in columns; longer lines are wrapped. */
  readonly width: number
  readonly paint: Paint
  /** True lists every filter below its route, including the filters of Fw itself. */
  readonly filters?: boolean
}

/** The stages of filters that applications register. Fw registers the filters of all other stages. */
const applicationStages: ReadonlySet<Filter['stage']> = new Set([
  'around',
  'token',
  'before',
  'beforeAction',
  'afterAction',
  'after',
  'error',
  'renderingError',
])

const indent = '  '

/** Formats a filter. An `around` filter has no name, so the name of its trait is used. */
const formatFilter = ({ stage, filter, owner }: Filter): string =>
  `${stage} ${stage === 'around' ? owner : filter}`

const formatFilterWithOwner = ({ stage, filter, owner }: Filter): string =>
  `${stage} ${filter}${owner === '' ? '' : ` (${owner})`}`

type Row = ReturnType<typeof toRow>

const toRow = (route: MountedRoute, allFilters: boolean) => ({
  route,
  filters: route
    .filters()
    .filter(({ stage }) => allFilters || applicationStages.has(stage))
    .map(allFilters ? formatFilterWithOwner : formatFilter),
})

/** Groups adjacent rows of one controller. Keeps the order of the rows, in which the routes are tried. */
function groupByController(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (last?.[0]?.route.controller === row.route.controller) last.push(row)
    else groups.push([row])
  }
  return groups
}

/** Joins words with commas, and wraps them into lines of at most `width` characters that begin with `margin`. */
function wrapWords(words: readonly string[], margin: string, width: number): string[] {
  const lines: string[] = []
  words.forEach((word, at) => {
    const text = at === words.length - 1 ? word : `${word},`
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + text.length <= width)
      lines[lines.length - 1] = `${last} ${text}`
    else lines.push(margin + text)
  })
  return lines
}

const widest = (texts: readonly string[]): number =>
  Math.max(0, ...texts.map((text) => text.length))

function formatAction({ name, action = '(in place)', isConditional }: MountedRoute): string {
  const text = action === name ? '' : action
  return isConditional ? `${text} (on a condition)`.trimStart() : text
}

/**
 * Formats routes in aligned columns, each as wide as its longest text. If the lines exceed the line width, the column of paths
 * becomes narrower, but has at least 16 characters.
 */
class RouteTree {
  readonly #options: TreeOptions
  readonly #method: number
  readonly #path: number
  readonly #name: number

  constructor(routes: readonly MountedRoute[], options: TreeOptions) {
    this.#options = options
    this.#method = widest(routes.map(({ method }) => method))
    this.#name = widest(routes.map(({ name }) => name ?? ''))
    const others = indent.length + this.#method + this.#name + widest(routes.map(formatAction)) + 6
    this.#path = Math.min(
      widest(routes.map(({ path }) => path)),
      Math.max(16, options.width - others),
    )
  }

  formatController(rows: readonly Row[]): string {
    const { paint, width } = this.#options
    const [{ route, filters }] = rows as [Row]
    const shared =
      this.#options.filters === true
        ? []
        : filters.filter((one) => rows.every((row) => row.filters.includes(one)))
    return [
      paint('bold', route.controller),
      ...wrapWords(shared, indent, width).map((line) => paint('dim', line)),
      ...rows.flatMap((row) => this.#formatRoute(row, shared)),
    ].join('\n')
  }

  #formatRoute({ route, filters }: Row, shared: readonly string[]): string[] {
    const { paint, width } = this.#options
    const { method, path, name = '' } = route
    const action = formatAction(route)
    const gap = ' '.repeat(this.#method - method.length + 2)
    const margin = ' '.repeat(indent.length + this.#method + 2)
    const line = `${path.padEnd(this.#path)}  ${name.padEnd(this.#name)}  ${action}`.trimEnd()
    const fits = path.length <= this.#path && margin.length + line.length <= width
    const lines = fits ? [line] : [path, `${margin}${indent}${name}  ${action}`]
    const own = filters.filter((one) => !shared.includes(one))
    return [
      indent + paint('cyan', method) + gap + lines.map((one) => one.trimEnd()).join('\n'),
      ...wrapWords(own, margin + indent, width).map((one) => paint('dim', one)),
    ]
  }
}

/** Returns the routes as lines of text, each with a newline. Returns an empty text if there are no routes. */
export function routeTree(routes: readonly MountedRoute[], options: TreeOptions): string {
  const tree = new RouteTree(routes, options)
  const rows = routes.map((route) => toRow(route, options.filters === true))
  return groupByController(rows)
    .map((group) => `${tree.formatController(group)}\n`)
    .join('\n')
}

const toJson = (routes: readonly MountedRoute[]) =>
  routes.map(
    ({ method, path, name = null, controller, action = null, isConditional, filters }) => ({
      method,
      path,
      name,
      controller,
      action,
      isConditional,
      filters: filters(),
    }),
  )

/** Runs `fw routes`. @throws FwError `cli.no-route` */
export async function showRoutes(
  words: readonly string[],
  { app, json, filters = false }: CommandOptions & { readonly filters?: boolean },
): Promise<void> {
  const application = await inspectApplication(applicationRoot(app))
  const all = application.routes
  await application.close()
  const routes = chooseRoutes(all, words)
  if (json === true) return printJson(toJson(routes))
  if (routes.length === 0)
    throw new FwError(
      'cli.no-route',
      words.length === 0
        ? 'The application has no routes: mount a controller in src/main/bootstrap.ts.'
        : `None of the ${all.length} routes matches ${words.join(' ')}. A word is a method, a URL, or a part of a path, name, action or controller.`,
    )
  process.stdout.write(routeTree(routes, { width: terminalWidth(), paint, filters }))
}
