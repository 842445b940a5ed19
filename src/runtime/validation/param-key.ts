/** `paramKey` and `param`: the rules of one key. */
import { type JsonSchema, mergeRuleSchemas } from './schema.ts'
import { type ValidationError, noErrors } from './messages.ts'
import { type RuleLike, toRule } from './rule.ts'

/** The rules of one key. They are evaluated in order, up to the first failing rule. `V` is the type of the validated value. */
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
    return mergeRuleSchemas(this.rules.map((rule) => toRule(rule)))
  }

  /** Returns the errors of `value`; an empty list if all rules pass. */
  evaluate(value: unknown): readonly ValidationError[] {
    const checked = value as V
    for (let i = 0; i < this.rules.length; i++) {
      const rule = this.rules[i]!
      const errors = rule.evaluate?.(checked) ?? toRule(rule).evaluate(checked)
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

  /** Sets the rules of the key. They are evaluated in order, up to the first failing rule. */
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
