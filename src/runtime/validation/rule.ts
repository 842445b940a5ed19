/** `Rule`: a named condition for a value, combinations of rules, and the rules of a key. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type NumberKind, runSchema } from '../params.ts'
import {
  type MessageParam,
  type ValidationError,
  formatErrorMessage,
  noErrors,
  schemaErrors,
} from './messages.ts'
import { type JsonSchema, mergeSchemas, toJsonSchema } from './schema.ts'

/**
 * A named condition for a value. `V` is the type of the values that the rule can check. For example `same` checks
 * pairs, so that `paramKey` does not accept it. Every rule is also a Standard Schema.
 */
export abstract class Rule<in V = unknown> implements StandardSchemaV1<unknown, unknown> {
  /** The name of the rule. The message key is `error.<name>`. */
  abstract readonly name: string

  /**
   * Returns all errors of `value`; an empty list if it passes. Most rules pass an absent value and `''`, which is an empty input of
   * a form. With `isJson`, `''` is a text like any other, because JSON has `null` for an empty field.
   */
  abstract evaluate(value: V, isJson?: boolean): readonly ValidationError[]

  /** The rule as JSON Schema, for OpenAPI documents. It does not contain whether the value is required. */
  get jsonSchema(): JsonSchema {
    return {}
  }

  isValid(value: V): boolean {
    return this.evaluate(value).length === 0
  }

  /** Returns a rule that checks this rule first, and `next` if this rule passes. */
  and<W extends V>(next: RuleLike<W>): Rule<W> {
    return new ComposedRule<W>({
      name: 'combined-results',
      parts: [this, next],
      evaluate: (value, isJson) => {
        const errors = this.evaluate(value, isJson)
        return errors.length > 0 ? errors : evaluateLike(next, value, isJson)
      },
      schema: () => mergeRuleSchemas([this, next]),
    })
  }

  /** Returns a copy with another message. `{0}` is the label, `{1}` the first message parameter. */
  withMessage(text: string): Rule<V> {
    return new ComposedRule<V>({
      name: this.name,
      parts: [this],
      evaluate: (value, isJson) => this.evaluate(value, isJson),
      refine: (error) => ({ ...error, text }),
      schema: () => this.jsonSchema,
    })
  }

  /** Returns a copy with another JSON Schema: `rule('zip', isZip).withSchema({ pattern: '^[0-9]{5}$' })`. */
  withSchema(schema: JsonSchema): Rule<V> {
    return new ComposedRule<V>({
      name: this.name,
      parts: [this],
      evaluate: (value, isJson) => this.evaluate(value, isJson),
      schema: () => schema,
    })
  }

  /**
   * The rule as a Standard Schema. It returns a valid value unchanged, and otherwise issues with English messages, in
   * which the label is "value".
   */
  get '~standard'(): StandardSchemaV1.Props<unknown, unknown> {
    return {
      version: 1,
      vendor: 'fwjs',
      validate: (value) => {
        const errors = this.evaluate(value as V)
        if (errors.length === 0) return { value }
        return { issues: errors.map((error) => ({ message: formatErrorMessage(error, 'value') })) }
      },
    }
  }
}

/** A Standard Schema other than a `Rule`. It excludes rules, because the compiler must check their type parameter. */
type Schema = StandardSchemaV1 & { readonly evaluate?: never }

/** A rule that can check values of type `V`, or any Standard Schema. */
export type RuleLike<V = unknown> = Rule<V> | Schema

/**
 * The functions of a rule, shared by all its instances. An application creates new instances for each request, which
 * are then cheap.
 */
export interface RuleDefinition<V, A extends readonly unknown[] = readonly unknown[]> {
  readonly name: string
  /** True for a rule that sets a maximum length. Rules of a key are evaluated after it, however they are written. */
  readonly limitsLength?: boolean
  /** The kind of number that the rule reads from a text. The texts of people are converted before all rules of the key. */
  readonly number?: NumberKind
  /** True for a rule that an absent value and an empty input pass, without a test. */
  readonly skipsEmpty?: boolean
  test(value: V, args: A): boolean
  schema?(args: A): JsonSchema
  /** Returns the message parameters; default the arguments as texts. */
  messageParams?(args: A): readonly MessageParam[]
}

/** Returns true for an absent value or `''`. */
export const isEmpty = (value: unknown): value is null | undefined | '' =>
  value === undefined || value === null || value === ''

export class DefinedRule<in V, A extends readonly unknown[]> extends Rule<V> {
  readonly name: string
  // These members are not private, because a callable rule reads them through its prototype.
  readonly definition: RuleDefinition<V, A>
  readonly args: A

