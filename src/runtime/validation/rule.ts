/** `Rule`: a named condition of a value, and how conditions are combined. */
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
 * A named condition. `V` are the values that it can check: `same` checks pairs, so it cannot be a rule of `paramKey`.
 * Every rule is also a Standard Schema.
 */
export abstract class Rule<in V = unknown> implements StandardSchemaV1<unknown, unknown> {
  /** The rule's name; its message is `error.<name>`. */
  abstract readonly name: string

  /** Every failure of `value`; empty when it passes. */
  abstract evaluate(value: V): readonly ValidationError[]

  /** The rule as JSON Schema, for OpenAPI; whether the value is required is not part of it. */
  get jsonSchema(): JsonSchema {
    return {}
  }

  isValid(value: V): boolean {
    return this.evaluate(value).length === 0
  }

  /** This rule, then `next` if this one passes. */
  and<W extends V>(next: RuleLike<W>): Rule<W> {
    return new CombinedRule<W>([this, toRule(next)], true)
  }

  /** The same rule with another message: `{0}` is the label, `{1}` the first message parameter. */
  withMessage(text: string): Rule<V> {
    return new RefinedRule<V>(this, text, undefined)
  }

  /** The same rule with another JSON Schema: `rule('zip', isZip).withSchema({ pattern: '^[0-9]{5}$' })`. */
  withSchema(schema: JsonSchema): Rule<V> {
    return new RefinedRule<V>(this, undefined, schema)
  }

  /** As a Standard Schema, a rule returns the value unchanged, or issues with the English messages about "value". */
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

/** A Standard Schema that is not a `Rule`: the type parameter of a rule must be checked. */
type Schema = StandardSchemaV1 & { readonly evaluate?: never }

/** A rule that can check a `V`, or any Standard Schema. */
export type RuleLike<V = unknown> = Rule<V> | Schema

/** The code of a rule, shared by all its instances: applications create rules for each request. */
export interface RuleDefinition<V, A extends readonly unknown[] = readonly unknown[]> {
  readonly name: string
  test(value: V, args: A): boolean
  schema?(args: A): JsonSchema
  /** The message parameters; by default the arguments as texts. */
  messageParams?(args: A): readonly MessageParam[]
}

export class DefinedRule<in V, A extends readonly unknown[]> extends Rule<V> {
  readonly name: string
  // Not private members: a callable rule reads them through its prototype.
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

/** A rule with another message or JSON Schema. */
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

/** Wraps a Standard Schema; a rule is returned unchanged. */
export function toRule<V>(like: RuleLike<V>): Rule<V> {
  return like.evaluate === undefined ? new SchemaRule(like) : like
}

/**
 * A custom rule. `isValid` gets every value, absent ones included. The message is `error.<name>`, filled with the label and
 * the `messageParams`; without such a text it is the name. `withMessage` replaces it.
 */
export function rule<V = string | undefined>(
  name: string,
  isValid: (value: V) => boolean,
  ...messageParams: readonly MessageParam[]
): Rule<V> {
  return new DefinedRule({ name, test: isValid, messageParams: () => messageParams }, [])
}

/** The values that every rule of `R` can check. */
type CheckedValue<R extends readonly unknown[]> = R extends readonly [infer F, ...infer Rest]
  ? (F extends Rule<infer V> ? V : unknown) & CheckedValue<Rest>
  : unknown

/** Evaluates every rule and collects all failures, where `and` stops at the first. */
export function checkAll<const R extends readonly RuleLike<never>[]>(
  ...rules: R
): Rule<CheckedValue<R>> {
  const all = rules as readonly RuleLike<CheckedValue<R>>[]
  return new CombinedRule(
    all.map((like) => toRule(like)),
    false,
  )
}

/** A rule that is also a function which creates the rule with options: `required` and `required({ trim: false })`. */
export function callableRule<V, A extends readonly unknown[]>(
  create: (...args: A) => Rule<V>,
  plain: Rule<V>,
): Rule<V> & ((...args: A) => Rule<V>) {
  // The function inherits every member from the rule, and passes instanceof; only its own name must be replaced.
  Object.setPrototypeOf(create, plain)
  Object.defineProperty(create, 'name', { value: plain.name })
  return create as unknown as Rule<V> & ((...args: A) => Rule<V>)
}
