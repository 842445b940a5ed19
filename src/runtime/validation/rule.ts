/** `Rule`: a named condition for a value, and combinations of rules. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { runSchema } from '../params.ts'
import {
  type MessageParam,
  type ValidationError,
  formatErrorMessage,
  noErrors,
  schemaErrors,
} from './messages.ts'
import { type JsonSchema, mergeRuleSchemas, toJsonSchema } from './schema.ts'

/**
 * A named condition for a value. `V` is the type of the values that the rule can check. For example `same` checks
 * pairs, so that `paramKey` does not accept it. Every rule is also a Standard Schema.
 */
export abstract class Rule<in V = unknown> implements StandardSchemaV1<unknown, unknown> {
  /** The name of the rule. The message key is `error.<name>`. */
  abstract readonly name: string

  /** Returns all errors of `value`; an empty list if it passes. */
  abstract evaluate(value: V): readonly ValidationError[]

  /** The rule as JSON Schema, for OpenAPI documents. It does not contain whether the value is required. */
  get jsonSchema(): JsonSchema {
    return {}
  }

  isValid(value: V): boolean {
    return this.evaluate(value).length === 0
  }

  /** Returns a rule that checks this rule first, and `next` if this rule passes. */
  and<W extends V>(next: RuleLike<W>): Rule<W> {
    return new CombinedRule<W>([this, toRule(next)], true)
  }

  /** Returns a copy with another message. `{0}` is the label, `{1}` the first message parameter. */
  withMessage(text: string): Rule<V> {
    return new RefinedRule<V>(this, text, undefined)
  }

  /** Returns a copy with another JSON Schema: `rule('zip', isZip).withSchema({ pattern: '^[0-9]{5}$' })`. */
  withSchema(schema: JsonSchema): Rule<V> {
    return new RefinedRule<V>(this, undefined, schema)
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
  test(value: V, args: A): boolean
  schema?(args: A): JsonSchema
  /** Returns the message parameters; default the arguments as texts. */
  messageParams?(args: A): readonly MessageParam[]
}

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

  override evaluate(value: V): readonly ValidationError[] {
    const { name, definition, args } = this
    if (definition.test(value, args)) return noErrors
    return [{ name, messageParams: definition.messageParams?.(args) ?? args.map(String) }]
  }
}

class CombinedRule<in V> extends Rule<V> {
  readonly name = 'combined-results'
  readonly rules: readonly Rule<V>[]
  readonly stopAtFirst: boolean

  constructor(rules: readonly Rule<V>[], stopAtFirst: boolean) {
    super()
    this.rules = rules
    this.stopAtFirst = stopAtFirst
  }

  override get jsonSchema(): JsonSchema {
    return mergeRuleSchemas(this.rules)
  }

  override evaluate(value: V): readonly ValidationError[] {
    let all = noErrors
    for (const rule of this.rules) {
      const errors = rule.evaluate(value)
      if (errors.length === 0) continue
      if (this.stopAtFirst) return errors
      all = [...all, ...errors]
    }
    return all
  }
}

/** A rule with a replaced message or JSON Schema. */
class RefinedRule<in V> extends Rule<V> {
  readonly name: string
  readonly #rule: Rule<V>
  readonly #text: string | undefined
  readonly #schema: JsonSchema | undefined

  constructor(rule: Rule<V>, text: string | undefined, schema: JsonSchema | undefined) {
    super()
    this.name = rule.name
    this.#rule = rule
    this.#text = text
    this.#schema = schema
  }

  override get jsonSchema(): JsonSchema {
    return this.#schema ?? this.#rule.jsonSchema
  }

  override evaluate(value: V): readonly ValidationError[] {
    const errors = this.#rule.evaluate(value)
    const text = this.#text
    return text === undefined ? errors : errors.map((error) => ({ ...error, text }))
  }
}

class SchemaRule extends Rule {
  readonly name = 'schema'
  readonly schema: StandardSchemaV1

  constructor(schema: StandardSchemaV1) {
    super()
    this.schema = schema
  }

  override get jsonSchema(): JsonSchema {
    return toJsonSchema(this.schema) ?? {}
  }

  override evaluate(value: unknown): readonly ValidationError[] {
    const { issues = [] } = runSchema(this.schema, value)
    return schemaErrors(issues.map(({ message }) => message))
  }
}

/** Wraps a Standard Schema as a rule. Returns a rule unchanged. */
export function toRule<V>(like: RuleLike<V>): Rule<V> {
  return like.evaluate === undefined ? new SchemaRule(like) : like
}

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

/** Returns a rule that evaluates all `rules` and collects all errors. `and`, in contrast, stops at the first failing rule. */
export function checkAll<const R extends readonly RuleLike<never>[]>(
  ...rules: R
): Rule<CheckedValue<R>> {
  const all = rules as readonly RuleLike<CheckedValue<R>>[]
  return new CombinedRule(
    all.map((like) => toRule(like)),
    false,
  )
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