  constructor(definition: RuleDefinition<V, A>, args: A) {
    super()
    this.name = definition.name
    this.definition = definition
    this.args = args
  }

  override get jsonSchema(): JsonSchema {
    return this.definition.schema?.(this.args) ?? {}
  }

  override evaluate(value: V, isJson = false): readonly ValidationError[] {
    const { name, definition, args } = this
    if (definition.skipsEmpty === true && isEmpty(value) && (value !== '' || !isJson))
      return noErrors
    if (definition.test(value, args)) return noErrors
    return [{ name, messageParams: definition.messageParams?.(args) ?? args.map(String) }]
  }
}

/** The functions of a composed rule. */
interface Composition<V> {
  readonly name: string
  /** The rules whose maximum length ends the evaluation. */
  readonly parts: readonly RuleLike<V>[]
  /** All rules; by default `parts`. */
  readonly all?: readonly RuleLike<V>[]
  evaluate(value: V, isJson: boolean): readonly ValidationError[]
  /** Changes each error; default no change. */
  readonly refine?: (error: ValidationError) => ValidationError
  schema(): JsonSchema
}

/** A rule that combines or refines other rules. */
class ComposedRule<in V> extends Rule<V> {
  readonly name: string
  readonly #composition: Composition<V>

  constructor(composition: Composition<V>) {
    super()
    this.name = composition.name
    this.#composition = composition
  }

  override get jsonSchema(): JsonSchema {
    return this.#composition.schema()
  }

  override evaluate(value: V, isJson = false): readonly ValidationError[] {
    const errors = lengthErrors(this.#composition.parts, value)
    return this.#refine(errors.length > 0 ? errors : this.#composition.evaluate(value, isJson))
  }

  /** Returns the errors of the first failing part that sets a maximum length. */
  evaluateLength(value: V): readonly ValidationError[] {
    return this.#refine(lengthErrors(this.#composition.parts, value))
  }

  get numberKind(): NumberKind | undefined {
    return kindOfRules(this.#composition.all ?? this.#composition.parts)
  }

  #refine(errors: readonly ValidationError[]): readonly ValidationError[] {
    const { refine } = this.#composition
    return refine === undefined ? errors : errors.map(refine)
  }
}

/**
 * Returns the errors of the first failing rule that sets a maximum length; an empty list if there is none. Call this before the
 * other rules, so that an application's regular expressions never search a text that is too long.
 */
function lengthErrors<V>(rules: readonly RuleLike<V>[], value: V): readonly ValidationError[] {
  for (let i = 0; i < rules.length; i++) {
    const rule = rules[i]!
    let errors = noErrors
    if (rule instanceof ComposedRule) errors = rule.evaluateLength(value)
    else if (rule instanceof DefinedRule && rule.definition.limitsLength === true)
      errors = rule.evaluate(value)
    if (errors.length > 0) return errors
  }
  return noErrors
}

/** Returns the kind of number that the rules read; `undefined` if no rule reads numbers. A rule for integers takes precedence. */
function kindOfRules<V>(rules: readonly RuleLike<V>[]): NumberKind | undefined {
  let kind: NumberKind | undefined
  for (let i = 0; i < rules.length; i++) {
    const rule = rules[i]!
    let own: NumberKind | undefined
    if (rule instanceof ComposedRule) own = rule.numberKind
    else if (rule instanceof DefinedRule) own = rule.definition.number
    if (own === 'integer') return own
    kind ??= own
  }
  return kind
}

/** Returns all errors of `value`; an empty list if it passes. */
const evaluateLike = <V>(
  like: RuleLike<V>,
  value: V,
  isJson: boolean,
): readonly ValidationError[] =>
  like.evaluate === undefined
    ? schemaErrors((runSchema(like, value).issues ?? []).map(({ message }) => message))
    : like.evaluate(value, isJson)

/** Merges the JSON Schemas of several rules. */
const mergeRuleSchemas = (likes: readonly RuleLike<never>[]): JsonSchema =>
  likes
    .map((like) => (like.evaluate === undefined ? (toJsonSchema(like) ?? {}) : like.jsonSchema))
    .reduce(mergeSchemas, {})

/**
 * Creates a custom rule. `isValid` receives every value, even an absent one. The message is the text of `error.<name>`,
 * with the label and the `messageParams` inserted; without such a text, the name. `withMessage` replaces the message.
 */
export function rule<V = string | undefined>(
  name: string,
  isValid: (value: V) => boolean,
  ...messageParams: readonly MessageParam[]
): Rule<V> {
  return new DefinedRule({ name, test: isValid, messageParams: () => messageParams }, [])
}

/** The intersection of the value types that the rules `R` check. */
type CheckedValue<R extends readonly unknown[]> = R extends readonly [infer F, ...infer Rest]
  ? (F extends Rule<infer V> ? V : unknown) & CheckedValue<Rest>
  : unknown

/**
 * Returns a rule that evaluates all `rules` and collects all errors, even for texts that exceed a maximum length; `and`, in
 * contrast, stops at the first failing rule.
 */
export function checkAll<const R extends readonly RuleLike<never>[]>(
  ...rules: R
): Rule<CheckedValue<R>> {
  const all = rules as readonly RuleLike<CheckedValue<R>>[]
  return new ComposedRule({
    name: 'combined-results',
    // Every rule is evaluated in any case.
    parts: [],
    all,
    evaluate: (value, isJson) => all.flatMap((like) => evaluateLike(like, value, isJson)),
    schema: () => mergeRuleSchemas(all),
  })
}

/** Returns a rule that is also a function with options, which creates a rule: `required` and `required({ trim: false })`. */
export function callableRule<V, A extends readonly unknown[]>(
  create: (...args: A) => Rule<V>,
  plain: Rule<V>,
): Rule<V> & ((...args: A) => Rule<V>) {
  // The prototype gives the function all members of the rule, and makes `instanceof` true. Only the function's own
  // `name` must be replaced.
  Object.setPrototypeOf(create, plain)
  Object.defineProperty(create, 'name', { value: plain.name })
  return create as unknown as Rule<V> & ((...args: A) => Rule<V>)
}

/**
 * The rules of one key. They are evaluated in order, up to the first failing rule, but rules of a maximum length come first. `V`
 * is the type of the validated value.
 */
export class KeyRules<K extends string = string, V = never> {
  readonly key: K
  readonly rules: readonly RuleLike<V>[]
  /** The value given to `param`; undefined for `paramKey`. */
  readonly fixedValue: { readonly value: unknown } | undefined

