/** The columns of models in code: their declarations, and the texts and keys that are their names, such as in `permit` and rules. */
import { closingOffset, type CodePart, endOfCalls, matchTexts, readObject } from './code-parts.ts'

/** A column of a model, where the model declares it. */
export interface Column {
  readonly model: string
  readonly path: string
  readonly name: string
  readonly start: number
  readonly end: number
}

/** A file of code. */
export interface CodeFile {
  readonly path: string
  readonly text: string
  /** The names that imports give, with the exported ones, such as `Person` for `Member` in `import { Member as Person }`. */
  readonly imported: ReadonlyMap<string, string>
  /** The names that exports give, with those that they had before. */
  readonly exported: ReadonlyMap<string, string>
}

/** Reads the names of a file of code. */
export const readCodeFile = (path: string, text: string): CodeFile => ({
  path,
  text,
  imported: otherNames(text, 'import'),
  exported: otherNames(text, 'export'),
})

function otherNames(text: string, keyword: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const [, list] of text.matchAll(new RegExp(`\\b${keyword}\\s*\\{([^{}]*)\\}`, 'g')))
    for (const [, name, other] of list!.matchAll(/(\w+)\s+as\s+(\w+)/g))
      if (other !== 'default') names.set(other!, name!)
  return names
}

/** Returns a pattern of the names that a file has for an export of Fw. */
const namesOf = ({ imported }: CodeFile, name: string): string => {
  const others = [...imported].flatMap(([other, original]) => (original === name ? other : []))
  return `(?:${[name, ...others].join('|')})`
}

/** A class, with the names in what it extends, such as those of a call of `mix`. */
export interface DeclaredClass {
  readonly name: string
  readonly bases: readonly string[]
}

