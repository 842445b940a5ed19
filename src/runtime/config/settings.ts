/** Typed settings: a module declares names, kinds, defaults and limits in a schema; `readSettings` reads the values. */
import { didYouMean } from '../base.ts'
import { formatValue, parseTexts, type Configuration } from './configuration.ts'
import { ConfigurationError, type ConfigProblem, type Origin } from './configuration-error.ts'
import { convert, expectedOf, type Kinds } from './convert.ts'
import type { FwEnv } from './environment.ts'
import { isPresent, iterateLeaves, type Entry, type Section } from './key-tree.ts'

interface SettingOptions<T> {
  /** A sentence that describes the setting in the documentation's table of settings. */
  readonly doc: string
  readonly default?: T
  /** True, or a function that returns true for the environment, if the application must not start without a value. */
  readonly required?: true | ((env: FwEnv) => boolean)
  /** True redacts the value in error messages. Settings with a secret name, such as `password`, are always redacted. */
  readonly secret?: boolean
  /** Returns a phrase such as `must be …` if the value is invalid; `undefined` if it is valid. */
  check?(value: T): string | undefined
}

interface Bounds {
  readonly min?: number
  /** The maximum. By default there is none, except for a duration: 2147483647 ms, the longest timer of Node. */
  readonly max?: number
}

interface Choices {
  readonly oneOf?: readonly string[]
}

/** The definition of one setting. The default of a `duration` is in milliseconds, that of a `size` in bytes. */
export type Setting =
  | ({ readonly kind: 'string' } & SettingOptions<string> & Choices)
  | ({ readonly kind: 'int' | 'double' | 'duration' | 'size' } & SettingOptions<number> & Bounds)
  | ({ readonly kind: 'boolean' } & SettingOptions<boolean>)
  | ({ readonly kind: 'strings' } & SettingOptions<readonly string[]> & Choices)
  /** Texts under names that the application chooses, such as response headers. */
  | ({ readonly kind: 'texts' } & SettingOptions<ReadonlyMap<string, string>>)

/** Sections with the same settings under names that the application chooses, such as the databases below `db`. */
export interface EachSection {
  readonly kind: 'each'
  readonly doc: string
  readonly of: SettingsSchema
}

/** The settings and sections by name, nested as in the configuration file. */
export interface SettingsSchema {
  readonly [name: string]: Setting | EachSection | SettingsSchema
}

interface SettingValues extends Kinds {
  strings: readonly string[]
  texts: ReadonlyMap<string, string>
}

type Value<S extends Setting> = S extends {
  readonly oneOf: readonly (infer Choice extends string)[]
}
  ? S['kind'] extends 'strings'
    ? readonly Choice[]
    : Choice
  : SettingValues[S['kind']]

type Absent<S> = S extends { readonly required: true } | { readonly default: unknown }
  ? never
  : undefined

/** The type of the values that `readSettings` returns for a schema; `undefined` for an absent setting without default. */
export type SettingsOf<S> = {
  readonly [Name in keyof S]: S[Name] extends EachSection
    ? ReadonlyMap<string, SettingsOf<S[Name]['of']>>
    : S[Name] extends Setting
      ? Value<S[Name]> | Absent<S[Name]>
      : SettingsOf<S[Name]>
}

/** Returns `schema` itself; TypeScript infers its exact type. */
export function defineSettings<const S extends SettingsSchema>(schema: S): S {
  return schema
}

function isEach(node: SettingsSchema[string]): node is EachSection {
  return node.kind === 'each'
}

/** True for a setting, whose `kind` is a string. In a section, `kind` can only be the name of a nested setting. */
function isSetting(node: SettingsSchema[string]): node is Setting {
  return typeof node.kind === 'string' && !isEach(node)
}

/** A row of the documentation's table of settings. */
export interface SettingRow {
  /** The dotted key; `*` is a placeholder for a name that the application chooses. */
  readonly key: string
  readonly kind: Setting['kind']
  readonly doc: string
  readonly default: unknown
}

/** Yields every setting of a schema, for the documentation and for the generated type of configuration keys. */
export function* settingRows(schema: SettingsSchema, prefix = ''): Generator<SettingRow> {
  for (const [name, node] of Object.entries(schema)) {
    const key = prefix + name
    if (isEach(node)) yield* settingRows(node.of, `${key}.*.`)
    else if (!isSetting(node)) yield* settingRows(node, `${key}.`)
    else yield { key, kind: node.kind, doc: node.doc, default: node.default }
  }
}

/**
 * Reads the settings of a schema from the root of the configuration. Example of a schema: `{ http: httpSettings }`. An unknown
 * key in a section of the schema is a problem. Other top-level keys belong to the application, unless one resembles a section
 * of the schema that is missing.
 *
 * @throws `config.invalid`, a `ConfigurationError` listing every problem with file, line and column
 */
export function readSettings<const S extends SettingsSchema>(
  configuration: Configuration,
  schema: S,
): SettingsOf<S> {
  const reader = new SettingsReader(configuration.env)
  reader.checkRoot(configuration.root, schema)
  const settings = reader.section(schema, configuration.root, '')
  if (reader.problems.length > 0) throw new ConfigurationError(reader.problems)
  return settings as SettingsOf<S>
}

const noEntries: ReadonlyMap<string, Entry> = new Map()

class SettingsReader {
  readonly problems: ConfigProblem[] = []
  readonly #env: FwEnv

  constructor(env: FwEnv) {
    this.#env = env
  }

