/** Reads a schema's settings from a configuration and gathers everything that is wrong. */
import { didYouMean } from '../base.ts'
import type { Configuration } from './configuration.ts'
import { shownValue, textsOf } from './configuration.ts'
import { convert, expectedOf } from './convert.ts'
import type { FwEnv } from './environment.ts'
import { isPresent, leavesOf } from './key-tree.ts'
import type { Entry, Origin, Section } from './key-tree.ts'
import { ConfigurationError } from './problem.ts'
import type { ConfigProblem } from './problem.ts'
import { isEach, isSetting } from './settings.ts'
import type { EachSection, Setting, SettingsOf, SettingsSchema } from './settings.ts'

/**
 * The settings of a schema that starts at the root of the configuration, such as `{ http: httpSettings }`.
 * Sections of the schema belong to it: a key in them that it does not know is a problem. Other keys at the root are
 * the application's, unless one looks like a misspelt section of the schema.
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

const nothing: ReadonlyMap<string, Entry> = new Map()

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

  /** A root key one edit away from a section that is not there would switch off its settings in silence. */
  checkRoot(root: Section, schema: SettingsSchema): void {
    for (const [name, entry] of root.entries) {
      if (Object.hasOwn(schema, name) || name.length < 4) continue
      const meant = didYouMean(name, Object.keys(schema), 1)
      if (meant === undefined || root.entries.has(meant)) continue
      this.#fail(entry.origin, `unknown key ${name}; did you mean ${meant}?`)
    }
  }

  section(schema: SettingsSchema, section: Section | undefined, prefix: string): object {
    const entries = section?.entries ?? nothing
    if (prefix !== '') this.#checkNames(entries, schema, prefix)
    const values: Record<string, unknown> = {}
    for (const [name, node] of Object.entries(schema)) {
      const entry = entries.get(name)
      const key = prefix + name
      if (isPresent(entry)) values[name] = this.#node(node, entry, key)
      else values[name] = this.#absent(node, prefix === '' ? undefined : section?.origin, key)
    }
    return values
  }

  #checkNames(entries: ReadonlyMap<string, Entry>, schema: SettingsSchema, prefix: string): void {
    for (const [name, entry] of entries) {
      if (Object.hasOwn(schema, name)) continue
      const meant = didYouMean(name, Object.keys(schema))
      const known = Object.keys(schema).sort().join(', ')
      const hint = meant === undefined ? `known are ${known}` : `did you mean ${prefix}${meant}?`
      this.#fail(entry.origin, `unknown key ${prefix}${name}; ${hint}`)
    }
  }

  #absent(node: SettingsSchema[string], outer: Origin | undefined, key: string): unknown {
    if (isEach(node)) return new Map()
    if (!isSetting(node)) return this.section(node, undefined, `${key}.`)
    const { required } = node
    const missing = typeof required === 'function' ? required(this.#env) : required === true
    if (missing) this.#fail(outer, `${key} is missing: ${node.doc}`)
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
    if (setting.kind === 'strings') return this.#strings(setting, entry, key)
    if (setting.kind === 'texts') return this.#texts(setting, entry, key)
    if (entry.kind !== 'leaf') {
      return this.#fail(
        entry.origin,
        `${key} must be ${expectedOf(setting.kind)}, not a ${entry.kind}`,
      )
    }
    const text = entry.text ?? ''
    const shown = shownValue(setting.secret === true ? 'secret' : key, text)
    const value = convert(text, setting.kind)
    const wrong =
      value === undefined ? `must be ${expectedOf(setting.kind)}` : faultOf(setting, value)
    return wrong === undefined ? value : this.#fail(entry.origin, `${key} is ${shown}; it ${wrong}`)
  }

  #strings(setting: Setting & { kind: 'strings' }, entry: Entry, key: string): unknown {
    const texts = textsOf(entry)
    if (texts === undefined) return this.#fail(entry.origin, `${key} must be a list of texts`)
    const { oneOf } = setting
    const stranger = oneOf && texts.find((text) => !oneOf.includes(text))
    const wrong = stranger === undefined ? setting.check?.(texts) : notOneOf(stranger, oneOf!)
    return wrong === undefined ? texts : this.#fail(entry.origin, `${key} ${wrong}`)
  }

  #texts(setting: Setting & { kind: 'texts' }, entry: Entry, key: string): unknown {
    if (entry.kind !== 'section') {
      return this.#fail(entry.origin, `${key} must be a section of names with texts`)
    }
    const texts = new Map<string, string>()
    for (const [name, leaf] of leavesOf(entry)) texts.set(name, leaf.text!)
    const wrong = setting.check?.(texts)
    return wrong === undefined ? texts : this.#fail(entry.origin, `${key} ${wrong}`)
  }
}

function notOneOf(text: string, choices: readonly string[]): string {
  const meant = didYouMean(text, choices)
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  return `must be one of ${choices.join(', ')}${hint}`
}

function faultOf(setting: Setting, value: unknown): string | undefined {
  if (
    'oneOf' in setting &&
    typeof value === 'string' &&
    setting.oneOf &&
    !setting.oneOf.includes(value)
  ) {
    return notOneOf(value, setting.oneOf)
  }
  if ('min' in setting && setting.min !== undefined && Number(value) < setting.min) {
    return `must be at least ${amountOf(setting, setting.min)}`
  }
  const most = mostOf(setting)
  if (most !== undefined && Number(value) > most) {
    return `must be at most ${amountOf(setting, most)}`
  }
  return (setting.check as ((value: unknown) => string | undefined) | undefined)?.(value)
}

/** A timer of more milliseconds than this fires at once. */
const longestTimer = 2 ** 31 - 1

function mostOf(setting: Setting): number | undefined {
  if ('max' in setting && setting.max !== undefined) return setting.max
  return setting.kind === 'duration' ? longestTimer : undefined
}

function amountOf({ kind }: Setting, value: number): string {
  if (kind === 'duration') return `${value}ms`
  return kind === 'size' ? `${value} bytes` : String(value)
}
