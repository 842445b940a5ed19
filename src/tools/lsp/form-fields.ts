/**
 * The names of a model's columns that code and templates write as texts: parameters of requests, fields of forms, keys of permitted
 * parameters, and labels. TypeScript does not link them to the column.
 */
import { templateName } from '../../runtime/view.ts'
import { allFiles } from './complete-rename.ts'
import { closingOffset, type CodePart, endOfCalls, matchTexts, readObject } from './code-parts.ts'
import { writtenKeys } from './message-files.ts'
import type { Session } from './session.ts'
import { fieldsInTemplate, nameValues, type PartialValue } from './template-fields.ts'

/** A column of a model, where the model declares it. */
export interface Column {
  readonly model: string
  readonly path: string
  readonly name: string
  readonly start: number
  readonly end: number
}

/** A text or key that is the name of a column. */
export interface FieldUse {
  readonly path: string
  readonly start: number
  readonly end: number
  /** Whether the old name must stay possible, because other templates pass it: the type of a partial's value gets both. */
  readonly keepsOld?: boolean
}

/** The names of a column outside of types. */
export interface FieldNames {
  readonly uses: readonly FieldUse[]
  /** The keys of messages that are its labels. */
  readonly labels: readonly { readonly key: string; readonly isShared: boolean }[]
  /** The files in which the name may be that of another column too. */
  readonly ambiguous: readonly string[]
}

interface CodeFile {
  readonly path: string
  readonly text: string
}

const isTest = (path: string): boolean => /[/\\]src[/\\]test[/\\]|\.test\.[cm]?tsx?$/.test(path)

/** The code and models of an application at one time. */
export class FormFields {
  readonly #session: Session
  readonly #code: readonly CodeFile[]
  readonly #columns: readonly Column[]