  #fail(origin: Origin | undefined, text: string): undefined {
    this.problems.push({ origin, text })
    return undefined
  }

  /** Reports a misspelt section name, which would disable its settings silently: one edit from a missing section. */
  checkRoot(root: Section, schema: SettingsSchema): void {
    for (const [name, entry] of root.entries) {
      if (Object.hasOwn(schema, name) || name.length < 4) continue
      const suggestion = didYouMean(name, Object.keys(schema), 1)
      if (suggestion === undefined || root.entries.has(suggestion)) continue
      this.#fail(entry.origin, `unknown key ${name}; did you mean ${suggestion}?`)
    }
  }

  /** @param origin the place of the section; for an empty one, that of its key */
  section(
    schema: SettingsSchema,
    section: Section | undefined,
    prefix: string,
    origin: Origin | undefined = section?.origin,
  ): object {
    const entries = section?.entries ?? noEntries
    if (prefix !== '') this.#checkNames(entries, schema, prefix)
    const values: Record<string, unknown> = {}
    for (const [name, node] of Object.entries(schema)) {
      const entry = entries.get(name)
      const key = prefix + name
      if (isPresent(entry)) values[name] = this.#node(node, entry, key)
      else {
        const outer = prefix === '' ? undefined : origin
        values[name] = this.#absent(node, entry, outer, key)
      }
    }
    return values
  }

  #checkNames(entries: ReadonlyMap<string, Entry>, schema: SettingsSchema, prefix: string): void {
    for (const [name, entry] of entries) {
      if (Object.hasOwn(schema, name)) continue
      const suggestion = didYouMean(name, Object.keys(schema))
      const known = Object.keys(schema).sort().join(', ')
      const hint =
        suggestion === undefined ? `known are ${known}` : `did you mean ${prefix}${suggestion}?`
      this.#fail(entry.origin, `unknown key ${prefix}${name}; ${hint}`)
    }
  }

  /** @param entry the entry without a value, if the file has one */
  #absent(
    node: SettingsSchema[string],
    entry: Entry | undefined,
    outer: Origin | undefined,
    key: string,
  ): unknown {
    if (isEach(node)) return new Map()
    if (!isSetting(node)) return this.section(node, undefined, `${key}.`, entry?.origin ?? outer)
    const { required } = node
    const isRequired = typeof required === 'function' ? required(this.#env) : required === true
    if (isRequired) {
      const problem = entry === undefined ? 'is missing' : 'has no value'
      this.#fail(entry?.origin ?? outer, `${key} ${problem}: ${node.doc}`)
    }
    return node.default
  }

  #node(node: SettingsSchema[string], entry: Entry, key: string): unknown {
    if (isSetting(node)) return this.#setting(node, entry, key)
    if (entry.kind !== 'section') {
      return this.#fail(entry.origin, `${key} must be a section with keys of its own`)
    }
    return isEach(node) ? this.#each(node, entry, key) : this.section(node, entry, `${key}.`)
  }

  #each(node: EachSection, section: Section, key: string): ReadonlyMap<string, unknown> {
    const values = new Map<string, unknown>()
    for (const [name, entry] of section.entries) {
      if (isPresent(entry)) values.set(name, this.#node(node.of, entry, `${key}.${name}`))
    }
    return values
  }

  #setting(setting: Setting, entry: Entry, key: string): unknown {
    const { kind, secret } = setting
    const isScalar = kind !== 'strings' && kind !== 'texts'
    const value = readValue(kind, entry)
    const expected = isScalar ? expectedOf(kind) : collections[kind]
    const problem = value === undefined ? `must be ${expected}` : checkValue(setting, value)
    if (problem === undefined) return value
    if (!isScalar) return this.#fail(entry.origin, `${key} ${problem}`)
    if (entry.kind !== 'leaf')
      return this.#fail(entry.origin, `${key} ${problem}, not a ${entry.kind}`)
    const formatted = formatValue(secret === true ? 'secret' : key, entry.text ?? '')
    return this.#fail(entry.origin, `${key} is ${formatted}; it ${problem}`)
  }
}

const collections = { strings: 'a list of strings', texts: 'a section of names with strings' }

/** Returns the value of an entry; `undefined` if the entry is not of this kind. */
function readValue(kind: Setting['kind'], entry: Entry): unknown {
  if (kind === 'strings') return parseTexts(entry)
  if (kind !== 'texts') return entry.kind === 'leaf' ? convert(entry.text ?? '', kind) : undefined
  if (entry.kind !== 'section') return undefined
  return new Map(iterateLeaves(entry).map(([name, leaf]) => [name, leaf.text!]))
}

function notOneOf(text: string, choices: readonly string[]): string {
  const suggestion = didYouMean(text, choices)
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`
  return `must be one of ${choices.join(', ')}${hint}`
}

/** Returns the problem of a converted value, if there is one. */
function checkValue(setting: Setting, value: unknown): string | undefined {
  if ('oneOf' in setting && setting.oneOf !== undefined) {
    const { oneOf } = setting
    const unknown = [value as string | readonly string[]].flat().find((one) => !oneOf.includes(one))
    if (unknown !== undefined) return notOneOf(unknown, oneOf)
  }
  const { min, max = setting.kind === 'duration' ? longestTimer : undefined } = setting as Bounds
  if (min !== undefined && Number(value) < min)
    return `must be at least ${formatAmount(setting, min)}`
  if (max !== undefined && Number(value) > max)
    return `must be at most ${formatAmount(setting, max)}`
  return (setting.check as ((value: unknown) => string | undefined) | undefined)?.(value)
}

/** The longest timer of Node in milliseconds; Node runs a longer timer immediately. */
const longestTimer = 2 ** 31 - 1

function formatAmount({ kind }: Setting, value: number): string {
  if (kind === 'duration') return `${value}ms`
  return kind === 'size' ? `${value} bytes` : String(value)
}
