/** The routes of an application as text: controller by controller, each with the filters that its routes share. */
import type { MountedRoute } from '../app.ts'
import type { Paint } from './terminal.ts'

type Filter = ReturnType<MountedRoute['filters']>[number]

/** How the text is laid out. */
export interface TreeOptions {
  /** Columns; a line that would be longer goes on below. */
  readonly width: number
  readonly paint: Paint
  /** Every filter below its route, those of Fw's own among them. */
  readonly filters?: boolean
}

interface Told {
  readonly route: MountedRoute
  readonly filters: readonly string[]
}

/** Those that an application has chosen; the others belong to every controller of a kind. */
const chosen: ReadonlySet<Filter['stage']> = new Set([
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

/** An `around` has no name but its trait's. */
function shortText({ stage, filter, owner }: Filter): string {
  return `${stage} ${stage === 'around' ? owner : filter}`
}

const wholeText = ({ stage, filter, owner }: Filter): string =>
  `${stage} ${filter}${owner === '' ? '' : ` (${owner})`}`

const toldOf = (route: MountedRoute, whole: boolean): Told => ({
  route,
  filters: whole
    ? route.filters().map(wholeText)
    : route
        .filters()
        .filter(({ stage }) => chosen.has(stage))
        .map(shortText),
})

/** Routes of one controller that follow one another, in the order in which they are tried. */
function byController(routes: readonly Told[]): Told[][] {
  const groups: Told[][] = []
  for (const told of routes) {
    const last = groups.at(-1)
    if (last?.[0]?.route.controller === told.route.controller) last.push(told)
    else groups.push([told])
  }
  return groups
}

const shared = (group: readonly Told[]): string[] =>
  group[0]!.filters.filter((one) => group.every(({ filters }) => filters.includes(one)))

/** Words with commas between them, in lines of the width. */
function paragraph(words: readonly string[], margin: string, width: number): string[] {
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

/** Columns as wide as the longest text of the application, but for paths that leave no room for the others. */
class RouteTree {
  readonly #options: TreeOptions
  readonly #method: number
  readonly #path: number
  readonly #name: number

  constructor(routes: readonly MountedRoute[], options: TreeOptions) {
    const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => text.length))
    this.#options = options
    this.#method = widest(routes.map(({ method }) => method))
    this.#name = widest(routes.map(({ name }) => name ?? ''))
    const action = widest(routes.map((route) => this.#action(route)))
    const rest = indent.length + this.#method + this.#name + action + 6
    this.#path = Math.min(
      widest(routes.map(({ path }) => path)),
      Math.max(16, options.width - rest),
    )
  }

  controller(group: readonly Told[]): string[] {
    const { paint, width } = this.#options
    const all = this.#options.filters === true ? [] : shared(group)
    return [
      paint('bold', group[0]!.route.controller),
      ...paragraph(all, indent, width).map((line) => paint('dim', line)),
      ...group.flatMap((told) => this.#route(told, all)),
    ]
  }

  #route({ route, filters }: Told, told: readonly string[]): string[] {
    const { paint, width } = this.#options
    const { method, path, name = '' } = route
    const action = this.#action(route)
    const gap = ' '.repeat(this.#method - method.length + 2)
    const below = ' '.repeat(indent.length + this.#method + 2)
    const line = `${path.padEnd(this.#path)}  ${name.padEnd(this.#name)}  ${action}`.trimEnd()
    const fits = path.length <= this.#path && below.length + line.length <= width
    const lines = fits ? [line] : [path, `${below}${indent}${name}  ${action}`]
    const own = filters.filter((one) => !told.includes(one))
    return [
      indent + paint('cyan', method) + gap + lines.map((one) => one.trimEnd()).join('\n'),
      ...paragraph(own, below + indent, width).map((line) => paint('dim', line)),
    ]
  }

  #action({ name, action = '(in place)', isConditional }: MountedRoute): string {
    const shown = action === name ? '' : action
    return isConditional ? `${shown} (on a condition)`.trimStart() : shown
  }
}

/** Each line ends with a newline; nothing for no routes. */
export function routeTree(routes: readonly MountedRoute[], options: TreeOptions): string {
  const tree = new RouteTree(routes, options)
  const told = routes.map((route) => toldOf(route, options.filters === true))
  return byController(told)
    .map((group) => `${tree.controller(group).join('\n')}\n`)
    .join('\n')
}
