/** `Validation`: checks parameters by rules, and gives errors and messages by key. */
import { FwError } from '../base.ts'
import { permitValues, type Params, type PermittedValues } from '../params.ts'
import { inSavepoint, refusalErrors } from './database-rules.ts'
import {
  type MessageSource,
  type ValidationError,
  formatErrorMessage,
  resolveLabel,
} from './messages.ts'
import type { KeyRules } from './param-key.ts'

/** Errors by key; a key that passed is absent. */
export type Errors<K extends string = string> = { readonly [P in K]?: readonly ValidationError[] }

/** Options of a validation. A controller's `validation` sets them itself. */
export interface ValidationOptions {
  /** Texts of rules and labels; without them, messages are English and labels are the keys. */
  readonly messages?: MessageSource | undefined
  /** The prefix of labels: `<prefix>.<camelKey>` takes precedence over `<camelKey>`. */
  readonly prefix?: string | undefined
  /** The status of a failure in a controller; by default that of the setting `validation.status`. */
  readonly status?: 400 | 422 | undefined
  /** Called when `validate()` returns false and by `addErrors`: a controller sets its status and the request scope here. */
  readonly onFailure?: ((validation: Validation) => void) | undefined
}

/** The failures of each key that failed, in the order of the rules. */
export type Failures = ReadonlyMap<string, readonly ValidationError[]>

const noFailures: Failures = new Map()
const noMessages: readonly string[] = Object.freeze([])

/** Messages by failed key, in the order of the rules. `K` are the keys that can fail. @spec View helper › keyAndErrorMessages */
export class KeyAndErrorMessages<K extends string = string> extends Map<string, readonly string[]> {
  /** The messages of `key`; empty when it passed or was not validated. */
  override get(key: string): readonly string[] {
    return super.get(key) ?? noMessages
  }

  /** The name of `get` in views. */
  getErrors(key: string): readonly string[] {
    return this.get(key)
  }

  hasErrors(key: string): boolean {
    return this.has(key)
  }

  /** `{"url":["url is required"]}`. */
  toJSON(): { readonly [P in K]?: readonly string[] } {
    return toRecord(this) as { readonly [P in K]?: readonly string[] }
  }
}

/** Without a prototype, so that a client's key `__proto__` is a plain member. */
function toRecord<T>(map: ReadonlyMap<string, T>): Record<string, T> {
  const record = Object.create(null) as Record<string, T>
  for (const [key, value] of map) record[key] = value
  return record
}

/** Evaluates its rules on first use, once. `K` are the keys that have rules. */
export class Validation<K extends string = string> {
  readonly params: Params
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

