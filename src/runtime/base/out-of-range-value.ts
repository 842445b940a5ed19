/** Stored values that their JavaScript type cannot represent, such as `infinity` in a column of dates. */
import { inspect } from 'node:util'
import { FwError } from './errors.ts'

const code = 'db.value-out-of-range'

/** Returns the error for a stored value that has no JavaScript value of its type. */
export const outOfRangeError = (text: string, kind: string): FwError =>
  new FwError(
    code,
    `The database holds '${text.slice(0, 60)}', which no ${kind} can represent; select it as text (cast(… as text)).`,
  )

/** The digits of an integer, which JSON can represent although a JavaScript number cannot. */
const integerText = /^-?\d+$/

const json = JSON as unknown as { rawJSON(text: string): object }

/**
 * The value of a row's field that its JavaScript type cannot represent. It prints as PostgreSQL's text, and is written back
 * unchanged. Every other use throws `db.value-out-of-range`, so that no calculation continues with it.
 */
export class OutOfRangeValue {
  readonly text: string
  readonly #error: FwError

  constructor(text: string, error: FwError) {
    this.text = text
    this.#error = error
  }

  toString(): string {
    return this.text
  }

  toJSON(): unknown {
    return integerText.test(this.text) ? json.rawJSON(this.text) : this.text
  }

  [Symbol.toPrimitive](hint: string): string {
    if (hint === 'string') return this.text
    throw this.#error
  }

  [inspect.custom](): string {
    return `OutOfRangeValue(${this.text})`
  }

  /** Throws the error, if the object is such a value and not the prototype of the class. */
  static refuse(value: object): undefined {
    if (#error in value) throw value.#error
  }
}

/** `await` and serializers look for these members in every object. */
const optionalMembers: ReadonlySet<PropertyKey> = new Set(['then', 'toBSON', 'asymmetricMatch'])

// A prototype that throws for unknown members: reading the year of `infinity` must not return `undefined`.
Object.setPrototypeOf(
  OutOfRangeValue.prototype,
  new Proxy(Object.prototype, {
    get(target, key, value) {
      if (typeof key === 'symbol' || key in target || optionalMembers.has(key))
        return Reflect.get(target, key, value) as unknown
      return OutOfRangeValue.refuse(value as object)
    },
  }),
)

/** Returns the value that `decode` returns for the text, or an `OutOfRangeValue` if the type cannot represent it. */
export function decodeOrKeep<T>(text: string, decode: (text: string) => T): T | OutOfRangeValue {
  try {
    return decode(text)
  } catch (error) {
    if (error instanceof FwError && error.code === code) return new OutOfRangeValue(text, error)
    throw error
  }
}
