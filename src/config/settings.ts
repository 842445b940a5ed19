/** How a room declares its settings: names, kinds, defaults, limits, as one typed schema. */
import type { Kinds } from './convert.ts'
import type { FwEnv } from './environment.ts'

/** What every kind of setting may say. */
interface Described<T> {
  /** One sentence for the table of settings. */
  readonly doc: string
  readonly default?: T
  /** The start fails without a value: always, or in the environments that the function picks. */
  readonly required?: true | ((env: FwEnv) => boolean)
  /** Never print the value. Names that tell of secrets are hidden anyway. */
  readonly secret?: boolean
  /** Completes "<key> …" when the value is wrong, such as `must be …`; `undefined` when it is right. */
  check?(value: T): string | undefined
}

interface Bounded {
  readonly min?: number
  /** For a duration 2147483647 unless given: a timer takes no more. */
  readonly max?: number
}

interface Listed {
  readonly oneOf?: readonly string[]
}

/** One setting; a default counts in milliseconds for `duration` and in bytes for `size`. */
export type Setting =
  | ({ readonly kind: 'string' } & Described<string> & Listed)
  | ({ readonly kind: 'int' | 'double' | 'duration' | 'size' } & Described<number> & Bounded)
  | ({ readonly kind: 'boolean' } & Described<boolean>)
  | ({ readonly kind: 'strings' } & Described<readonly string[]> & Listed)
  /** Free names with texts, such as response headers. */
  | ({ readonly kind: 'texts' } & Described<ReadonlyMap<string, string>>)

/** Sections of names that the application chooses, all of one shape, such as the databases below `db`. */
export interface EachSection {
  readonly kind: 'each'
  readonly doc: string
  readonly of: SettingsSchema
}

/** Settings and sections by name, nested as in the file. */
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

/** What reading a schema gives: the same nesting, with values; `undefined` for what is absent and has no default. */
export type SettingsOf<S> = {
  readonly [Name in keyof S]: S[Name] extends EachSection
    ? ReadonlyMap<string, SettingsOf<S[Name]['of']>>
    : S[Name] extends Setting
      ? Value<S[Name]> | Absent<S[Name]>
      : SettingsOf<S[Name]>
}

/** Declares a schema; gives it back as it is, with its exact type. */
export function defineSettings<const S extends SettingsSchema>(schema: S): S {
  return schema
}

export function isEach(node: SettingsSchema[string]): node is EachSection {
  return node.kind === 'each'
}

/** True for a setting; a section has no text under `kind`. */
export function isSetting(node: SettingsSchema[string]): node is Setting {
  return typeof node.kind === 'string' && !isEach(node)
}

/** One row of the table of settings. */
export interface SettingRow {
  /** Dotted; `*` stands for a name that the application chooses. */
  readonly key: string
  readonly kind: Setting['kind']
  readonly doc: string
  readonly default: unknown
}

/** Every setting of a schema, for documents and `fw doctor`. */
export function* settingRows(schema: SettingsSchema, prefix = ''): Generator<SettingRow> {
  for (const [name, node] of Object.entries(schema)) {
    const key = prefix + name
    if (isEach(node)) yield* settingRows(node.of, `${key}.*.`)
    else if (!isSetting(node)) yield* settingRows(node, `${key}.`)
    else yield { key, kind: node.kind, doc: node.doc, default: node.default }
  }
}
