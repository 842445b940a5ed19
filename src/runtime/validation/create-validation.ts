/** `Validation`: checks parameters by rules, and returns the errors and messages of each key. */
import { FwError } from '../base.ts'
import {
  jsonOf,
  type NumberKind,
  numberExamples,
  permitValues,
  readNumberText,
  type Params,
  type PermittedValues,
} from '../params.ts'
import { inSavepoint, refusalErrors } from './database-rules.ts'
import {
  type MessageSource,
  type ValidationError,
  formatErrorMessage,
  numberFormatError,
  resolveChoice,
  resolveLabel,
} from './messages.ts'
import type { KeyRules } from './rule.ts'

/** The errors by key. A key without an error is absent. */
export type Errors<K extends string = string> = { readonly [P in K]?: readonly ValidationError[] }

/** The options of a validation. The `validation` method of a controller sets them. */
export interface ValidationOptions {
  /** The texts of rules and labels. Without this source, messages are in English, and each label is the key itself. */
  readonly messages?: MessageSource | undefined
  /** The prefix of label keys. The text of `<prefix>.<camelKey>` takes precedence over that of `<camelKey>`. */
  readonly prefix?: string | undefined
  /** The response status of a failure in a controller; default the setting `validation.status`. */
  readonly status?: 400 | 422 | undefined
  /**
   * Called when `validate()` returns false, and by `addErrors`. A controller sets its response status and its request
   * scope in this function.
   */
  readonly onFailure?: ((validation: Validation) => void) | undefined
  /**
   * The errors of files by the name of their field. They are errors of this key, or of `photoId` for the field `photo` if the
   * validation has that key, and replace those of its rules.
   */
  readonly fileErrors?: ReadonlyMap<string, ValidationError> | undefined
}

/** The failed keys with their errors, in the order of the rules. */
export type Failures = ReadonlyMap<string, readonly ValidationError[]>

const noMessages: readonly string[] = Object.freeze([])

/**
 * The error messages by failed key, in the order of the rules. `K` is the type of the keys that can fail.
 * @spec View helper › keyAndErrorMessages
 */
export class KeyAndErrorMessages<K extends string = string> extends Map<string, readonly string[]> {
  /** Returns the messages of `key`; an empty list if the key passed or was not validated. */
  override get(key: string): readonly string[] {
    return super.get(key) ?? noMessages
  }

  /** Returns the messages of `key`. Views use this name of `get`. */
  getErrors(key: string): readonly string[] {
    return this.get(key)
  }

  hasErrors(key: string): boolean {
    return this.has(key)
  }

  /** Returns a JSON value such as `{"url":["url is required"]}`. */
  toJSON(): { readonly [P in K]?: readonly string[] } {
    return toRecord(this) as { readonly [P in K]?: readonly string[] }
  }
}

/** Converts a map to an object without a prototype, so that a client's key `__proto__` becomes a plain member. */
function toRecord<T>(map: ReadonlyMap<string, T>): Record<string, T> {
  const record = Object.create(null) as Record<string, T>
  for (const [key, value] of map) record[key] = value
  return record
}

/** Returns the field whose file a key refers to: `photo` for `photoId`, `photo_id` and `photo`. */
const fieldOfKey = (key: string): string => key.replace(/(?:Id|_id)$/, '')

