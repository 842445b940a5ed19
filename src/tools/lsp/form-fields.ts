/**
 * The names of a model's columns that code and templates write as texts: parameters of requests, fields of forms, keys of permitted
 * parameters, and labels. TypeScript does not link them to the column.
 */
import { templateName } from '../../runtime/view.ts'
import { type CodePart, matchTexts } from './code-parts.ts'
import {
  type CodeFile,
  type Column,
  type DeclaredClass,
  columnsOf,
  declaredClasses,
  folderOfResource,
  mountsOf,
  type NamedColumn,
  partsOf,
  prefixesOf,
  readCodeFile,
  unlinkedIn,
  usesInCode,
  validates,
  writesColumn,
} from './code-fields.ts'
import { writtenKeys } from './message-files.ts'
import type { Session } from './session.ts'
import { fieldsInTemplate, nameValues, type PartialValue } from './template-fields.ts'

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

const isTest = (path: string): boolean => /[/\\]src[/\\]test[/\\]|\.test\.[cm]?tsx?$/.test(path)

/** The code and models of an application at one time. */
export class FormFields {
  readonly #session: Session
  readonly #code: readonly CodeFile[]
  readonly #columns: readonly Column[]
  /** The names that exports of all files give, with those that they had before. */
  readonly #exported: ReadonlyMap<string, string>
  /** The classes of all files; `undefined` until they are read. */
  #classes: readonly DeclaredClass[] | undefined

  constructor(session: Session) {
    this.#session = session
    const { workspace } = session
    this.#code = session.checkedFiles().flatMap((path) => {
      if (workspace.fileOf(path) !== undefined || isTest(path)) return []
      return readCodeFile(path, session.linesOf(path)?.text ?? '')
    })
    this.#columns = this.#code.flatMap(columnsOf)
    this.#exported = new Map(this.#code.flatMap(({ exported }) => [...exported]))
  }

  /** Returns whether a file declares a model with columns. */
  hasColumns(path: string): boolean {
    return this.#columns.some((one) => one.path === path)
  }

  /** Returns the columns that are declared at an offset: several if models share a constant. */
  columnsAt(path: string, offset: number): readonly Column[] {
    return this.#columns.filter(
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
    return this.#code.flatMap((file) => {
      const named = this.#named(column, file)
      return named === undefined
        ? []
        : unlinkedIn(file, named).map(({ start, end }) => ({ path: file.path, start, end }))
    })
  }

  /** Returns what a name in a file is called where it is declared. */
  #originalName({ imported }: CodeFile, name: string): string {
    const seen = new Set<string>()
    let original = imported.get(name) ?? name
    for (; !seen.has(original); original = this.#exported.get(original) ?? original)
      seen.add(original)
    return original
  }

  /** Returns a column with the names that a file has for its model; `undefined` if it contains none of them. */
  #named({ name, model }: Column, file: CodeFile): NamedColumn | undefined {
    const others = [...this.#exported.keys(), ...file.imported.keys()]
    const names = [
      model,
      ...others.filter((one) => this.#originalName(file, one) === model),
    ].filter((one) => file.text.includes(one))
    return names.length === 0 ? undefined : { name, model: `(?:${names.join('|')})` }
  }

  /** Returns the names of a column's parameters in the code of a file. */
  #usesInCode(file: CodeFile, column: Column): CodePart[] {
    const inPath = new RegExp(`['"\`][^'"\`\\n]*/:${column.name}\\b`)
    // The routes of a subclass call the actions of its base class.
    const controllers = this.#withSubclasses(declaredClasses(file).map(({ name }) => name))
    const isInPath =
      inPath.test(file.text) ||
      this.#code.some(
        (other) =>
          inPath.test(other.text) &&
          mountsOf(other.text, (name) => controllers.has(this.#originalName(other, name))).some(
            (call) => inPath.test(call),
          ),
      )
    const named = this.#named(column, file)
    return named === undefined ? [] : usesInCode(file, named, isInPath)
  }

  /** Returns classes, and those that extend them directly or indirectly. */
  #withSubclasses(classes: readonly string[]): ReadonlySet<string> {
    this.#classes ??= this.#code.flatMap((file) =>
      declaredClasses(file).map(({ name, bases }) => ({
        name,
        bases: bases.map((base) => this.#originalName(file, base)),
      })),
    )
    const found = new Set(classes)
    // The loop also visits the names that it adds.
    for (const name of found)
      for (const one of this.#classes) if (one.bases.includes(name)) found.add(one.name)
    return found
  }

  /** Returns the models to whose column with a name the code of a file gives parameters. */
  #modelsOf(file: CodeFile, name: string): ReadonlySet<string> {
    const declaring = new Map(
      this.#columns.filter((one) => one.name === name).map((one) => [one.model, one]),
    )
    const found = new Set<string>()
    for (const [model, column] of declaring) {
      const isDeclared = this.#columns.some(
        (one) => one.model === model && one.path !== column.path,
      )
      const named = this.#named(column, file)
      if (!isDeclared && named !== undefined && writesColumn(file, named)) found.add(model)
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
      const type = state && nameValues(state, states).find((one) => one.name === value)?.type
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
    const rest = this.#code.filter((file) => !own.includes(file) && validates(file, name))
    const found = own.flatMap((file) => {
      const prefixes = prefixesOf(file.text)
      const labels = prefixes.flatMap((prefix) =>
        [`${prefix}.${name}`, `${prefix}.enum.${name}`].flatMap((key) =>
          keys.has(key)
            ? { key, isShared: rest.some((one) => prefixesOf(one.text).includes(prefix)) }
            : [],
        ),
      )
      const usesPlain = labels.length === 0 && validates(file, name)
      return usesPlain && keys.has(name) ? [{ key: name, isShared: rest.length > 0 }] : labels
    })
    return [...new Map(found.map((one) => [one.key, one])).values()]
  }
}
