/** paramKey and param: which value the rules are about. */
import { type Rule, type RuleLike, toRule, toRules } from './rule.ts'
import type { ValidationError } from './validation-error.ts'

const passed: readonly ValidationError[] = Object.freeze([])

/** The rules of one key, judged in order up to the first that fails. */
export class KeyRules<K extends string = string> {
  readonly key: K
  readonly rules: readonly Rule<never>[]
  /** The value itself when it is no parameter. */
  readonly given: { readonly value: unknown } | undefined

  constructor(key: K, rules: readonly Rule<never>[], given?: { readonly value: unknown }) {
    this.key = key
    this.rules = rules
    this.given = given
  }

  /** The failures of `value`; empty when it passes. */
  errorsOf(value: unknown): readonly ValidationError[] {
    for (let i = 0; i < this.rules.length; i++) {
      const errors = this.rules[i]!.errorsOf(value as never)
      if (errors.length > 0) return errors
    }
    return passed
  }
}

/** Rules of one key that take more of them; `V` is what they judge. */
export class RuleChain<K extends string, V> extends KeyRules<K> {
  /** One rule more, judged if all before it pass: `paramKey('name').is(required).and(maxLength(512))`. */
  and(next: RuleLike<V>): RuleChain<K, V> {
    return new RuleChain<K, V>(this.key, [...this.rules, toRule(next)], this.given)
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
  is(...rules: readonly [RuleLike<V>, ...RuleLike<V>[]]): RuleChain<K, V> {
    return new RuleChain<K, V>(this.key, toRules(rules), this.given)
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
