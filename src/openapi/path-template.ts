/** The paths of OpenAPI that a route's pattern stands for. */
import type { Pattern } from '../routing.ts'

/** A path, and its parameters in order. */
export interface PathTemplate {
  /** `/members/{id}`. */
  readonly path: string
  readonly names: readonly string[]
  /** The representation, where a suffix names it. */
  readonly format?: string
}

type Element = Pattern['variants'][number]['elements'][number]

/** Each optional name with and without; an optional character is written, but for a slash at the end. */
function written(elements: readonly Element[]): readonly (readonly Element[])[] {
  const [first, ...rest] = elements
  if (first === undefined) return [[]]
  const left = written(rest)
  const taken = left.map((more) => [first, ...more])
  return first.optional && first.kind !== 'text' ? [...taken, ...left] : taken
}

function templateOf(elements: readonly Element[], prefix: string): PathTemplate {
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
  return { path: path.length > 1 ? path.replace(/\/$/, '') : path, names }
}

const suffix = '.{format}'

/** The suffix written out, where it is known which there are. */
function expanded(template: PathTemplate, formats: readonly string[]): readonly PathTemplate[] {
  if (formats.length === 0 || !template.path.endsWith(suffix)) return [template]
  const base = template.path.slice(0, -suffix.length)
  const names = template.names.filter((name) => name !== 'format')
  return formats.map((format) => ({ path: `${base}.${format}`, names, format }))
}

/**
 * Each path once, in the order in which the pattern tries them. A slash at the end is left out.
 * @param formats what `:format` at the end can be, when that is known
 */
export function pathTemplates(
  pattern: Pattern,
  prefix: string,
  formats: readonly string[],
): readonly PathTemplate[] {
  const all = pattern.variants
    .flatMap(({ elements }) => written(elements))
    .map((elements) => templateOf(elements, prefix))
    .map((template) => (template.path === '' ? { ...template, path: '/' } : template))
    .flatMap((template) => expanded(template, formats))
  return [...new Map(all.map((template) => [template.path, template])).values()]
}
