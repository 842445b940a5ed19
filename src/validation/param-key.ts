/** paramKey and param: which value the rules are about. */
import { type JsonSchema, bothSchemas } from './json-schema.ts'
import { type RuleLike, toRule } from './rule.ts'
import { type ValidationError, passed } from './validation-error.ts'

/**
 * The rules of one key, judged in order up to the first that fails; `V` is what they judge. One class without a base:
 * these are made anew for each request.
 */
export class KeyRules<K extends string = string, V = never> {
  readonly key: K
  readonly rules: readonly RuleLike<V>[]
  /** The value itself when it is no parameter. */
  readonly given: { readonly value: unknown } | undefined

  constructor(key: K, rules: readonly RuleLike<V>[], given?: { readonly value: unknown }) {
    this.key = key
    this.rules = rules
    this.given = given
  }

  /** One rule more, judged if all before it pass: `paramKey('name').is(required).and(maxLength(512))`. */
  and(next: RuleLike<V>): KeyRules<K, V> {
    return new KeyRules(this.key, [...this.rules, next], this.given)
  }

  /** What the rules say together as JSON Schema. */
  get jsonSchema(): JsonSchema {
    return this.rules.reduce<JsonSchema>(
      (all, rule) => bothSchemas(all, toRule(rule).jsonSchema),
      {},
    )
  }

  /** The failures of `value`; empty when it passes. */
  errorsOf(value: unknown): readonly ValidationError[] {
    const judged = value as V
    for (let i = 0; i < this.rules.length; i++) {
      const rule = this.rules[i]!
      const errors = rule.errorsOf?.(judged) ?? toRule(rule).errorsOf(judged)
      if (errors.length > 0) return errors
    }
    return passed
  }
}

/** A key that waits for its rules. */
export class Subject<K extends string, V> {
  private readonly key: K
  private readonly given: { readonly value: V } | undefined

  constructor(key: K, given?: { readonly value: V }) {
    this.key = key
    this.given = given
  }

  /** At least one rule; a rule after the first is judged if all before it pass. */
  is(...rules: readonly [RuleLike<V>, ...RuleLike<V>[]]): KeyRules<K, V> {
    return new KeyRules(this.key, rules, this.given)
  }
}

/** Rules about the parameter `key`: its first text, `undefined` when absent. @spec Validation DSL */
export function paramKey<const K extends string>(key: K): Subject<K, string | undefined> {
  return new Subject(key)
}

/** Rules about a value of your own, its errors and messages kept under `key`. */
export function param<const K extends string, const V>(key: K, value: V): Subject<K, V> {
  return new Subject(key, { value })
}
