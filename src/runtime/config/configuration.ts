/** The values of an application's configuration by dotted key. */
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

/** A value for a message: quoted, secrets redacted. */
export function formatValue(key: string, text: string): string {
  return isSecretName(key) ? redacted : `"${escapeControls(redactText(text))}"`
}

function leafOf(entry: Entry | undefined): string | undefined {
  return entry?.kind === 'leaf' ? entry.text : undefined
}

/** The items of a list, or of a comma-separated text such as `HOSTS=a.org,b.org`; `undefined` for anything else. */
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
 * Read-only values by dotted key. A reader returns `undefined` when a key is missing, empty, or of another kind;
 * {@link Configuration.require} throws instead. Printing a configuration redacts secrets.
 *
 * @spec Configuration values
 */
export class Configuration {
  readonly env: FwEnv
  readonly #root: Section
  readonly #prefix: string

  constructor(root: Section, env: FwEnv, prefix = '') {
    this.#root = root
    this.env = env
    this.#prefix = prefix
  }

  /** A configuration of plain values for `createApp` and `testApp`; keys may be dotted. */
  static from(values: Readonly<Record<string, unknown>>, env = new FwEnv('test')): Configuration {
    return new Configuration(sectionFrom(values), env)
  }

  /** The text in the file: `1.10` stays `1.10`. */
  string(key: string): string | undefined {
    return this.get(key, 'string')
  }

  int(key: string): number | undefined {
    return this.get(key, 'int')
  }

  double(key: string): number | undefined {
    return this.get(key, 'double')
  }

  /** `true`, `yes`, `on` and their opposites, in any letter case. */
  boolean(key: string): boolean | undefined {
    return this.get(key, 'boolean')
  }

  /** Milliseconds. */
  duration(key: string): number | undefined {
    return this.get(key, 'duration')
  }

  /** Bytes. */
  size(key: string): number | undefined {
    return this.get(key, 'size')
  }

  /** A list, or one text split at commas. */
  stringSeq(key: string): readonly string[] | undefined {
    return this.seq(key, 'string')
  }

  /** The value as `kind`. */
  get<K extends Kind>(key: string, kind: K): Kinds[K] | undefined {
    const text = leafOf(this.entry(key))
    return text === undefined ? undefined : convert(text, kind)
  }

  /** The list as values of `kind`; `undefined` if one of them is of another kind. */
  seq<K extends Kind>(key: string, kind: K): readonly Kinds[K][] | undefined {
    const entry = this.entry(key)
    const values = entry && parseTexts(entry)?.map((text) => convert(text, kind))
    return values?.every((value) => value !== undefined) ? values : undefined
  }

  /**
   * The value as `kind`.
   *
   * @throws `config.invalid` when it is missing or of another kind, with its origin
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

  /** The values below a key. */
  section(key: string): Configuration | undefined {
    const entry = this.entry(key)
    if (entry?.kind !== 'section') return undefined
    return new Configuration(entry, this.env, `${this.#prefix}${key}.`)
  }

  /** The top-level names, in the order of the file. */
  keys(): string[] {
    const names = [...this.#root.entries]
    return names.filter(([, entry]) => isPresent(entry)).map(([name]) => name)
  }

  /** The value by YAML's types: string, number, boolean, array, or object without prototype. */
  value(key: string): unknown {
    const entry = this.entry(key)
    return entry && plainValue(entry)
  }

  /** The entry with its origin. */
  entry(key: string): Entry | undefined {
    return findEntry(this.#root, key)
  }

  /** The tree of all sections and values. */
  get root(): Section {
    return this.#root
  }

  /** All values, secrets redacted. */
  toJSON(): unknown {
    return redact(plainValue(this.#root))
  }

  [Symbol.for('nodejs.util.inspect.custom')](): unknown {
    return this.toJSON()
  }
}
