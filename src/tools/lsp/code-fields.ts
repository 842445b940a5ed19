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
}

/** Returns the classes that code declares, with the names in what they extend, such as those of a call of `mix`. */
export const declaredClasses = (
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

export const validates = (name: string): RegExp => new RegExp(`${rules}\\(\\s*['"]${name}['"]`)

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
export function columnsOf({ path, text }: CodeFile): Column[] {
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
export function writesColumn(text: string, model: string, name: string): boolean {
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
export const mountsOf = (text: string, classes: readonly string[]): string[] =>
  classes.flatMap((name) =>
    [...text.matchAll(new RegExp(`\\w\\(\\s*(?=${name}\\b)`, 'g'))].map(({ index }) =>
      text.slice(index, closingOffset(text, index + 1)),
    ),
  )

/** Returns the permitted parameters with the column's name that no write call contains, in code that writes rows of the model. */
export function unlinkedIn(code: string, { name, model }: Column): readonly CodePart[] {
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
export function usesInCode(code: string, { name, model }: Column, isInPath: boolean): CodePart[] {
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