  constructor(key: K, rules: readonly RuleLike<V>[], fixedValue?: { readonly value: unknown }) {
    this.key = key
    this.rules = rules
    this.fixedValue = fixedValue
  }

  /** Appends a rule: `paramKey('name').is(required).and(maxLength(512))`. */
  and(next: RuleLike<V>): KeyRules<K, V> {
    return new KeyRules(this.key, [...this.rules, next], this.fixedValue)
  }

  get jsonSchema(): JsonSchema {
    return mergeRuleSchemas(this.rules)
  }

  /** The kind of number that the rules read; `undefined` if no rule reads numbers. */
  get numberKind(): NumberKind | undefined {
    return kindOfRules(this.rules)
  }

  /** Returns the errors of `value`; an empty list if all rules pass. `isJson` is true for a value of a JSON body. */
  evaluate(value: unknown, isJson = false): readonly ValidationError[] {
    const tooLong = lengthErrors(this.rules, value as V)
    if (tooLong.length > 0) return tooLong
    for (let i = 0; i < this.rules.length; i++) {
      const errors = evaluateLike(this.rules[i]!, value as V, isJson)
      if (errors.length > 0) return errors
    }
    return noErrors
  }
}

/** A key without rules yet: call `is`. The class name appears in the compiler's error when a caller forgets the rules. */
export class KeyWithoutRules<K extends string, V> {
  private readonly key: K
  private readonly fixedValue: { readonly value: V } | undefined

  constructor(key: K, fixedValue?: { readonly value: V }) {
    this.key = key
    this.fixedValue = fixedValue
  }

  /**
   * Sets the rules of the key. They are evaluated in order, up to the first failing rule, but rules of a maximum length
   * (`maxLength`, `minMaxLength`, `length`) come first.
   */
  is(...rules: readonly [RuleLike<V>, ...RuleLike<V>[]]): KeyRules<K, V> {
    return new KeyRules(this.key, rules, this.fixedValue)
  }
}

/**
 * Begins the rules of the parameter `key`. They validate its first text, or `undefined` for an absent parameter.
 * @spec Validation DSL
 */
export function paramKey<const K extends string>(key: K): KeyWithoutRules<K, string | undefined> {
  return new KeyWithoutRules(key)
}

/** Begins the rules of a given value. Its errors and messages have the key `key`. */
export function param<const K extends string, const V>(key: K, value: V): KeyWithoutRules<K, V> {
  return new KeyWithoutRules(key, { value })
}
