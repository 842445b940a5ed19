/** `Configuration`: reads the values of an application's configuration by dotted key. */
import { escapeControls, isSecretName, redact, redacted, redactText } from '../base.ts'
import { ConfigurationError } from './configuration-error.ts'
import { convert, expectedOf, type Kind, type Kinds } from './convert.ts'
import { FwEnv } from './environment.ts'
import {
  findEntry,
  isPresent,
  plainValue,
  sectionFrom,
  type Entry,
  type Section,
} from './key-tree.ts'

/** Formats a value for an error message: in quotes, or redacted if the key is a secret name. */
export function formatValue(key: string, text: string): string {
  return isSecretName(key) ? redacted : `"${escapeControls(redactText(text))}"`
}

function leafOf(entry: Entry | undefined): string | undefined {
  return entry?.kind === 'leaf' ? entry.text : undefined
}

/** Returns the items of a list of texts or of a text such as `HOSTS=a.org,b.org`; `undefined` for other entries. */
export function parseTexts(entry: Entry): readonly string[] | undefined {
  if (entry.kind === 'leaf') {
    return (entry.text ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
  }
  if (entry.kind === 'section') return undefined
  const texts = entry.items.map(leafOf)
  return texts.every((text) => text !== undefined) ? texts : undefined
}

/**
 * Reads values by dotted key. A method returns `undefined` if the key is missing, empty, or of another kind; {@link
 * Configuration.require} throws instead. Printing a configuration redacts secrets.
 *
 * @spec Configuration values
 */
export class Configuration {
  readonly env: FwEnv
  /** Private, because an own property would show the secrets of a copy, a clone or a failed assertion. */
  readonly #root: Section
  readonly #prefix: string

  constructor(root: Section, env: FwEnv, prefix = '') {
    this.#root = root
    this.env = env
    this.#prefix = prefix
  }

  /** Creates a configuration from plain values, for `createApp` and `testApp`; keys may be dotted. */
  static from(values: Readonly<Record<string, unknown>>, env = new FwEnv('test')): Configuration {
    return new Configuration(sectionFrom(values), env)
  }

  /** Returns the text of the file without conversion: `1.10` stays `1.10`. */
  string(key: string): string | undefined {
    return this.get(key, 'string')
  }

  int(key: string): number | undefined {
    return this.get(key, 'int')
  }

  double(key: string): number | undefined {
    return this.get(key, 'double')
  }

  /** Reads `true`, `yes` and `on` as true, and `false`, `no` and `off` as false, in any letter case. */
  boolean(key: string): boolean | undefined {
    return this.get(key, 'boolean')
  }

  /** Returns a duration in milliseconds. */
  duration(key: string): number | undefined {
    return this.get(key, 'duration')
  }

  /** Returns a size in bytes. */
  size(key: string): number | undefined {
    return this.get(key, 'size')
  }

  /** Returns the items of a list, or of a text split at commas. */
  stringSeq(key: string): readonly string[] | undefined {
    return this.seq(key, 'string')
  }

  /** Returns the value converted to `kind`. */
  get<K extends Kind>(key: string, kind: K): Kinds[K] | undefined {
    const text = leafOf(this.entry(key))
    return text === undefined ? undefined : convert(text, kind)
  }

  /** Returns the items of a list converted to `kind`; `undefined` if an item does not convert. */
  seq<K extends Kind>(key: string, kind: K): readonly Kinds[K][] | undefined {
    const entry = this.entry(key)
    const values = entry && parseTexts(entry)?.map((text) => convert(text, kind))
    return values?.every((value) => value !== undefined) ? values : undefined
  }

  /**
   * Returns the value converted to `kind`.
   * @throws `config.invalid`, with the source location, if the value is missing or of another kind
   */
  require<K extends Kind>(key: string, kind: K): Kinds[K] {
    const entry = this.entry(key)
    const text = leafOf(entry)
    const value = text === undefined ? undefined : convert(text, kind)
    if (value !== undefined) return value
    const full = this.#prefix + key
    const actual = text === undefined ? 'is not' : `is ${formatValue(full, text)}, not`
    const problem = entry === undefined ? 'is missing; it must be' : actual
    throw new ConfigurationError([
      { origin: entry?.origin, text: `${full} ${problem} ${expectedOf(kind)}` },
    ])
  }

  has(key: string): boolean {
    return this.entry(key) !== undefined
  }

  /** Returns a configuration with only the values below a key. */
  section(key: string): Configuration | undefined {
    const entry = this.entry(key)
    if (entry?.kind !== 'section') return undefined
    return new Configuration(entry, this.env, `${this.#prefix}${key}.`)
  }

  /** Returns the top-level names, in the order of the file. */
  keys(): string[] {
    const names = [...this.#root.entries]
    return names.filter(([, entry]) => isPresent(entry)).map(([name]) => name)
  }

  /** Returns the value with the type that YAML gives it: string, number, boolean, array, or object without prototype. */
  value(key: string): unknown {
    const entry = this.entry(key)
    return entry && plainValue(entry)
  }

  /** Returns the entry of a key, which contains the value and its source location. */
  entry(key: string): Entry | undefined {
    return findEntry(this.#root, key)
  }

  /** The tree of all sections and values. */
  get root(): Section {
    return this.#root
  }

  /** Returns all values; secrets are redacted. */
  toJSON(): unknown {
    return redact(plainValue(this.#root))
  }

  [Symbol.for('nodejs.util.inspect.custom')](): unknown {
    return this.toJSON()
  }
}