  constructor(session: Session) {
    this.#session = session
    const { workspace } = session
    this.#code = allFiles(session).flatMap((path) => {
      if (workspace.fileOf(path) !== undefined || isTest(path)) return []
      return { path, text: session.linesOf(path)?.text ?? '' }
    })
    this.#columns = this.#code.flatMap(columnsOf)
  }

  /** Returns whether a file declares a model with columns. */
  hasColumns(path: string): boolean {
    return this.#columns.some((one) => one.path === path)
  }

  /** Returns the column that is declared at an offset. */
  columnAt(path: string, offset: number): Column | undefined {
    return this.#columns.find(
      (one) => one.path === path && one.start <= offset && offset <= one.end,
    )
  }

  /** Returns the column whose name is a text or key at an offset of a template or a file of code. */
  columnOfUse(
    path: string,
    offset: number,
  ): { readonly column: Column; readonly use: FieldUse } | undefined {
    const text = this.#session.linesOf(path)?.text ?? ''
    const before = /[\w$]*$/.exec(text.slice(Math.max(0, offset - 200), offset))![0]
    const after = /^[\w$]*/.exec(text.slice(offset, offset + 200))![0]
    const found = this.#columns
      .filter(({ name }) => (before + after).startsWith(name))
      .flatMap((column) =>
        this.namesOf(column)
          .uses.filter((use) => use.path === path && use.start <= offset && offset <= use.end)
          .map((use) => ({ column, use })),
      )
    return found.length === 1 ? found[0] : undefined
  }

  /** Returns the column whose label is a message. */
  labelled(key: string): Column | undefined {
    return this.#columns.find(
      (column) =>
        key.split('.').at(-1) === column.name &&
        this.namesOf(column).labels.some((label) => label.key === key),
    )
  }

  /** Returns the texts and keys that are the name of a column. */
  namesOf(column: Column): FieldNames {
    const { name, model } = column
    const rivals = new Map<string, readonly CodeFile[]>()
    for (const file of this.#code)
      for (const one of this.#modelsOf(file, name))
        rivals.set(one, [...(rivals.get(one) ?? []), file])
    const files = rivals.get(model) ?? []
    const others = [...rivals].flatMap(([one, list]) => (one === model ? [] : list))
    const own = files.filter((file) => !others.includes(file))
    const uses = own.flatMap((file) =>
      this.#usesInCode(file, column).map(({ start, end }) => ({ path: file.path, start, end })),
    )
    const pages = this.#pages(own)
    const inTemplates = this.#usesInTemplates(column, own, pages, this.#pages(others))
    const shared = files.filter((file) => others.includes(file))
    return {
      uses: [...uses, ...inTemplates.uses],
      labels: this.#labels(own, name),
      ambiguous: [
        ...shared
          .filter((file) => this.#usesInCode(file, column).length > 0)
          .map(({ path }) => path),
        ...inTemplates.ambiguous,
      ],
    }
  }

  /** Returns the permitted parameters with a column's name in code that writes rows of the model, to which no call links them. */
  unlinkedOf(column: Column): readonly FieldUse[] {
    return this.#code.flatMap(({ path, text }) =>
      unlinkedIn(text, column).map(({ start, end }) => ({ path, start, end })),
    )
  }

  /** Returns the names of a column's parameters in the code of a file. */
  #usesInCode({ text }: CodeFile, column: Column): CodePart[] {
    const inPath = new RegExp(`['"\`][^'"\`\\n]*/:${column.name}\\b`)
    // The routes of a subclass call the actions of its base class.
    const controllers = this.#withSubclasses(declaredClasses(text).map(({ name }) => name))
    const isInPath =
      inPath.test(text) ||
      this.#code.some(
        (file) =>
          inPath.test(file.text) &&
          mountsOf(file.text, controllers).some((one) => inPath.test(one)),
      )
    return usesInCode(text, column, isInPath)
  }

  /** Returns classes, and those that extend them directly or indirectly. */
  #withSubclasses(classes: readonly string[]): readonly string[] {
    const all = this.#code.flatMap((file) => declaredClasses(file.text))
    const found = new Set(classes)
    // The loop also visits the names that it adds.
    for (const name of found)
      for (const one of all) if (one.bases.includes(name)) found.add(one.name)
    return [...found]
  }

  /** Returns the models to whose column with a name the code of a file gives parameters. */
  #modelsOf({ text }: CodeFile, name: string): ReadonlySet<string> {
    const declaring = new Map(
      this.#columns.filter((one) => one.name === name).map((one) => [one.model, one]),
    )
    const found = new Set<string>()
    for (const [model, { path }] of declaring) {
      const isDeclared = this.#columns.some((one) => one.model === model && one.path !== path)
      if (!isDeclared && text.includes(model) && writesColumn(text, model, name)) found.add(model)
    }
    return found
  }

  /** Returns the templates that files of code render, by their paths below `WEB-INF/`. */
  #pages(files: readonly CodeFile[]): ReadonlySet<string> {
    const names = new Set<string>()
    const folders: string[] = []
    for (const { text } of files) {
      for (const one of matchTexts(text, /\b(?:render\w*|stream)\(\s*['"]([^'"\r\n]+)['"]/g))
        names.add(one.text)
      const folder = folderOfResource(text)
      if (folder !== undefined) folders.push(`views${folder}/`)
    }
    const all = [...this.#session.workspace.states.keys()].filter((file) => {
      const found = templateName(file)
      if (found === undefined || found.isMail || found.kind === 'layout') return false
      const isOfResource = folders.some((one) => file.slice(0, file.lastIndexOf('/') + 1) === one)
      return names.has(found.name) || (isOfResource && found.kind !== 'partial')
    })
    return new Set(all)
  }

  #closures(pages: Iterable<string>): ReadonlySet<string> {
    const { states } = this.#session.workspace
    return new Set([...pages].flatMap((file) => [...(states.get(file)?.closure ?? [])]))
  }

  #usesInTemplates(
    { name }: Column,
    files: readonly CodeFile[],
    pages: ReadonlySet<string>,
    others: ReadonlySet<string>,
  ): { readonly uses: readonly FieldUse[]; readonly ambiguous: readonly string[] } {
    const { workspace } = this.#session
    const { states } = workspace
    const closure = this.#closures(pages)
    const isEntry = (file: string): boolean =>
      templateName(file)?.kind !== 'partial' || others.has(file)
    const rest = this.#closures(
      [...states.keys()].filter((file) => isEntry(file) && !pages.has(file)),
    )
    const outside = this.#closures(others)
    const isUnique = this.#columns.filter((one) => one.name === name).length === 1
    const hasParts = files.some(({ text }) => partsOf(text, name))
    const passed: PartialValue[] = []
    const uses: FieldUse[] = []
    const ambiguous: string[] = []
    for (const file of closure) {
      const state = states.get(file)
      if (state === undefined) continue
      const found = fieldsInTemplate(state, states, { name, hasParts })
      const path = workspace.pathOf(file)
      if (found.uses.length === 0) continue
      if (outside.has(file) || (rest.has(file) && !isUnique)) ambiguous.push(path)
      else {
        uses.push(...found.uses.map((use) => ({ ...use, path })))
        passed.push(...found.passed)
      }
    }
    const changed = new Set(uses.map(({ path }) => workspace.fileOf(path)))
    return { uses: [...uses, ...this.#types(name, passed, changed)], ambiguous }
  }

  /** Returns the text in the types of the values of partials that get the name. */
  #types(
    name: string,
    passed: readonly PartialValue[],
    changed: ReadonlySet<string | undefined>,
  ): FieldUse[] {
    const { workspace } = this.#session
    const { states } = workspace
    const others = [...states.values()]
      .filter(({ file }) => !changed.has(file))
      .flatMap((state) => fieldsInTemplate(state, states, { name, hasParts: false }).passed)
    const keyOf = ({ file, value }: PartialValue): string => `${file} ${value}`
    const kept = new Set(others.map(keyOf))
    const distinct = new Map(passed.map((one) => [keyOf(one), one]))
    return [...distinct].flatMap(([key, { file, value }]) => {
      const state = states.get(file)
      const type = state && nameValues(state).find((one) => one.name === value)?.type
      if (type === undefined) return []
      const pattern = new RegExp(`['"](${name})['"]`, 'g')
      return matchTexts(type.text, pattern).map(({ start, end }) => ({
        path: workspace.pathOf(file),
        start: type.start + start,
        end: type.start + end,
        ...(kept.has(key) && { keepsOld: true }),
      }))
    })
  }

  /** Returns the keys of the labels that Fw prints for a name in the errors of forms. */
  #labels(own: readonly CodeFile[], name: string): FieldNames['labels'] {
    const keys = new Set(writtenKeys(this.#session).map(({ key }) => key))
    const rest = this.#code.filter((file) => !own.includes(file) && validates(name).test(file.text))
    const found = own.flatMap(({ text }) => {
      const prefixes = prefixesOf(text)
      const labels = prefixes.flatMap((prefix) =>
        [`${prefix}.${name}`, `${prefix}.enum.${name}`].flatMap((key) =>
          keys.has(key)
            ? { key, isShared: rest.some((one) => prefixesOf(one.text).includes(prefix)) }
            : [],
        ),
      )
      const usesPlain = labels.length === 0 && validates(name).test(text)
      return usesPlain && keys.has(name) ? [{ key: name, isShared: rest.length > 0 }] : labels
    })
    return [...new Map(found.map((one) => [one.key, one])).values()]
  }
}