/** A validation of parameters. It evaluates its rules once, on first use. `K` is the type of the keys that have rules. */
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

  /** Returns true if every rule passes; calls `onFailure` otherwise. @spec Validation DSL › validate */
  validate(): boolean {
    if (!this.hasErrors) return true
    this.options.onFailure?.(this)
    return false
  }

  /** Adds errors that no rule can find, such as a name that the database already contains, and calls `onFailure`. */
  addErrors(errors: Errors): void {
    const all = new Map(this.#evaluated)
    for (const [key, more] of Object.entries(errors))
      if (more !== undefined) all.set(key, [...(all.get(key) ?? []), ...more])
    this.#failures = all
    this.options.onFailure?.(this)
  }

  /**
   * Validates, then calls `write` with the permitted values and returns its result. Returns `undefined` for invalid
   * parameters. Also returns `undefined` if the database rejects a value: the write is rolled back, and the rejection
   * becomes an error of the value's key. Other errors are thrown.
   */
  async save<T>(write: (permitted: PermittedValues) => Promise<T>): Promise<T | undefined> {
    if (!this.validate()) return undefined
    const values = this.writtenValues()
    try {
      return await inSavepoint(() => write(values))
    } catch (error) {
      const errors = await refusalErrors(error, this.rules, [...this.keys()], values)
      if (errors === undefined) throw error
      this.addErrors(errors)
      return undefined
    }
  }

  /** True if a rule fails. Does not call `onFailure`. */
  get hasErrors(): boolean {
    return this.#evaluated.size > 0
  }

  get errors(): Errors<K> {
    return toRecord(this.#evaluated) as Errors<K>
  }

  /** All error messages, in the order of the rules. */
  get errorMessages(): readonly string[] {
    return [...this.keyAndErrorMessages].flatMap(([, messages]) => messages)
  }

  /** The failed keys with their messages, in the order of the rules. */
  get keyAndErrorMessages(): KeyAndErrorMessages<K> {
    const { messages, prefix } = this.options
    const texts = new KeyAndErrorMessages<K>()
    const failed = this.#evaluated
    for (const key of new Set([...this.keys(), ...failed.keys()])) {
      const errors = failed.get(key)
      if (errors === undefined) continue
      const label = resolveLabel(key, messages, prefix)
      const isJson = jsonOf(this.params.source, key) !== undefined
      // A program must send the values, and so reads no texts of them.
      const choiceText = (choice: string): string =>
        isJson ? choice : resolveChoice(key, choice, messages, prefix)
      texts.set(
        key,
        errors.map((error) => formatErrorMessage(error, label, messages, choiceText)),
      )
    }
    return texts
  }

  /** Validates, then calls `onSuccess` or `onFailure`, and returns its result. */
  fold<A, B>(
    onFailure: (params: Params, errors: Errors<K>) => A,
    onSuccess: (params: Params) => B,
  ): A | B {
    return this.validate() ? onSuccess(this.params) : onFailure(this.params, this.errors)
  }

  /**
   * Sets the function for valid parameters. `success(f).failure(g).apply()` validates, then calls `f` or `g`, and
   * returns its result.
   */
  success<B>(onSuccess: (params: Params) => B): Outcome<Errors<K>, never, B> {
    return new Outcome<Errors<K>, never, B>(this, undefined, onSuccess)
  }

  /** Sets the function for invalid parameters, as in `failure(g).success(f).apply()`. */
  failure<A>(onFailure: (params: Params, errors: Errors<K>) => A): Outcome<Errors<K>, A, never> {
    return new Outcome<Errors<K>, A, never>(this, onFailure, undefined)
  }

  /** Returns a validation without the rules of keys that were not sent, for PATCH. It keeps the rules of `param`. */
  partial(): Validation<K> {
    return new Validation<K>(this.params, this.sentRules(), this.options)
  }

  /** Returns a validation without the rules of these keys. It keeps the rules of `param`. */
  without(keys: ReadonlySet<string>): Validation<K> {
    return new Validation<K>(this.params, this.rulesWithout(keys), this.options)
  }

  /** Returns a copy that looks up each label first by the message key `<prefix>.<camelKey>`. */
  withPrefix(prefix: string): this {
    return this.copy({ ...this.options, prefix })
  }

  /** Returns a copy whose failure status is 400 or 422 instead of the setting `validation.status`. */
  withStatus(status: 400 | 422): this {
    return this.copy({ ...this.options, status })
  }

  /** The response status of a failure; undefined for that of the setting `validation.status`. */
  get failureStatus(): 400 | 422 | undefined {
    return this.options.status
  }

  protected copy(options: ValidationOptions): this {
    return new Validation<K>(this.params, this.rules, options) as this
  }

  protected sentRules(): readonly KeyRules[] {
    return this.rules.filter(({ key, fixedValue }) => fixedValue !== undefined || this.isSent(key))
  }

  /** Returns true if the client has sent the key, or a file for it that was refused. */
  protected isSent(key: string): boolean {
    const { fileErrors } = this.options
    return (
      this.params.has(key) ||
      (fileErrors !== undefined && (fileErrors.has(key) || fileErrors.has(fieldOfKey(key))))
    )
  }

  protected rulesWithout(keys: ReadonlySet<string>): readonly KeyRules[] {
    return this.rules.filter(({ key, fixedValue }) => fixedValue !== undefined || !keys.has(key))
  }

  /** Returns all validated keys, in order. */
  protected keys(): Iterable<string> {
    return this.rules.map(({ key }) => key)
  }

  /** Returns the values that `save` writes. */
  protected writtenValues(): PermittedValues {
    return permitValues({})
  }

  /** Evaluates all rules. For each key, evaluation stops at the first failing rule. */
  protected evaluate(): Failures {
    const failures = new Map<string, readonly ValidationError[]>()
    for (let i = 0; i < this.rules.length; i++) {
      const rules = this.rules[i]!
      const { key, fixedValue } = rules
      const errors =
        fixedValue === undefined ? this.#evaluateText(rules) : rules.evaluate(fixedValue.value)
      if (errors.length === 0) continue
      failures.set(key, [...(failures.get(key) ?? []), ...errors])
    }
    return failures
  }

  #withFileErrors(failures: Failures): Failures {
    const { fileErrors } = this.options
    if (fileErrors === undefined || fileErrors.size === 0) return failures
    const all = new Map(failures)
    const keys = [...this.keys()]
    for (const [field, error] of fileErrors) {
      const key = keys.includes(field) ? field : keys.find((one) => fieldOfKey(one) === field)
      all.set(key ?? field, [error])
    }
    return all
  }

  /** Returns the kind of number that a key contains; `undefined` if it contains no number. */
  protected numberKind({ numberKind }: KeyRules): NumberKind | undefined {
    return numberKind
  }

  #evaluateText(rules: KeyRules): readonly ValidationError[] {
    const { key } = rules
    const { source } = this.params
    const text = this.params.get(key)
    if (text === '' && jsonOf(source, key) === '') return rules.evaluate(text, true)
    const kind =
      text === undefined || source.localeOf === undefined ? undefined : this.numberKind(rules)
    if (text === undefined || kind === undefined) return rules.evaluate(text)
    const errors = rules.evaluate(readNumberText(source, key, text, kind))
    if (errors.length === 0 || errors[0]!.text !== undefined) return errors
    const examples = numberExamples(source, key, kind)
    return examples === undefined ? errors : [numberFormatError(examples)]
  }

  get #evaluated(): Failures {
    return (this.#failures ??= this.#withFileErrors(this.evaluate()))
  }
}

/** The functions to call after a validation. `A` is the type of the result on failure, `B` on success. */
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

  /**
   * Validates, and calls the function for success or failure.
   * @throws FwError `validation.outcome-missing` if that function was not set
   */
  apply(): A | B {
    const { params, errors } = this.#validation
    const isValid = this.#validation.validate()
    if (isValid && this.#onSuccess !== undefined) return this.#onSuccess(params)
    if (!isValid && this.#onFailure !== undefined) return this.#onFailure(params, errors as E)
    const name = isValid ? 'success' : 'failure'
    throw new FwError(
      'validation.outcome-missing',
      `The validation ended in ${name}, but no function was given for it; call .${name}(…) before .apply().`,
    )
  }
}

/**
 * Creates a validation of `params`. In a controller, call `this.validation(params, …rules)` instead, which sets the
 * options.
 * @spec Validation DSL › validation
 */
export function createValidation<const R extends readonly KeyRules[]>(
  params: Params,
  rules: R,
  options: ValidationOptions = {},
): Validation<R[number]['key']> {
  return new Validation(params, rules, options)
}
