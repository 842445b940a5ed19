/** `RouteContext`, a route and the state of its document, and `pathTemplates`, the OpenAPI paths of a pattern. */
import type { Application, MountedRoute } from '../../runtime/app.ts'
import type { Pattern } from '../../runtime/routing.ts'
import type { ActionDescriber } from './describe-action.ts'
import type { DescribedResourceRoute } from './describe-resource.ts'
import type { SchemaSet } from './schema-set.ts'

/** A route with one of its paths, and the state that all routes of a document share. */
export interface RouteContext {
  readonly application: Application
  readonly route: MountedRoute
  /** True if the HTTP method may change state on the server. */
  readonly isUnsafe: boolean
  readonly template: PathTemplate
  /** The description of a resource's route; `undefined` for other routes. */
  readonly resource: DescribedResourceRoute | undefined
  /** The name of the controller in the document, such as `adminMembers`. */
  readonly group: string
  readonly name: string
  /** The ids of the operations described so far. */
  readonly operationIds: Set<string>
  readonly schemas: SchemaSet
  /** The describer that reads source code; `undefined` if the document is generated without source code. */
  readonly sources: ActionDescriber | undefined
  /** The warnings about the document, one sentence each. */
  readonly notes: string[]
  /** Returns the tag in the document's spelling: tags differ by more than case. */
  readonly tagOf: (tag: string) => string
  /** Returns the schema name of a model's rows; `undefined` for a model without a name. */
  readonly rowName: (model: object) => string | undefined
}

/** An OpenAPI path, with the names of its parameters in order. */
export interface PathTemplate {
  /** The path, such as `/members/{id}`. */
  readonly path: string
  readonly names: readonly string[]
  /** The format `json` or `xml`, if the path has this suffix in place of `:format`. */
  readonly format?: string
}

type Element = Pattern['variants'][number]['elements'][number]

/** Returns all combinations with and without each optional parameter. Keeps optional characters. */
function expandOptional(elements: readonly Element[]): readonly (readonly Element[])[] {
  const [first, ...rest] = elements
  if (first === undefined) return [[]]
  const tails = expandOptional(rest)
  const withFirst = tails.map((tail) => [first, ...tail])
  return first.optional && first.kind !== 'text' ? [...withFirst, ...tails] : withFirst
}

function buildTemplate(elements: readonly Element[], prefix: string): PathTemplate {
  let path = prefix
  const names: string[] = []
  let splats = 0
  for (const element of elements) {
    if (element.kind === 'text') {
      path += element.text.replace(/[{}]/g, (brace) => encodeURIComponent(brace))
      continue
    }
    const name =
      element.kind === 'name' ? element.name : `splat${splats++ === 0 ? '' : String(splats)}`
    path += `{${name}}`
    if (!names.includes(name)) names.push(name)
  }
  return { path: (path.length > 1 ? path.replace(/\/$/, '') : path) || '/', names }
}

const formatSuffix = '.{format}'

function expandFormats(template: PathTemplate, formats: readonly string[]): PathTemplate[] {
  if (formats.length === 0 || !template.path.endsWith(formatSuffix)) return [template]
  const base = template.path.slice(0, -formatSuffix.length)
  const names = template.names.filter((name) => name !== 'format')
  return formats.map((format) => ({ path: `${base}.${format}`, names, format }))
}

/**
 * Returns the OpenAPI paths of a pattern, each once, without a trailing slash, in the order in which the router tries them.
 * @param formats the values that replace `:format` at the end of the pattern; may be empty
 */
export function pathTemplates(
  pattern: Pattern,
  prefix: string,
  formats: readonly string[],
): readonly PathTemplate[] {
  const all = pattern.variants
    .flatMap(({ elements }) => expandOptional(elements))
    .flatMap((elements) => expandFormats(buildTemplate(elements, prefix), formats))
  return [...new Map(all.map((template) => [template.path, template])).values()]
}
