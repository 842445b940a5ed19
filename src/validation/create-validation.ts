/** Validation: parameters judged by rules; errors by key, messages, and what follows from them. */
import type { Params } from '../params.ts'
import { KeyAndErrorMessages } from './key-and-error-messages.ts'
import { type MessageSource, labelOf, renderError } from './messages.ts'
import { Outcome } from './outcome.ts'
import type { KeyRules } from './param-key.ts'
import type { ValidationError } from './validation-error.ts'

/** Errors by key; a key that passed is absent. */
export type Errors<K extends string = string> = { readonly [P in K]?: readonly ValidationError[] }

/** What a validation takes from its surroundings. */
export interface ValidationOptions {
  /** Texts of rules and labels; plain English and raw keys without. */
  readonly messages?: MessageSource | undefined
  /** Labels are looked up as `<prefix>.<camelKey>` first. */
  readonly prefix?: string | undefined
  /** Called each time `validate()` answers false: a controller sets its status and the request scope here. */
  readonly onFailure?: ((validation: Validation) => void) | undefined
}

/** The failures of each key that failed, in the order of the rules. */
export type Failures = ReadonlyMap<string, readonly ValidationError[]>

const noFailures: Failures = new Map()

/** The failures of `rules`; a key stops at its first failing rule. */
export function judge(params: Params, rules: readonly KeyRules[]): Failures {
  let failures: Map<string, readonly ValidationError[]> | undefined
  for (let i = 0; i < rules.length; i++) {
    const { key, given } = rules[i]!
    const errors = rules[i]!.errorsOf(given === undefined ? params.get(key) : given.value)
    if (errors.length === 0) continue
    failures ??= new Map()
    failures.set(key, [...(failures.get(key) ?? []), ...errors])
  }
  return failures ?? noFailures
}

/** Judges on first use, once. `K` are the keys that have rules. */
export class Validation<K extends string = string> {
  readonly params: Params
  /** What it judges by, for documents about the form. */
  readonly rules: readonly KeyRules[]
  protected readonly options: ValidationOptions
  #failures: Failures | undefined

  constructor(params: Params, rules: readonly KeyRules[], options: ValidationOptions) {
    this.params = params
    this.rules = rules
    this.options = options
  }

  /** Whether every rule passes; calls `onFailure` if not. @spec Validation DSL › validate */
  validate(): boolean {
    if (!this.hasErrors) return true
    this.options.onFailure?.(this)
    return false
  }

  /**
   * Fails it for what no rule can know, such as a name that the database has already; calls `onFailure` as a failed
   * `validate()` does.
   */
  refuse(errors: Errors): void {
    const all = new Map(this.failures)
    for (const [key, more] of Object.entries(errors))
      if (more !== undefined) all.set(key, [...(all.get(key) ?? []), ...more])
    this.#failures = all
    this.options.onFailure?.(this)
  }

  /** Whether a rule fails; calls nothing. */
  get hasErrors(): boolean {
    return this.failures.size > 0
  }

  /** The failures by key. */
  get errors(): Errors<K> {
    const errors = Object.create(null) as Record<string, readonly ValidationError[]>
    for (const [key, list] of this.failures) errors[key] = list
    return errors as Errors<K>
  }

  /** Every message, in the order of the rules. */
  get errorMessages(): readonly string[] {
    return [...this.keyAndErrorMessages].flatMap(([, messages]) => messages)
  }

  /** Every validated key with its messages. */
  get keyAndErrorMessages(): KeyAndErrorMessages {
    const { messages, prefix } = this.options
    const rendered = new Map<string, readonly string[]>()
    for (const key of this.keys()) rendered.set(key, [])
    for (const [key, errors] of this.failures) {
      const label = labelOf(key, messages, prefix)
      rendered.set(
        key,
        errors.map((error) => renderError(error, label, messages)),
      )
    }
    return new KeyAndErrorMessages(rendered)
  }

  /** Validates, then gives what the function that fits gives. */
  fold<A, B>(
    onFailure: (params: Params, errors: Errors<K>) => A,
    onSuccess: (params: Params) => B,
  ): A | B {
    return this.validate() ? onSuccess(this.params) : onFailure(this.params, this.errors)
  }

  /** `success(f).failure(g).apply()`: validates, then gives what the function that fits gives. */
  success<B>(onSuccess: (params: Params) => B): Outcome<Errors<K>, never, B> {
    return new Outcome<Errors<K>, never, B>(this, undefined, onSuccess)
  }

  /** `failure(g).success(f).apply()`. */
  failure<A>(onFailure: (params: Params, errors: Errors<K>) => A): Outcome<Errors<K>, A, never> {
    return new Outcome<Errors<K>, A, never>(this, onFailure, undefined)
  }

  /** The same validation for the keys that were sent: what a PATCH has to pass. Rules about own values stay. */
  partial(): Validation<K> {
    return new Validation<K>(this.params, this.sentRules(), this.options)
  }

  protected sentRules(): readonly KeyRules[] {
    return this.rules.filter(({ key, given }) => given !== undefined || this.params.has(key))
  }

  /** Every validated key, in order. */
  protected keys(): Iterable<string> {
    return this.rules.map(({ key }) => key)
  }

  protected judge(): Failures {
    return judge(this.params, this.rules)
  }

  private get failures(): Failures {
    return (this.#failures ??= this.judge())
  }
}

/**
 * Rules over `params`, judged when first asked.
 * @spec Validation DSL › validation
 */
export function createValidation<const R extends readonly KeyRules[]>(
  params: Params,
  rules: R,
  options: ValidationOptions = {},
): Validation<R[number]['key']> {
  return new Validation(params, rules, options)
}
