/** The names of form fields in templates: in inputs, in reads of parameters, and in the values of partials that print a field. */
import { resultOrError } from '../../templates/compile.ts'
import {
  parseTemplate,
  TemplateError,
  type TemplateNode,
  TemplateSource,
} from '../../templates/read.ts'
import { isJade, templateName } from '../../runtime/view.ts'
import type { TemplateState } from '../workspace.ts'
import { type CodePart, matchTexts } from './code-parts.ts'
import { maskCode } from './embedded-html.ts'
import { isIncludedAs } from './names-in-code.ts'

/** A value of a partial that is the name of a form field. */
export interface PartialValue {
  /** The partial, by its path below `WEB-INF/`. */
  readonly file: string
  readonly value: string
}

/** The number of partials through which a name is followed. */
const maximumDepth = 4

type States = ReadonlyMap<string, TemplateState>

const parsed = new WeakMap<TemplateState, readonly TemplateNode[]>()

function nodesOf(state: TemplateState): readonly TemplateNode[] {
  const known = parsed.get(state)
  if (known !== undefined) return known
  const found = resultOrError(() => parseTemplate(new TemplateSource(state.file, state.text.text)))
  const nodes = found instanceof TemplateError ? [] : found
  parsed.set(state, nodes)
  return nodes
}

/** A value of a partial that it prints as the name of a form field, or passes to such a value of another partial. */
export interface NameValue {
  readonly name: string
  readonly type: CodePart
  readonly passedTo: readonly PartialValue[]
}

/** Returns the values of a partial that are names of form fields. */
export function nameValues(state: TemplateState, states: States, depth = 0): readonly NameValue[] {
  const nodes = nodesOf(state)
  return nodes.flatMap((node) => {
    if (node.kind !== 'value') return []
    const { name, type, typePos } = node
    const isPrinted = new RegExp(
      `\\sname\\s*=\\s*(['"]?)\\$\\{\\s*${name}\\s*\\}\\1|\\b(?:params|keyAndErrorMessages)\\s*\\.\\s*\\w+\\(\\s*${name}\\s*[,)]`,
    ).test(state.text.text)
    const passedTo = depth === maximumDepth ? [] : findPassed(state, states, name, depth + 1)
    if (!isPrinted && passedTo.length === 0) return []
    return { name, type: { text: type, start: typePos, end: typePos + type.length }, passedTo }
  })
}

/** Returns the values of other partials to which a template passes one of its own. */
function findPassed(
  state: TemplateState,
  states: States,
  name: string,
  depth: number,
): readonly PartialValue[] {
  return includesOf(state, states).flatMap(({ partial, start, end }) => {
    const values = state.text.text.slice(start, end)
    if (!new RegExp(`[:{,]\\s*${name}\\s*[,}]`).test(values)) return []
    return nameValues(partial, states, depth).flatMap(({ name: value, passedTo }) => {
      const own = value === name ? `|[{,]\\s*${name}\\s*[,}]` : ''
      const pattern = new RegExp(`(?<![\\w$.])${value}\\s*:\\s*${name}\\s*[,}]${own}`)
      return pattern.test(values) ? [{ file: partial.file, value }, ...passedTo] : []
    })
  })
}

/** Returns the partials that a template includes with values, and the offsets of the values. */
const includesOf = (
  state: TemplateState,
  states: States,
): readonly { readonly partial: TemplateState; readonly start: number; readonly end: number }[] =>
  nodesOf(state).flatMap((node) => {
    if (node.kind !== 'include' || node.values === undefined) return []
    const file = [...states.keys()].find((one) => isIncludedAs(state.file, one, node.path))
    const partial = file === undefined ? undefined : states.get(file)
    return partial === undefined ? [] : { partial, ...node.values }
  })

/** Returns where a template contains the name of a form field, and the values of partials to which it passes the name. */
export function fieldsInTemplate(
  state: TemplateState,
  states: States,
  { name, hasParts }: { readonly name: string; readonly hasParts: boolean },
): { readonly uses: readonly CodePart[]; readonly passed: readonly PartialValue[] } {
  const { text } = state.text
  if (!text.includes(name)) return { uses: [], passed: [] }
  const reads = new RegExp(
    `\\b(?:params|keyAndErrorMessages)\\s*\\.\\s*\\w+\\(\\s*['"](${name})['"]|\\blist\\s*\\.\\s*(?:sortBy|sortOf|filter)\\(\\s*['"](${name})['"]`,
    'g',
  )
  const uses = [
    ...(isJade(state.file)
      ? matchTexts(text, new RegExp(`\\bname\\s*=\\s*['"](${name})['"]`, 'g'))
      : templateName(state.file)?.format === 'html'
        ? inputsOf(text, name, hasParts)
        : []),
    ...[...text.matchAll(reads)].map(({ index, 0: all }) => {
      const end = index + all.length - 1
      return { text: name, start: end - name.length, end }
    }),
  ]
  const passed: PartialValue[] = []
  if (isJade(state.file)) return { uses, passed }
  for (const { partial, start, end } of includesOf(state, states)) {
    for (const { name: value, passedTo } of nameValues(partial, states)) {
      const pattern = new RegExp(`(?<![\\w$.])${value}\\s*:\\s*['"](${name})['"]`, 'g')
      const found = matchTexts(text.slice(start, end), pattern)
      uses.push(...found.map((one) => ({ ...one, start: one.start + start, end: one.end + start })))
      if (found.length > 0) passed.push({ file: partial.file, value }, ...passedTo)
    }
  }
  return { uses, passed }
}

/** Returns the names of inputs; with `hasParts` also of those for parts of a date, such as `birthdayYear`. */
function inputsOf(text: string, name: string, hasParts: boolean): CodePart[] {
  const parts = hasParts ? '(?:Year|Month|Day|Hour|Minute|Second)?' : ''
  const pattern = new RegExp(
    `<(?:input|select|textarea|button|output)\\b[^>]*?\\sname\\s*=\\s*['"]?(${name})${parts}(?=['"\\s/>])`,
    'gi',
  )
  return [...maskCode(text).matchAll(pattern)].flatMap(({ index, 0: all }) => {
    const start = index + all.lastIndexOf(name)
    return text.startsWith(name, start) ? { text: name, start, end: start + name.length } : []
  })
}
