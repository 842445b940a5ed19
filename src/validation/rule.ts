/** Rule: a named condition of a value, and how conditions combine. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { bothSchemas, type JsonSchema, jsonSchemaOf } from './json-schema.ts'
import { renderError } from './messages.ts'
import { runSchema } from './standard-schema.ts'
import { type MessageParam, type ValidationError, passed } from './validation-error.ts'

/**
 * A named condition. `V` is what it can judge: `same` takes pairs, so it is no rule for a key of the parameters.
 * Every rule is a Standard Schema too, for libraries that take one.
 */
export abstract class Rule<in V = unknown> implements StandardSchemaV1<unknown, unknown> {
  /** The rule's name; its message is `error.<name>`. */
  abstract readonly name: string

  /** Every failure of `value`; empty when it passes. */
  abstract errorsOf(value: V): readonly ValidationError[]

  /** What the rule says as JSON Schema, for documents; whether the value must be there is asked of `errorsOf`. */
  get jsonSchema(): JsonSchema {
    return {}
  }

  /** Whether `value` passes. */
  isValid(value: V): boolean {
    return this.errorsOf(value).length === 0
  }

  /** This rule, then `next` if this one passes. */
  and<W extends V>(next: RuleLike<W>): Rule<W> {
    return new CombinedRule<W>([this, toRule(next)], true)
  }

  /** The same rule with a message of its own: `{0}` is the label, `{1}` the first message parameter. */
  withMessage(text: string): Rule<V> {
    return new WordedRule<V>(this, text)
  }

  /** The same rule, described in documents: `rule('zip', isZip).withSchema({ pattern: '^[0-9]{5}$' })`. */
  withSchema(schema: JsonSchema): Rule<V> {
    return new DescribedRule<V>(this, schema)
  }

  /** The value as it is, or issues with the English messages about "value". */
  get '~standard'(): StandardSchemaV1.Props<unknown, unknown> {
    return {
      version: 1,
      vendor: 'fwjs',
      validate: (value) => {
        const errors = this.errorsOf(value as V)
        if (errors.length === 0) return { value }
        return { issues: errors.map((error) => ({ message: renderError(error, 'value') })) }
      },
    }
  }
}

/** A Standard Schema that is no rule: a rule is one too, but is held to what it can judge. */
type Schema = StandardSchemaV1 & { readonly errorsOf?: never }

/** What can stand where a rule stands: a rule that can judge a `V`, or any Standard Schema. */
export type RuleLike<V = unknown> = Rule<V> | Schema

class TestRule<in V> extends Rule<V> {
  readonly name: string
  readonly messageParams: readonly MessageParam[]
  readonly test: (value: V) => boolean
  /** No private member: a callable rule reads it through its prototype. */
  readonly described: JsonSchema

  constructor(
    name: string,
    test: (value: V) => boolean,
    messageParams: readonly MessageParam[],
    jsonSchema: JsonSchema = {},
  ) {
    super()
    this.name = name
    this.messageParams = messageParams
    this.test = test
    this.described = jsonSchema
  }

  override get jsonSchema(): JsonSchema {
    return this.described
  }

  override errorsOf(value: V): readonly ValidationError[] {
    return this.test(value) ? passed : [{ name: this.name, messageParams: this.messageParams }]
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
    return this.rules.reduce((all, one) => bothSchemas(all, one.jsonSchema), {})
  }

  override errorsOf(value: V): readonly ValidationError[] {
    let found = passed
    for (const rule of this.rules) {
      const errors = rule.errorsOf(value)
      if (errors.length === 0) continue
      if (this.stopAtFirst) return errors
      found = [...found, ...errors]
    }
    return found
  }
}

class WordedRule<in V> extends Rule<V> {
  readonly name: string
  readonly rule: Rule<V>
  readonly text: string

  constructor(rule: Rule<V>, text: string) {
    super()
    this.name = rule.name
    this.rule = rule
    this.text = text
  }

  override get jsonSchema(): JsonSchema {
    return this.rule.jsonSchema
  }

  override errorsOf(value: V): readonly ValidationError[] {
    return this.rule.errorsOf(value).map((error) => ({ ...error, text: this.text }))
  }
}

class DescribedRule<in V> extends Rule<V> {
  readonly name: string
  readonly rule: Rule<V>
  readonly #jsonSchema: JsonSchema

  constructor(rule: Rule<V>, jsonSchema: JsonSchema) {
    super()
    this.name = rule.name
    this.rule = rule
    this.#jsonSchema = jsonSchema
  }

  override get jsonSchema(): JsonSchema {
    return this.#jsonSchema
  }

  override errorsOf(value: V): readonly ValidationError[] {
    return this.rule.errorsOf(value)
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
    return jsonSchemaOf(this.schema) ?? {}
  }

  override errorsOf(value: unknown): readonly ValidationError[] {
    const { issues } = runSchema(this.schema, value)
    return issues
      ? issues.map(({ message }) => ({ name: 'schema', messageParams: [message] }))
      : passed
  }
}

/** The rule that `like` is, or that runs it. */
export function toRule<V>(like: RuleLike<V>): Rule<V> {
  return like.errorsOf === undefined ? new SchemaRule(like) : like
}

/**
 * An own rule: `isValid` gets the value as it is, absent ones included. Its message is `error.<name>`, filled with the
 * label and the `messageParams`; without such a text it is the name, or what `withMessage` says.
 */
export function rule<V = string | undefined>(
  name: string,
  isValid: (value: V) => boolean,
  ...messageParams: readonly MessageParam[]
): Rule<V> {
  return new TestRule(name, isValid, messageParams)
}

/** As `rule`, for the rules of Fw, which say themselves what they are in JSON Schema. */
export const describedRule = <V>(
  name: string,
  isValid: (value: V) => boolean,
  jsonSchema: JsonSchema,
): Rule<V> => new TestRule(name, isValid, [], jsonSchema)

/** Judges by every rule and collects each failure, where `and` stops at the first. */
export function checkAll<V = string | undefined>(...rules: readonly RuleLike<V>[]): Rule<V> {
  return new CombinedRule<V>(
    rules.map((like) => toRule(like)),
    false,
  )
}

/** A rule that is a function too: `required`, and `required({ trim: false })`. */
export function callable<V, A extends readonly unknown[]>(
  make: (...args: A) => Rule<V>,
  plain: Rule<V>,
): Rule<V> & ((...args: A) => Rule<V>) {
  // With the rule as its prototype the function is a rule by instanceof and by every member but its own name.
  Object.setPrototypeOf(make, plain)
  Object.defineProperty(make, 'name', { value: plain.name })
  return make as unknown as Rule<V> & ((...args: A) => Rule<V>)
}