/** Returns the classes that code declares. */
export const declaredClasses = ({ text }: CodeFile): readonly DeclaredClass[] =>
  [
    ...text.matchAll(
      /\b(?:class\s+(\w+)|const\s+(\w+)\s*=\s*(?=class\b|mix\())(?=([^{;]{0,500}))/g,
    ),
  ].map(([, declared, constant, rest]) => {
    // A constant ends where a line ends with a parenthesis.
    const [heading] = rest!.split(/\)$/m)
    return { name: (declared ?? constant)!, bases: heading!.match(/\w+/g) ?? [] }
  })

/** Returns a pattern of the functions that begin a rule. Other objects can have a method `param`. */
const rulesIn = (file: CodeFile): string =>
  `(?:(?:(?<![.\\w$])|\\b(?:view|validation)\\s*\\.\\s*)param|\\bparamKey|(?<![.\\w$])${namesOf(file, 'paramKey')})`

/** Returns whether code has a rule of a parameter. */
export const validates = (file: CodeFile, name: string): boolean =>
  new RegExp(`${rulesIn(file)}\\(\\s*['"]${name}['"]`).test(file.text)

/** The name of a column, and a pattern of the names that a file has for its model. */
export interface NamedColumn {
  readonly name: string
  readonly model: string
}

/** Returns whether a form sends the parts of a date or time, such as `birthdayYear`. */
export const partsOf = (text: string, name: string): boolean =>
  new RegExp(`\\.with(?:Date|Time|DateTime)\\(\\s*['"]${name}['"]\\s*\\)`).test(text)

export const prefixesOf = (text: string): readonly string[] => {
  const found = matchTexts(
    text,
    /\b(?:withPrefix\(\s*|messageResourceName\s*[:=]\s*)['"]([^'"\r\n]+)['"]/g,
  )
  const names = matchTexts(text, /\bresourceName\s*[:=]\s*['"]([^'"\r\n]+)['"]/g)
  return (found.length > 0 ? found : names).map((one) => one.text)
}

/** Returns the folder below `views` of a resource's pages. */
export function folderOfResource(text: string): string | undefined {
  const [name] = matchTexts(text, /\bresourcesName\s*[:=]\s*['"]([^'"\r\n]+)['"]/g)
  if (name === undefined) return undefined
  const [prefix] = matchTexts(text, /\bresourcesBasePathPrefix\s*[:=]\s*['"]([^'"\r\n]+)['"]/g)
  return `${(prefix?.text ?? '').replaceAll(/\/:\w+/g, '')}/${name.text}`
}

/** Returns the columns of the models that a file declares. */
export function columnsOf(file: CodeFile): Column[] {
  const { path, text } = file
  const call = `(?:\\w+\\s*\\.\\s*)?${namesOf(file, 'model')}\\(`
  const declared = new RegExp(`\\bconst\\s+(\\w+)\\b[^=;]*=\\s*${call}`, 'g')
  return [...text.matchAll(declared)].flatMap((match) => {
    const [start, model] = [match.index + match[0].length, match[1]!]
    return columnKeys(text, start).map(({ text: name, ...rest }) => ({
      path,
      model,
      name,
      ...rest,
    }))
  })
}

/**
 * Returns the keys of the columns that a call of `model` declares: by an object in the call, or by a constant as its second argument. `start`
 * is the offset of the first argument.
 */
function columnKeys(text: string, start: number): CodePart[] {
  const second = /^\s*(?:'[^'\n]*'|"[^"\n]*"|\w+)\s*,\s*(\w+)\s*[,)]/.exec(
    text.slice(start, start + 500),
  )
  if (second !== null) return keysOfConst(text, second[1]!)
  const brace = text.indexOf('{', start)
  return brace < 0 || brace > (closingOffset(text, start - 1) ?? -1) ? [] : keysIn(text, brace)
}

/** Returns whether code gives parameters to a column: as a resource, by `pick`, or in a call that writes rows. */
export function writesColumn({ text }: CodeFile, { name, model }: NamedColumn): boolean {
  if (new RegExp(`(?<!\\bparent\\s*:\\s*\\{[^}]*)\\bmodel\\s*[:=]\\s*${model}\\b`).test(text))
    return true
  const own = new RegExp(`(['"])${name}\\1`)
  for (const { index, 0: all } of text.matchAll(new RegExp(`\\b${model}\\s*\\.\\s*pick\\(`, 'g'))) {
    const open = index + all.length - 1
    if (own.test(text.slice(open, closingOffset(text, open)))) return true
  }
  return permittedIn(text, model).some(
    ({ start, end }) =>
      own.test(text.slice(start, end)) ||
      permitted(text, start, end).some((key) => key.text === name),
  )
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

/** Returns the keys in the calls of `permit` between two offsets: of an object or a constant. */
const permitted = (code: string, from = 0, to = code.length): readonly CodePart[] =>
  [...code.slice(from, to).matchAll(/\.permit\(\s*(\{|[\w$]+(?=\s*[,)]))/g)].flatMap(
    ({ index, 0: all, 1: value }) =>
      value === '{' ? keysIn(code, from + index + all.length - 1) : keysOfConst(code, value!),
  )

/** Returns the calls with a class as first argument, such as `routes(MembersController, …)`. */
export const mountsOf = (text: string, isMounted: (name: string) => boolean): string[] =>
  [...text.matchAll(/\w\(\s*([\w$]+)/g)].flatMap(({ index, 1: name }) =>
    isMounted(name!) ? text.slice(index, closingOffset(text, index + 1)) : [],
  )

/** Returns the permitted parameters with the column's name that no write call contains, in code that writes rows of the model. */
export function unlinkedIn(
  { text: code }: CodeFile,
  { name, model }: NamedColumn,
): readonly CodePart[] {
  if (!new RegExp(`\\b${model}\\s*\\.\\s*${writes}\\(`).test(code)) return []
  const linked = new Set(
    permittedIn(code, '\\w+').flatMap(({ start, end }) =>
      permitted(code, start, end).map((key) => key.start),
    ),
  )
  return permitted(code).filter((key) => key.text === name && !linked.has(key.start))
}

/**
 * Returns the names of a column's parameters in code.
 * @param isInPath whether a parameter of a path has the name, too
 */
export function usesInCode(
  file: CodeFile,
  { name, model }: NamedColumn,
  isInPath: boolean,
): CodePart[] {
  const code = file.text
  const text = `['"](${name})['"]`
  const reads = new RegExp(
    `\\b(?:multiParams|params|\\w+Params\\(\\))(?:\\s*\\.\\s*with\\w+\\([^()]*\\))*\\s*\\.\\s*\\w+\\(\\s*${text}`,
    'g',
  )
  const others = new RegExp(
    `(?:${rulesIn(file)}|\\b(?:addParam|withDate|withTime|withDateTime))\\(\\s*${text}`,
    'g',
  )
  const found = [
    ...(isInPath ? [] : matchTexts(code, reads)),
    ...matchTexts(code, others),
    ...strongParameters(code),
    ...permittedIn(code, model).flatMap(({ start, end }) => permitted(code, start, end)),
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