  /** Adds errors that no rule can find, such as a name that the database already has, and calls `onFailure`. */
  addErrors(errors: Errors): void {
    const all = new Map(this.#evaluated)
    for (const [key, more] of Object.entries(errors))
      if (more !== undefined) all.set(key, [...(all.get(key) ?? []), ...more])
    this.#failures = all
    this.options.onFailure?.(this)
  }

  /**
   * Validates, then runs a write of the permitted values and returns its result. `undefined` for invalid parameters, and if the database refuses the
   * values: the write is rolled back, and the refusal is an error of its key. Other errors are thrown.
   */
  async save<T>(write: (permitted: PermittedValues) => Promise<T>): Promise<T | undefined> {
    if (!this.validate()) return undefined
    const values = this.writtenValues()
    try {
      return await inSavepoint(() => write(values))
    } catch (error) {
      const form = { rules: this.rules, keys: [...this.keys()], values }
      const errors = await refusalErrors(error, form)
      if (errors === undefined) throw error
      this.addErrors(errors)
      return undefined
    }
  }

  /** Whether a rule fails; does not call `onFailure`. */
  get hasErrors(): boolean {
    return this.#evaluated.size > 0
  }

  get errors(): Errors<K> {
    return toRecord(this.#evaluated) as Errors<K>
  }

  /** Every message, in the order of the rules. */
  get errorMessages(): readonly string[] {
    return [...this.keyAndErrorMessages].flatMap(([, messages]) => messages)
  }

  /** Every failed key with its messages, in the order of the rules. */
  get keyAndErrorMessages(): KeyAndErrorMessages<K> {
    const { messages, prefix } = this.options
    const texts = new KeyAndErrorMessages<K>()
    const failed = this.#evaluated
    for (const key of new Set([...this.keys(), ...failed.keys()])) {
      const errors = failed.get(key)
      if (errors === undefined) continue
      const label = resolveLabel(key, messages, prefix)
      texts.set(
        key,
        errors.map((error) => formatErrorMessage(error, label, messages)),
      )
    }
    return texts
  }

  /** Validates, then calls one of the functions and returns its result. */
  fold<A, B>(
    onFailure: (params: Params, errors: Errors<K>) => A,
    onSuccess: (params: Params) => B,
  ): A | B {
    return this.validate() ? onSuccess(this.params) : onFailure(this.params, this.errors)
  }

  /** `success(f).failure(g).apply()`: validates, then calls `f` or `g` and returns its result. */
  success<B>(onSuccess: (params: Params) => B): Outcome<Errors<K>, never, B> {
    return new Outcome<Errors<K>, never, B>(this, undefined, onSuccess)
  }

  /** `failure(g).success(f).apply()`. */
  failure<A>(onFailure: (params: Params, errors: Errors<K>) => A): Outcome<Errors<K>, A, never> {
    return new Outcome<Errors<K>, A, never>(this, onFailure, undefined)
  }

  /** The rules of the keys that were sent, for PATCH; rules of `param` stay. */
  partial(): Validation<K> {
    return new Validation<K>(this.params, this.sentRules(), this.options)
  }

  /** The same rules with `<prefix>.<key>` as the first message key of each label. */
  withPrefix(prefix: string): this {
    return this.copy({ ...this.options, prefix })
  }

  /** The same rules with another status of a failure than `validation.status`: 400 or 422. */
  withStatus(status: 400 | 422): this {
    return this.copy({ ...this.options, status })
  }

  /** The status of a failure; absent for the setting's. */
  get failureStatus(): 400 | 422 | undefined {
    return this.options.status
  }

  protected copy(options: ValidationOptions): this {
    return new Validation<K>(this.params, this.rules, options) as this
  }

  protected sentRules(): readonly KeyRules[] {
    return this.rules.filter(
      ({ key, fixedValue }) => fixedValue !== undefined || this.params.has(key),
    )
  }

  /** Every validated key, in order. */
  protected keys(): Iterable<string> {
    return this.rules.map(({ key }) => key)
  }

  /** The values of a valid form. */
  protected writtenValues(): PermittedValues {
    return permitValues({})
  }

  /** The failures of all rules; a key stops at its first failing rule. */
  protected evaluate(): Failures {
    let failures: Map<string, readonly ValidationError[]> | undefined
    for (let i = 0; i < this.rules.length; i++) {
      const rules = this.rules[i]!
      const { key, fixedValue } = rules
      const errors = rules.evaluate(
        fixedValue === undefined ? this.params.get(key) : fixedValue.value,
      )
      if (errors.length === 0) continue
      failures ??= new Map()
      failures.set(key, [...(failures.get(key) ?? []), ...errors])
    }
    return failures ?? noFailures
  }

  get #evaluated(): Failures {
    return (this.#failures ??= this.evaluate())
  }
}

/** The functions of `success` and `failure`. `A` is the result on failure, `B` on success. */
export class Outcome<E, A, B> {
  readonly #validation: Validation
  readonly #onFailure: ((params: Params, errors: E) => A) | undefined
  readonly #onSuccess: ((params: Params) => B) | undefined

  constructor(
    validation: Validation,
    onFailure: ((params: Params, errors: E) => A) | undefined,
    onSuccess: ((params: Params) => B) | undefined,
  ) {
    this.#validation = validation
    this.#onFailure = onFailure
    this.#onSuccess = onSuccess
  }

  success<C>(onSuccess: (params: Params) => C): Outcome<E, A, C> {
    return new Outcome(this.#validation, this.#onFailure, onSuccess)
  }

  failure<C>(onFailure: (params: Params, errors: E) => C): Outcome<E, C, B> {
    return new Outcome(this.#validation, onFailure, this.#onSuccess)
  }

  /** Validates and calls one of the functions. @throws FwError `validation.outcome-missing` when it was not given */
  apply(): A | B {
    const { params, errors } = this.#validation
    if (this.#validation.validate()) return given(this.#onSuccess, 'success')(params)
    return given(this.#onFailure, 'failure')(params, errors as E)
  }
}

function given<F>(callback: F | undefined, name: string): F {
  if (callback !== undefined) return callback
  throw new FwError(
    'validation.outcome-missing',
    `The validation ended in ${name}, but no function was given for it; call .${name}(…) before .apply().`,
  )
}

/**
 * A validation of `params`. In a controller, call `this.validation(params, …rules)` instead: it sets the options.
 * @spec Validation DSL › validation
 */
export function createValidation<const R extends readonly KeyRules[]>(
  params: Params,
  rules: R,
  options: ValidationOptions = {},
): Validation<R[number]['key']> {
  return new Validation(params, rules, options)
}