/** Returns the classes that code declares, with the names in what they extend, such as those of a call of `mix`. */
const declaredClasses = (
  text: string,
): readonly { readonly name: string; readonly bases: readonly string[] }[] =>
  [
    ...text.matchAll(
      /\b(?:class\s+(\w+)|const\s+(\w+)\s*=\s*(?=class\b|mix\())(?=([^{;]{0,500}))/g,
    ),
  ].map(([, declared, constant, rest]) => {
    // A constant ends where a line ends with a parenthesis.
    const [heading] = rest!.split(/\)$/m)
    return { name: (declared ?? constant)!, bases: heading!.match(/\w+/g) ?? [] }
  })

/** The functions that begin a rule, as a pattern. Other objects can have a method `param`. */
const rules = '(?:(?:(?<![.\\w$])|\\b(?:view|validation)\\s*\\.\\s*)param|\\bparamKey)'

const validates = (name: string): RegExp => new RegExp(`${rules}\\(\\s*['"]${name}['"]`)

/** Returns whether a form sends the parts of a date or time, such as `birthdayYear`. */
const partsOf = (text: string, name: string): boolean =>
  new RegExp(`\\.with(?:Date|Time|DateTime)\\(\\s*['"]${name}['"]\\s*\\)`).test(text)

const prefixesOf = (text: string): readonly string[] => {
  const found = matchTexts(
    text,
    /\b(?:withPrefix\(\s*|messageResourceName\s*[:=]\s*)['"]([^'"\r\n]+)['"]/g,
  )
  const names = matchTexts(text, /\bresourceName\s*[:=]\s*['"]([^'"\r\n]+)['"]/g)
  return (found.length > 0 ? found : names).map((one) => one.text)
}

/** Returns the folder below `views` of a resource's pages. */
function folderOfResource(text: string): string | undefined {
  const [name] = matchTexts(text, /\bresourcesName\s*[:=]\s*['"]([^'"\r\n]+)['"]/g)
  if (name === undefined) return undefined
  const [prefix] = matchTexts(text, /\bresourcesBasePathPrefix\s*[:=]\s*['"]([^'"\r\n]+)['"]/g)
  return `${(prefix?.text ?? '').replaceAll(/\/:\w+/g, '')}/${name.text}`
}

/** Returns the columns of the models that a file declares. */
function columnsOf({ path, text }: CodeFile): Column[] {
  return [...text.matchAll(/\bconst\s+(\w+)\b[^=;]*=\s*model\(/g)].flatMap((match) => {
    const [start, model] = [match.index + match[0].length, match[1]!]
    const brace = text.indexOf('{', start)
    if (brace < 0 || brace > (closingOffset(text, start - 1) ?? -1)) return []
    return readObject(text, brace).keys.map(({ text: name, ...rest }) => ({
      path,
      model,
      name,
      ...rest,
    }))
  })
}

/** Returns whether code gives parameters to a column: as a resource, by `pick`, or in a call that writes rows. */
function writesColumn(text: string, model: string, name: string): boolean {
  if (new RegExp(`(?<!\\bparent\\s*:\\s*\\{[^}]*)\\bmodel\\s*[:=]\\s*${model}\\b`).test(text))
    return true
  const own = new RegExp(`(['"])${name}\\1`)
  for (const { index, 0: all } of text.matchAll(new RegExp(`\\b${model}\\s*\\.\\s*pick\\(`, 'g'))) {
    const open = index + all.length - 1
    if (own.test(text.slice(open, closingOffset(text, open)))) return true
  }
  return permittedIn(text, model).some(({ start, end }) => {
    const part = text.slice(start, end)
    return own.test(part) || permitted(part).some((key) => key.text === name)
  })
}

/** The methods of models that write rows, as a pattern. */
const writes = '(?:create|update|insert|upsert|save)\\w*'

/** Returns the calls that write rows of a model with permitted parameters. */
function permittedIn(text: string, model: string): { start: number; end: number }[] {
  const pattern = new RegExp(`\\b${model}\\s*\\.\\s*${writes}\\(`, 'g')
  return [...text.matchAll(pattern)].flatMap((match) => {
    const start = match.index + match[0].length - 1
    const end = endOfCalls(text, start)
    if (end === undefined || !/\bpermit(?:Values)?\(/.test(text.slice(start, end))) return []
    return { start, end }
  })
}

/** Returns the keys in all calls of `permit`. */
const permitted = (code: string): readonly CodePart[] =>
  [...code.matchAll(/\.permit\(\s*\{/g)].flatMap(
    ({ index, 0: all }) => readObject(code, index + all.length - 1).keys,
  )

/** Returns the calls with a class as first argument, such as `routes(MembersController, …)`. */
const mountsOf = (text: string, classes: readonly string[]): string[] =>
  classes.flatMap((name) =>
    [...text.matchAll(new RegExp(`\\w\\(\\s*(?=${name}\\b)`, 'g'))].map(({ index }) =>
      text.slice(index, closingOffset(text, index + 1)),
    ),
  )

/** Returns the permitted parameters with the column's name that no write call contains, in code that writes rows of the model. */
function unlinkedIn(code: string, { name, model }: Column): readonly CodePart[] {
  if (!new RegExp(`\\b${model}\\s*\\.\\s*${writes}\\(`).test(code)) return []
  const linked = permittedIn(code, '\\w+')
  return permitted(code).filter(
    (key) =>
      key.text === name && !linked.some(({ start, end }) => start <= key.start && key.end <= end),
  )
}

/**
 * Returns the names of a column's parameters in code.
 * @param isInPath whether a parameter of a path has the name, too
 */
function usesInCode(code: string, { name, model }: Column, isInPath: boolean): CodePart[] {
  const text = `['"](${name})['"]`
  const reads = new RegExp(
    `\\b(?:multiParams|params|\\w+Params\\(\\))(?:\\s*\\.\\s*with\\w+\\([^()]*\\))*\\s*\\.\\s*\\w+\\(\\s*${text}`,
    'g',
  )
  const others = new RegExp(
    `(?:${rules}|\\b(?:addParam|withDate|withTime|withDateTime))\\(\\s*${text}`,
    'g',
  )
  const found = [
    ...(isInPath ? [] : matchTexts(code, reads)),
    ...matchTexts(code, others),
    ...strongParameters(code),
    ...permittedIn(code, model).flatMap(({ start, end }) =>
      permitted(code.slice(start, end)).map((key) => ({
        ...key,
        start: key.start + start,
        end: key.end + start,
      })),
    ),
  ].filter((one) => one.text === name)
  return [...new Map(found.map((one) => [one.start, one])).values()]
}

/** Returns the keys of the strong parameters of resources. */
function strongParameters(code: string): CodePart[] {
  const pattern = /\b(?:create|update)FormStrongParameters\s*[:=]\s*(\{|[\w$]+)/g
  return [...code.matchAll(pattern)].flatMap(({ index, 0: all, 1: value }) =>
    value === '{' ? keysIn(code, index + all.length - 1) : keysOfConst(code, value!),
  )
}

function keysIn(code: string, brace: number): CodePart[] {
  const { keys, spread } = readObject(code, brace)
  return [...keys, ...spread.flatMap((name) => keysOfConst(code.slice(0, brace), name))]
}

/** Returns the keys of the object that a constant has. */
function keysOfConst(code: string, name: string): CodePart[] {
  const found = new RegExp(`\\bconst\\s+${name.replaceAll('$', '\\$')}\\b[^=;]*=\\s*\\{`).exec(code)
  return found === null ? [] : keysIn(code, found.index + found[0].length - 1)
}
