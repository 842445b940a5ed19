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
import { partialNames } from './names-in-code.ts'

/** A value of a partial that is the name of a form field. */
export interface PartialValue {
  /** The partial, by its path below `WEB-INF/`. */
  readonly file: string
  readonly value: string
}

type States = ReadonlyMap<string, TemplateState>

const nodesOf = ({ file, text }: TemplateState): readonly TemplateNode[] => {
  const nodes = resultOrError(() => parseTemplate(new TemplateSource(file, text.text)))
  return nodes instanceof TemplateError ? [] : nodes
}

/** Returns the values of a partial that it prints as names of form fields, with their types. */
export function nameValues(
  state: TemplateState,
): readonly { readonly name: string; readonly type: CodePart }[] {
  return nodesOf(state).flatMap((node) => {
    if (node.kind !== 'value') return []
    const { name, type, typePos } = node
    const isName = new RegExp(
      `\\sname\\s*=\\s*(['"]?)\\$\\{\\s*${name}\\s*\\}\\1|\\b(?:params|keyAndErrorMessages)\\s*\\.\\s*\\w+\\(\\s*${name}\\s*[,)]`,
    ).test(state.text.text)
    return isName ? { name, type: { text: type, start: typePos, end: typePos + type.length } } : []
  })
}

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
  for (const node of nodesOf(state)) {
    if (node.kind !== 'include' || node.values === undefined) continue
    const partial = [...states.keys()].find((one) =>
      partialNames(state.file, one).includes(node.path),
    )
    const partialState = partial === undefined ? undefined : states.get(partial)
    if (partialState === undefined) continue
    const { start, end } = node.values
    for (const value of nameValues(partialState)) {
      const pattern = new RegExp(`(?<![\\w$.])${value.name}\\s*:\\s*['"](${name})['"]`, 'g')
      const found = matchTexts(text.slice(start, end), pattern)
      uses.push(...found.map((one) => ({ ...one, start: one.start + start, end: one.end + start })))
      if (found.length > 0) passed.push({ file: partialState.file, value: value.name })
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
