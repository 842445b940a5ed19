/** The values of an application's configuration, by dotted key. */
import { escapeControls, isSecretName, redact, redacted, redactText } from '../base.ts'
import { convert, expectedOf } from './convert.ts'
import type { Kind, Kinds } from './convert.ts'
import { FwEnv } from './environment.ts'
import type { Variables } from './environment.ts'
import { findEntry, isPresent, plainValue } from './key-tree.ts'
import type { Entry, Section } from './key-tree.ts'
import { plainEntry } from './plain-entry.ts'
import { ConfigurationError } from './problem.ts'

/** A value as a message may show it: in quotes, without secrets. */
export function shownValue(key: string, text: string): string {
  return isSecretName(key) ? redacted : `"${escapeControls(redactText(text))}"`
}

function leafOf(entry: Entry | undefined): string | undefined {
  return entry?.kind === 'leaf' ? entry.text : undefined
}

/** Items of a list, or a text split at commas, as a variable such as `HOSTS=a.org,b.org` has it. */
export function textsOf(entry: Entry): readonly string[] | undefined {
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
 * Read-only values by dotted key. A reader gives `undefined` when the key is missing, empty, or of another kind;
 * {@link Configuration.require} and a settings schema tell what is wrong instead. Printing it hides secrets.
 *
 * @spec Configuration values
 */
export class Configuration {
  readonly env: FwEnv
  readonly #root: Section
  readonly #prefix: string
  readonly #variables: Variables

  /** Made by `loadConfiguration`, or from plain values by {@link Configuration.from}. */
  constructor(root: Section, env: FwEnv, variables: Variables = {}, prefix = '') {
    this.#root = root
    this.env = env
    this.#variables = variables
    this.#prefix = prefix
  }

  /** A configuration of plain values, for tests and applications of one file; keys may be dotted. */
  static from(values: Readonly<Record<string, unknown>>, env = new FwEnv('test')): Configuration {
    return new Configuration(plainEntry(values), env)
  }

  /** The text as it was written: `1.10` stays `1.10`. */
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

  /** The list as values of `kind`; `undefined` if one of them is of another. */
  seq<K extends Kind>(key: string, kind: K): readonly Kinds[K][] | undefined {
    const entry = this.entry(key)
    const values = entry && textsOf(entry)?.map((text) => convert(text, kind))
    return values?.every((value) => value !== undefined) ? values : undefined
  }

  /**
   * The value as `kind`.
   *
   * @throws `config.invalid` when it is missing or of another kind, with its place
   */
  require<K extends Kind>(key: string, kind: K): Kinds[K] {
    const entry = this.entry(key)
    const text = leafOf(entry)
    const value = text === undefined ? undefined : convert(text, kind)
    if (value !== undefined) return value
    const full = this.#prefix + key
    const got = text === undefined ? 'is not' : `is ${shownValue(full, text)}, not`
    const why = entry === undefined ? 'is missing; it must be' : got
    throw new ConfigurationError([
      { origin: entry?.origin, text: `${full} ${why} ${expectedOf(kind)}` },
    ])
  }

  has(key: string): boolean {
    return this.entry(key) !== undefined
  }

  /** The values below a key as a configuration of their own. */
  section(key: string): Configuration | undefined {
    const entry = this.entry(key)
    if (entry?.kind !== 'section') return undefined
    return new Configuration(entry, this.env, this.#variables, `${this.#prefix}${key}.`)
  }

  /** The names at the top, in the order of the file. */
  keys(): string[] {
    const names = [...this.#root.entries]
    return names.filter(([, entry]) => isPresent(entry)).map(([name]) => name)
  }

  /** The value as YAML understands it: text, number, boolean, array, or object without prototype. */
  value(key: string): unknown {
    const entry = this.entry(key)
    return entry && plainValue(entry)
  }

  /** The entry with the place where it was written. */
  entry(key: string): Entry | undefined {
    return findEntry(this.#root, key)
  }

  /** An environment variable, from the process or the `.env` files. */
  variable(name: string): string | undefined {
    return Object.hasOwn(this.#variables, name) ? this.#variables[name] : undefined
  }

  /** All sections and values. */
  get root(): Section {
    return this.#root
  }

  /** Every value, secrets hidden. */
  toJSON(): unknown {
    return redact(plainValue(this.#root))
  }

  [Symbol.for('nodejs.util.inspect.custom')](): unknown {
    return this.toJSON()
  }
}
